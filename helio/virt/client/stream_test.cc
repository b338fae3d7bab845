#include "helio/virt/client/stream.h"

#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "helio/virt/client/transfer.h"
#include "schema/remote_service.h"
#include "testing/virt/scripted_daemon.h"

namespace helio::virt::stream_test {
namespace {

using RemoteVersion = remote::REMOTE_PROTOCOL_VERSION;
using Status = frame::VirnetStatus;
using Kind = StreamPiece::Kind;
using std::chrono::milliseconds;

class StreamTest : public ::testing::Test {
 protected:
    StreamTest() : connection_(loop_, peer_.client_end()) {}

    // Makes the opening call and answers it.
    void open() {
        stream_.emplace(connection_);
        auto call = stream_->begin(RemoteVersion::program, 1, RemoteVersion::STORAGE_VOL_DOWNLOAD);
        call->send();
        header_ = peer_.next(loop_).header;
        peer_.reply(header_);
        ASSERT_TRUE(turn_until(loop_, [&] { return call->finished(); }));
        ASSERT_NE(call->results(), nullptr);
    }
    template <class T>
    Result<T, Failure> run(Task<Result<T, Failure>> task) {
        task.start([](void*) {}, nullptr);
        EXPECT_TRUE(turn_until(loop_, [&] { return task.finished(); }));
        if (!task.finished()) return fail(Failure{});
        return task.take();
    }

