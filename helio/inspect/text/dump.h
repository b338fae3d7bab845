// Dump: converts pasted text to bytes, each with its address. It reads
//
//     8f0a71c7 00000000 00000002       words of eight digits
//     8f 0a 71 c7 00 00 …              bytes; also 8f:0a:71:c7, \x8f\x0a, 8f0a71c70000…
//     00000010: 6c6f 6361 6c68 …  loc  xxd; hexdump -C; od -A x -t x1; tcpdump -x and -X
//     0x8f, 0x0a, 0x71c7…,             C arrays of bytes or words
//     … rpcrdma_marshal_req: | 0xffff88810c1e0800 | 8f 0a 71 c7 | xid … |  kernel trace columns
//     … server_reply: (…) raw={0xf1,0x55,…}                                kernel probes
//     u32 flavor : 1 {0x00 00 00 01} // UNIX_AUTH                          notes
//
// The format is recognised by content, for the whole text. Some texts have a second reading: words
// in the other byte order, od's octal words, decimal bytes, base64. Only the messages in them can
// tell, so the code that looks for messages chooses (read_messages in explain_text.h). A text may
// hold several messages, each in its own run: an empty line, another packet, another trace line or
// a jump of the address ends a run. Remarks beside the bytes (a number, a name) are kept as notes,
// to point out where they disagree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"

namespace helio::inspect {

// Longer texts are cut here. 64 MiB of text are at most 32 MiB of bytes; messages are smaller.
inline constexpr std::size_t kDumpTextMax = 64u << 20;
// For all runs, including the lines that `*` stands for: four digits of text must not expand to
// gigabytes.
inline constexpr std::size_t kDumpBytesMax = 64u << 20;
// Further runs, notes and problems are left out, with a remark: a text of empty lines would
// otherwise cost thirty times its size.
inline constexpr std::size_t kDumpRunsMax = 65536;
inline constexpr std::size_t kDumpNotesMax = 65536;
inline constexpr std::size_t kDumpProblemsMax = 100;

enum class DumpKind : std::uint8_t {
    none,  // no bytes found
    words,
    bytes,
    xxd,
    hexdump,
    od,
    tcpdump,
    c_array,
    trace_columns,
    trace_raw,
    notes,
};
std::string_view name(DumpKind kind);

struct Dump {
    // Text beside the bytes of one line.
    struct Note {
        std::uint32_t offset = 0;  // of the line's first byte in its run
        std::uint32_t size = 0;    // bytes of the line
        std::uint32_t line = 0;    // in the text, from 1
        std::string text;          // as written, trimmed; may hold anything
    };
    struct Address {
        std::uint32_t offset = 0;   // from this byte on …
        std::uint64_t address = 0;  // … counting up from here
    };
    // Something in the text that is wrong or had to be guessed.
    struct Problem {
        std::uint32_t offset = 0;  // of the byte in its run that it is about
        std::uint32_t line = 0;    // in the text, from 1
        std::string
            text;  // "address 0x…0864 stands twice; by its place it is 0x…086c"; safe to show
    };
    struct Run {
        std::vector<std::byte> bytes;
        std::vector<Address> addresses;  // empty: none in the text, offsets count from 0
        std::vector<Note> notes;
        std::vector<Problem> problems;
        std::uint32_t line = 1;  // where it begins
        std::string label;       // of traces: the task and the probe; of tcpdump: the packet's line
        bool cut = false;        // there was more (raw= of fixed size, tcpdump's snap length)
        bool ip_packet = false;  // tcpdump -x: the bytes begin with an IP header
    };
    DumpKind kind = DumpKind::none;
    std::vector<Run> runs;
    std::string how;      // details: "words as numbers, most significant byte first"
    std::string problem;  // why it could not be read, or not completely
};

// How the digits of a text are meant, in the order to try.
enum class DumpReading : std::uint8_t { usual, other_byte_order, octal, decimal, base64 };
inline constexpr DumpReading kSecondReadings[] = {DumpReading::other_byte_order, DumpReading::octal,
                                                  DumpReading::decimal, DumpReading::base64};

Dump read_dump(std::string_view text, DumpReading reading = DumpReading::usual);

}  // namespace helio::inspect
