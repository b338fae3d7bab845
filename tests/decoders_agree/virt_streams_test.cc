// Recorded conversations with libvirt's daemons (NAME.c2s.bin, NAME.s2c.bin: the bytes of one
// direction each), split into messages. Every message goes through both readers and back, and must
// be unchanged; each of its prefixes is read too.
//
// HELIO_CAPTURES names the folder whose libvirt/ has them. They are not shipped;
// tests/explain/virt_streams_test.py records some and passes them to this test.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <gtest/gtest.h>

#include "helio/frame/length_word.h"
#include "helio/virt/wire/envelope.h"
#include "helio/virt/wire/error.h"
#include "helio/xdr/wire.h"
#include "tests/decoders_agree/schemas.h"

namespace helio::test::virt_streams_test {
namespace {

using Bytes = std::vector<std::byte>;

// Prefixes read of longer messages: the shortest ones, then a sample.
constexpr std::size_t kBeginningsMax = 2000;

std::vector<std::filesystem::path> recordings() {
    std::vector<std::filesystem::path> out;
    const char* const folder = std::getenv("HELIO_CAPTURES");
    std::error_code none;
    if (folder == nullptr) return out;
    for (const auto& one :
         std::filesystem::directory_iterator(std::filesystem::path(folder) / "libvirt", none))
        if (one.path().extension() == ".bin") out.push_back(one.path());
    std::sort(out.begin(), out.end());
    return out;
}

Bytes content(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    const ByteView bytes = as_bytes(text);
    return {bytes.begin(), bytes.end()};
}

const BothReaders* schema_named(std::string_view name) {
    for (const BothReaders& one : schemas())
        if (one.name == name) return &one;
    return nullptr;
}

PickedType type_named(const BothReaders& schema, std::string_view name) {
    for (const xdr::TypeCodec& codec : schema.codecs)
        if (codec.name == name) return {schema.schema->type(name), &codec};
    return {};
}

// The schema that has this program, and its procedure.
struct Called {
    const BothReaders* schema = nullptr;
    const idl::Procedure* procedure = nullptr;
};
Called called(const frame::VirnetHeader& header) {
    for (const char* const name : {"remote", "qemu", "lxc", "admin", "keepalive"}) {
        const BothReaders* const schema = schema_named(name);
        for (const idl::Program& program : schema->schema->programs) {
            const idl::Version* const version =
                program.number == header.program ? program.version(header.version) : nullptr;
            if (version != nullptr) return {schema, version->procedure(header.procedure)};
        }
    }
    return {};
}

// Counts, so that an empty folder does not pass.
struct Seen {
    std::map<std::uint32_t, std::size_t> types;  // of messages
    std::size_t errors = 0;
    std::size_t typed = 0;  // payloads that a schema has a type for
    std::size_t beginnings = 0;
};

class Message final {
 public:
    Message(ByteView bytes, Seen& seen)
        : bytes_(bytes), header_(frame::read_virnet_header(bytes.data())), seen_(seen) {}

    void check() {
        ++seen_.types[static_cast<std::uint32_t>(header_.type)];
        check_header();
        ByteView payload = bytes_.subspan(frame::VirnetHeader::kSize);
        if (header_.status == frame::VirnetStatus::error) {
            if (!payload.empty()) check_error(payload);
            return;
        }
        const BothReaders& envelope = *schema_named("virnet");
        switch (header_.type) {
            case frame::VirnetType::stream:
                return;  // stream data
            case frame::VirnetType::stream_hole:
                return check_value(type_named(envelope, "virNetStreamHole"), payload);
            case frame::VirnetType::call_with_fds:
            case frame::VirnetType::reply_with_fds:
                ASSERT_GE(payload.size(), 4u);
                payload = payload.subspan(4);
                break;
            default:
                break;
        }
        const Called what = called(header_);
        ASSERT_NE(what.procedure, nullptr)
            << "program " << header_.program << " has no procedure " << header_.procedure;
        check_value(payload_type(what), payload);
    }

    // After the message, a byte each.
    std::size_t descriptors() const {
        const bool some = header_.type == frame::VirnetType::call_with_fds ||
                          header_.type == frame::VirnetType::reply_with_fds;
        if (!some || header_.status == frame::VirnetStatus::error || bytes_.size() < 28) return 0;
        return xdr::load_u32(bytes_.data() + frame::VirnetHeader::kSize);
    }