    transport::EventLoop loop_;
    Peer peer_;
    ClientConnection connection_;
    std::optional<ClientStream> stream_;
    frame::VirnetHeader header_;
};

TEST_F(StreamTest, DataHoleEndFinish) {
    open();
    peer_.stream(header_, Status::more, as_bytes("abc"));  // no padding: three bytes
    peer_.stream(header_, Status::more, words({0, 4096, 0}), frame::VirnetType::stream_hole);
    peer_.stream(header_, Status::more);
    const auto data = run(stream_->read());
    ASSERT_TRUE(data);
    EXPECT_EQ(data->kind, Kind::data);
    EXPECT_EQ(as_text(data->data), "abc");
    const auto hole = run(stream_->read());
    ASSERT_TRUE(hole);
    EXPECT_EQ(hole->kind, Kind::hole);
    EXPECT_EQ(hole->hole, 4096u);
    for (int i = 0; i < 2; ++i) {  // the end repeats
        const auto end = run(stream_->read());
        ASSERT_TRUE(end);
        EXPECT_EQ(end->kind, Kind::end);
    }
    auto finishing = stream_->finish();
    finishing.start([](void*) {}, nullptr);
    const auto finish = peer_.next(loop_);
    EXPECT_EQ(finish.header.type, frame::VirnetType::stream);
    EXPECT_EQ(finish.header.status, Status::ok);
    EXPECT_EQ(finish.header.serial, header_.serial);
    EXPECT_TRUE(finish.payload.empty());
    peer_.stream(header_, Status::ok);
    ASSERT_TRUE(turn_until(loop_, [&] { return finishing.finished(); }));
    EXPECT_TRUE(finishing.take());
}

TEST_F(StreamTest, WritesInPackets) {
    open();
    const Bytes content(frame::kStreamPacketMax + 10, std::byte{5});
    ASSERT_TRUE(run(stream_->write(content)));
    const auto first = peer_.next(loop_), second = peer_.next(loop_);
    EXPECT_EQ(first.payload.size(), frame::kStreamPacketMax);
    EXPECT_EQ(second.payload.size(), 10u);
    EXPECT_EQ(second.header.status, Status::more);
    ASSERT_TRUE(run(stream_->write_hole(1u << 20)));
    const auto hole = peer_.next(loop_);
    EXPECT_EQ(hole.header.type, frame::VirnetType::stream_hole);
    EXPECT_EQ(hole.payload, words({0, 1u << 20, 0}));
}

TEST_F(StreamTest, WriterWaitsForASlowDaemon) {
    open();
    const Bytes content(16u << 20);
    auto writing = stream_->write(content);
    writing.start([](void*) {}, nullptr);
    for (int i = 0; i < 20; ++i) loop_.turn(milliseconds(0));
    EXPECT_FALSE(writing.finished());
    std::size_t bytes = 0;
    while (bytes < content.size()) bytes += peer_.next(loop_).payload.size();
    EXPECT_TRUE(turn_until(loop_, [&] { return writing.finished(); }));
}

TEST_F(StreamTest, ErrorOfTheDaemonComesBehindItsData) {
    open();
    peer_.stream(header_, Status::more, as_bytes("abcd"));
    peer_.refuse(header_, virt_error(VIR_ERR_SYSTEM_ERROR, VIR_FROM_STORAGE, "disk"),
                 frame::VirnetType::stream);
    ASSERT_TRUE(run(stream_->read()));
    const auto failed = run(stream_->read());
    ASSERT_FALSE(failed);
    EXPECT_TRUE(failed.error().is(VIR_ERR_SYSTEM_ERROR));
    EXPECT_FALSE(run(stream_->write(as_bytes("x"))));
    EXPECT_FALSE(run(stream_->finish()));
    stream_.reset();
    EXPECT_EQ(peer_.waiting(loop_), 0u);  // there is nothing to abort
}

TEST_F(StreamTest, CallThatFailsOpensNothing) {
    stream_.emplace(connection_);
    auto call = stream_->begin(RemoteVersion::program, 1, 209);
    call->send();
    peer_.refuse(peer_.next(loop_).header,
                 virt_error(VIR_ERR_NO_STORAGE_VOL, VIR_FROM_STORAGE, ""));
    ASSERT_TRUE(turn_until(loop_, [&] { return call->finished(); }));
    const auto failed = run(stream_->read());
    ASSERT_FALSE(failed);
    EXPECT_TRUE(failed.error().is(VIR_ERR_NO_STORAGE_VOL));
    stream_.reset();
    EXPECT_EQ(peer_.waiting(loop_), 0u);
}

TEST_F(StreamTest, DestroyedIsAborted) {
    open();
    stream_.reset();
    const auto abort = peer_.next(loop_).header;
    EXPECT_EQ(abort.type, frame::VirnetType::stream);
    EXPECT_EQ(abort.status, Status::error);
    EXPECT_EQ(abort.serial, header_.serial);
    peer_.stream(header_, Status::more, as_bytes("late"));
    EXPECT_TRUE(turn_until(loop_, [&] { return connection_.counters().ignored == 1; }));
}

// The daemon opens a stream for a call that was cancelled: the client aborts it.
TEST_F(StreamTest, LetGoBeforeItIsOpen) {
    stream_.emplace(connection_);
    auto call = stream_->begin(RemoteVersion::program, 1, 209);
    call->send();
    header_ = peer_.next(loop_).header;
    call = {};
    stream_.reset();
    peer_.waiting(loop_);
    while (peer_.waiting(loop_) > 0) peer_.next(loop_);  // an abort that may come too early
    peer_.reply(header_);
    const auto abort = peer_.next(loop_).header;
    EXPECT_EQ(abort.status, Status::error);
    EXPECT_EQ(abort.serial, header_.serial);
}

TEST_F(StreamTest, UnreadBytesStopTheReading) {
    open();
    const Bytes packet(frame::kStreamPacketMax);
    header_.type = frame::VirnetType::stream;
    header_.status = Status::more;
    const Bytes message = frame::make_virnet_message(header_, packet);
    // As much as the client takes; when the socket is full too, it has stopped.
    std::size_t sent = 0;
    for (int idle = 0; idle < 50;) {
        const std::size_t at = sent % message.size();
        const ssize_t wrote = ::send(peer_.fd(), message.data() + at, message.size() - at, 0);
        idle = wrote > 0 ? 0 : idle + 1;
        if (wrote > 0) sent += static_cast<std::size_t>(wrote);
        loop_.turn(milliseconds(0));
        ASSERT_LT(sent, 3 * kStreamUnreadBytesMax);
    }
    EXPECT_GT(sent, kStreamUnreadBytesMax);
    // Reading resumes the transfer.
    std::size_t got = 0;
    while (got < kStreamUnreadBytesMax / 4 * 3) {
        const auto piece = run(stream_->read());
        ASSERT_TRUE(piece);
        got += piece->data.size();
    }
    const ssize_t more = [&] {
        for (int i = 0; i < 50; ++i) loop_.turn(milliseconds(0));
        const std::size_t at = sent % message.size();
        return ::send(peer_.fd(), message.data() + at, message.size() - at, 0);
    }();
    EXPECT_GT(more, 0);
}

TEST_F(StreamTest, ReadHasAnEndInTime) {
    open();
    const auto late = run(stream_->read(milliseconds(5)));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().call.outcome, xdr::Outcome::timed_out);
    peer_.stream(header_, Status::more, as_bytes("abcd"));
    EXPECT_TRUE(run(stream_->read(milliseconds(2'000))));
}

TEST_F(StreamTest, LostConnectionWakesTheReader) {
    open();
    auto reading = stream_->read();
    reading.start([](void*) {}, nullptr);
    peer_.close();
    ASSERT_TRUE(turn_until(loop_, [&] { return reading.finished(); }));
    const auto failed = reading.take();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().call.outcome, xdr::Outcome::unreachable);
}

// ---- Files ----

std::FILE* temporary(std::string_view content) {
    std::FILE* const out = std::tmpfile();
    std::fwrite(content.data(), 1, content.size(), out);
    std::rewind(out);
    return out;
}

TEST_F(StreamTest, FileWithHoles) {
    open();
    std::FILE* const file = temporary("");
    auto receiving = receive_into(*stream_, fileno(file));
    receiving.start([](void*) {}, nullptr);
    peer_.stream(header_, Status::more, as_bytes("head"));
    peer_.stream(header_, Status::more, words({0, 100'000, 0}), frame::VirnetType::stream_hole);
    peer_.stream(header_, Status::more);
    EXPECT_EQ(peer_.next(loop_).header.status, Status::ok);
    peer_.stream(header_, Status::ok);
    ASSERT_TRUE(turn_until(loop_, [&] { return receiving.finished(); }));
    const auto bytes = receiving.take();
    ASSERT_TRUE(bytes);
    EXPECT_EQ(*bytes, 100'004u);
    EXPECT_EQ(lseek(fileno(file), 0, SEEK_END), 100'004);
    std::fclose(file);
}

TEST_F(StreamTest, FileIsSentAndConfirmed) {
    open();
    std::FILE* const file = temporary("content of a volume");
    auto sending = send_from(*stream_, fileno(file), 7, false);
    sending.start([](void*) {}, nullptr);
    EXPECT_EQ(as_text(peer_.next(loop_).payload), "content");
    EXPECT_EQ(peer_.next(loop_).header.status, Status::ok);
    EXPECT_FALSE(sending.finished());  // not before the daemon confirms
    peer_.stream(header_, Status::ok);
    ASSERT_TRUE(turn_until(loop_, [&] { return sending.finished(); }));
    const auto bytes = sending.take();
    ASSERT_TRUE(bytes);
    EXPECT_EQ(*bytes, 7u);
    std::fclose(file);
}

TEST_F(StreamTest, HolesOfAFileAreSentAsHoles) {
    open();
    std::FILE* const file = temporary("");
    ASSERT_EQ(ftruncate(fileno(file), 1 << 20), 0);
    ASSERT_EQ(pwrite(fileno(file), "x", 1, 512 << 10), 1);
    auto sending = send_from(*stream_, fileno(file), 0, true);
    sending.start([](void*) {}, nullptr);
    std::uint64_t total = 0;
    bool hole_seen = false;
    for (;;) {
        const Heard one = peer_.next(loop_);
        if (one.header.type == frame::VirnetType::stream_hole) {
            hole_seen = true;
            total += xdr::load_u64(one.payload.data());
        } else if (one.header.status == Status::ok) {
            break;
        } else {
            total += one.payload.size();
        }
    }
    EXPECT_EQ(total, 1u << 20);
    EXPECT_TRUE(hole_seen) << "/tmp has no holes?";
    peer_.stream(header_, Status::ok);
    EXPECT_TRUE(turn_until(loop_, [&] { return sending.finished(); }));
    std::fclose(file);
}

}  // namespace
}  // namespace helio::virt::stream_test
