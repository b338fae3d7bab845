// Any pasted text is read, explained and shown, every byte in exactly one part.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "helio/base/assert.h"
#include "helio/inspect/text/explain_text.h"
#include "helio/inspect/words/words.h"
#include "testing/inspect/catalogue.h"

namespace {

using namespace helio::inspect;

void check_shown(std::string_view text) {
    for (const char c : text) HELIO_ASSERT(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

void check_tiled(const Explanation& one) {
    std::size_t at = 0;
    for (const Part& part : one.parts) {
        HELIO_ASSERT(part.offset == at);
        at += part.tree.bytes.size();
    }
    HELIO_ASSERT(at == one.bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Explainer explainer{builtin_catalogue()};
    static Meanings meanings{builtin_catalogue()};
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    // The first byte chooses between text and raw bytes.
    Dump dump;
    if (size > 0 && bytes[0] == 'B') {
        dump.kind = DumpKind::bytes;
        dump.runs.emplace_back();
        const helio::ByteView run = helio::as_bytes(bytes.substr(1));
        dump.runs[0].bytes.assign(run.begin(), run.end());
    } else {
        for (const DumpReading reading : kSecondReadings) read_dump(bytes, reading);
        dump = read_messages(bytes, explainer);
    }
    static WordsWriter writer{builtin_catalogue(), {}, check_shown};
    WordsPage page{builtin_catalogue(), {}, "fuzz"};
    ExplainText all{explainer, dump};
    for (std::vector<Explanation> messages; all.next(messages);)
        for (const Explanation& one : messages) {
            check_tiled(one);
            writer.write(one, &all.run());
            Message message;
            message.bytes = one.bytes.subspan(one.message_at);
            message.size = message.bytes.size();
            message.shape = one.shape;
            Explanation again;
            explainer.explain_into(again, message, one.procedure);
            check_tiled(again);
            writer.write(message, again);
            std::string json;
            append_words_json(json, one, &all.run(), meanings);
            check_shown(json);
            page.add(one, &all.run());
        }
    writer.flush();
    check_shown(page.finish());
    return 0;
}