 private:
    void check_header() {
        std::byte again[frame::VirnetHeader::kSize];
        frame::write_virnet_header(again, header_);
        const ByteView head = bytes_.first(frame::VirnetHeader::kSize);
        EXPECT_TRUE(std::equal(head.begin(), head.end(), again));
        check_value(type_named(*schema_named("virnet"), "virNetMessageHeader"), head);
    }

    void check_error(ByteView payload) {
        ++seen_.errors;
        const auto error = virt::open_error(payload);
        ASSERT_TRUE(error);
        EXPECT_FALSE(error->message.empty());
        for (std::size_t n = 0; n < payload.size(); ++n)
            EXPECT_FALSE(virt::open_error(payload.first(n))) << n;
        check_value(type_named(*schema_named("virnet"), "virNetMessageError"), payload);
    }

    // Nothing for void.
    PickedType payload_type(const Called& what) const {
        const idl::Type* type = what.procedure->result;
        const bool asks = header_.type != frame::VirnetType::reply &&
                          header_.type != frame::VirnetType::reply_with_fds;
        if (asks) {
            if (what.procedure->arguments.empty()) return {};
            type = what.procedure->arguments.front();
        }
        return type->kind == idl::Kind::void_ ? PickedType{} : type_named(*what.schema, type->name);
    }

    void check_value(const PickedType& type, ByteView payload) {
        if (type.codec == nullptr) {
            EXPECT_TRUE(payload.empty())
                << "nothing says what these " << payload.size() << " bytes are";
            return;
        }
        ++seen_.typed;
        EXPECT_EQ(disagreement(type, payload), "") << type.codec->name;
        const std::size_t step = payload.size() / kBeginningsMax + 1;
        for (std::size_t n = 0; n < payload.size(); n += n < kBeginningsMax / 2 ? 1 : step)
            check_beginning(type, payload.first(n));
    }

    // Both readers must reject it. A copy of exact size, so that a sanitizer detects reads past it.
    void check_beginning(const PickedType& type, ByteView beginning) {
        ++seen_.beginnings;
        const Bytes copy(beginning.begin(), beginning.end());
        xdr::Arena arena;
        xdr::Reader in{copy, arena, xdr::Mode::strict};
        xdr::Writer out{arena};
        EXPECT_FALSE(type.codec->recode(in, out) && in.finish())
            << type.codec->name << ": " << copy.size() << " bytes are taken for all";
        EXPECT_EQ(disagreement(type, copy), "") << type.codec->name << ": " << copy.size();
    }

    ByteView bytes_;
    frame::VirnetHeader header_;
    Seen& seen_;
};

void check_stream(ByteView stream, Seen& seen) {
    while (!stream.empty()) {
        const frame::Cut cut = frame::LengthWord::cut(stream);
        ASSERT_EQ(cut.kind, frame::CutKind::message);
        std::byte length[frame::LengthWord::kWordSize];
        frame::LengthWord::store(length, cut.message.size());
        EXPECT_TRUE(std::equal(std::begin(length), std::end(length), stream.begin()));
        for (std::size_t n = 0; n < std::min<std::size_t>(cut.consumed, 64); ++n)
            EXPECT_EQ(frame::LengthWord::cut(stream.first(n)).kind, frame::CutKind::more) << n;
        Message message{cut.message, seen};
        message.check();
        ASSERT_LE(cut.consumed + message.descriptors(), stream.size());
        stream = stream.subspan(cut.consumed + message.descriptors());
    }
}

TEST(VirtStreams, ComeBackBitForBit) {
    const auto files = recordings();
    if (files.empty()) GTEST_SKIP() << "HELIO_CAPTURES names no folder with libvirt/*.bin in it";
    Seen seen;
    for (const auto& file : files) {
        SCOPED_TRACE(file.filename().string());
        const Bytes bytes = content(file);
        EXPECT_FALSE(bytes.empty());
        check_stream(bytes, seen);
    }
    EXPECT_GT(seen.types[static_cast<std::uint32_t>(frame::VirnetType::call)], 0u);
    EXPECT_GT(seen.types[static_cast<std::uint32_t>(frame::VirnetType::reply)], 0u);
    EXPECT_GT(seen.typed, 0u);
    for (const auto& [type, count] : seen.types)
        RecordProperty("messages of type " + std::to_string(type), static_cast<int>(count));
    std::printf("%zu files, %zu values, %zu errors, %zu beginnings\n", files.size(), seen.typed,
                seen.errors, seen.beginnings);
}

}  // namespace
}  // namespace helio::test::virt_streams_test
