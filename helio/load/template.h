// Template: JSON text with parts that differ from call to call.
//
//     {"file": "0102{{random_hex 2}}", "offset": "{{random 0 1000}}", "count": 4096}
//
//     {{counter}}       0, 1, 2 …          {{counter 100}}   100, 101, …
//     {{random A B}}    an integer from A to B, inclusive
//     {{random_hex N}}  N bytes as hexadecimal digits
//
// A string that is only a counter or a random number becomes a number: its quotes are removed. Only
// the text is parsed; errors in the JSON appear when a variant is encoded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/random.h"
#include "helio/base/result.h"

namespace helio::load {

// Bytes of one {{random_hex N}}: as large as an NFS READ or WRITE.
inline constexpr std::uint64_t kRandomHexMax = 1u << 20;

class Template final {
 public:
    // The error is a sentence.
    static Result<Template, std::string> parse(std::string_view text);

    bool varies() const;  // from one expansion to the next
    std::string expand(std::uint64_t number, Random& random) const;

 private:
    enum class Kind : std::uint8_t { text, counter, random, random_hex };
    struct Piece {
        Kind kind = Kind::text;
        std::string text;
        std::int64_t low = 0;    // counter: start; random_hex: number of bytes
        std::uint64_t span = 0;  // random: high - low
    };
    static Result<Piece, std::string> parse_place(std::string_view words);
    void add_text(std::string_view text);

    std::vector<Piece> pieces_;
};

}  // namespace helio::load
