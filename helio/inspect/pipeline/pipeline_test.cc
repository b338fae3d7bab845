// The whole pipeline on real captures, as a page or another program would use it.
#include "helio/inspect/pipeline/pipeline.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include <gtest/gtest.h>

namespace helio::inspect::pipeline_test {
namespace {

const std::string kFolder = HELIO_SOURCE_DIR "/testdata/explain/";
const std::string kCapture = kFolder + "rdma-siw-small.pcap";

struct Collected final : PipelineOutput {
    void write(std::string_view more) override { text += more; }
    void note(std::string_view sentence) override { notes.emplace_back(sentence); }
    std::string text;
    std::vector<std::string> notes;
};

const Catalogue& catalogue() {
    static const LoadedCatalogue loaded = load_catalogue({});
    return *loaded.catalogue;
}

std::size_t lines_with(const std::string& text, std::string_view what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
        ++count;
        at = text.find('\n', at);
    }
    return count;
}

std::string contents(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

TEST(Pipeline, ListsTheCallsOfACapture) {
    Collected output;
    const PipelineResult result = explain_files({}, catalogue(), {kCapture}, output);
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.shown, result.ledger.paired + result.ledger.unanswered);
    EXPECT_EQ(lines_with(output.text, "nfs3.READDIRPLUS"), 1u);
    EXPECT_NE(output.text.find("calls"), std::string::npos);  // the ledger
    EXPECT_TRUE(output.notes.empty());
}

TEST(Pipeline, ShowsOnlyWhatTheFilterMatches) {
    Collected all;
    const PipelineResult every = explain_files({}, catalogue(), {kCapture}, all);
    Collected some;
    const PipelineResult reads =
        explain_files({.filter = "nfs3.READ"}, catalogue(), {kCapture}, some);
    EXPECT_GT(reads.shown, 0u);
    EXPECT_LT(reads.shown, every.shown);
    EXPECT_EQ(reads.ledger.paired, every.ledger.paired);
    EXPECT_EQ(lines_with(some.text, "nfs3.READ "), reads.shown);
}

TEST(Pipeline, StopsAfterTheCallsThatWereAskedFor) {
    Collected output;
    const PipelineResult result = explain_files({.calls_max = 3}, catalogue(), {kCapture}, output);
    EXPECT_EQ(result.shown, 3u);
}

TEST(Pipeline, ReadsACaptureFromMemory) {
    const std::string bytes = contents(kCapture);
    MemorySource source{as_bytes(bytes)};
    const NamedSource captures[] = {{"memory", &source}};
    Collected output;
    const PipelineResult result = explain_captures(
        {.view = View::statistics, .format = Format::json}, catalogue(), captures, output);
    EXPECT_TRUE(result.ok());
    EXPECT_NE(output.text.find("\"ledger\":{"), std::string::npos);
    EXPECT_EQ(output.text.back(), '\n');
}

TEST(Pipeline, ExplainsWhatCameBeforeTheDamage) {
    std::string bytes = contents(kCapture);
    bytes.resize(bytes.size() / 2);
    bytes += std::string(64, '\xff');  // a packet header with an impossible length
    MemorySource source{as_bytes(bytes)};
    const NamedSource captures[] = {{"half.pcap", &source}};
    Collected output;
    const PipelineResult result = explain_captures({}, catalogue(), captures, output);
    EXPECT_GT(result.shown, 0u);
    ASSERT_EQ(output.notes.size(), 1u);
    EXPECT_TRUE(output.notes[0].starts_with("half.pcap: "));
}

TEST(Pipeline, SaysThatAnXidIsNotThere) {
    Collected output;
    const PipelineResult result =
        explain_files({.view = View::words, .xid = 0x01020304}, catalogue(), {kCapture}, output);
    EXPECT_TRUE(result.missing_xid);
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(output.notes, std::vector<std::string>{"no call with xid 0x01020304"});
}

TEST(Pipeline, ExplainsText) {
    Collected output;
    const PipelineResult result =
        explain_text({.format = Format::json}, catalogue(),
                     "12345678 00000000 00000002 000186a3 00000003 00000000 "
                     "00000000 00000000 00000000 00000000",
                     output);
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.messages, 1u);
    EXPECT_NE(output.text.find("NFS_PROGRAM"), std::string::npos);
}

TEST(Pipeline, ThrowsForMisuse) {
    Collected output;
    EXPECT_THROW(explain_files({.filter = "nfs3."}, catalogue(), {kCapture}, output),
                 std::runtime_error);
    EXPECT_THROW(explain_files({}, catalogue(), {"/nowhere"}, output), std::runtime_error);
    EXPECT_THROW(explain_files({}, catalogue(), {kCapture, kFolder + "read_call.words"}, output),
                 std::runtime_error);  // a capture and a text
    EXPECT_THROW(explain_text({.view = View::statistics}, catalogue(), "00", output),
                 std::runtime_error);
    EXPECT_THROW(explain_files({.view = View::test_case, .format = Format::html}, catalogue(),
                               {kCapture}, output),
                 std::runtime_error);
}

TEST(Pipeline, TakesPacketsOneByOneAndFlushesWhenNoneCome) {
    struct Packets final : PacketSource {
        explicit Packets(ByteView bytes, const Collected& output)
            : source(bytes), reader(source), seen(output) {}
        bool next(Packet& packet) override {
            if (waited) {
                text_after_waiting = seen.text.size();
                return false;
            }
            if (reader.next(packet)) return true;
            packet = {};
            waited = true;
            return true;
        }
        MemorySource source;
        CaptureReader reader;
        const Collected& seen;
        bool waited = false;
        std::size_t text_after_waiting = 0;
    };
    const std::string bytes = contents(kCapture);
    Collected output;
    Packets packets{as_bytes(bytes), output};
    EXPECT_TRUE(explain_packets({}, catalogue(), packets, output).ok());
    EXPECT_GT(packets.text_after_waiting, 0u);
}

// One parse adds both: nfs4_cb.x imports nfs4.x.
TEST(LoadCatalogue, HasNfs4AndItsCallbacks) {
    EXPECT_EQ(catalogue().name_of(Shape::onc, 100003, 4, 1), "nfs4.COMPOUND");
    EXPECT_EQ(catalogue().name_of(Shape::onc, 0x40000000, 1, 1), "nfs4_cb.COMPOUND");
    const Procedure* const compound = catalogue().find(Shape::onc, 100003, 4, 1);
    ASSERT_NE(compound, nullptr);
    EXPECT_EQ(compound->schema_name, "nfs4");
    EXPECT_NE(compound->operations, nullptr);
}

}  // namespace
}  // namespace helio::inspect::pipeline_test
