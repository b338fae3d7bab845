// JsonWriter: appends JSON to the caller's string. It places commas, spaces and line breaks; the
// caller balances brackets and writes keys in order. It keeps no other state and allocates nothing
// else.
//
//     std::string out;
//     JsonWriter json{out};
//     json.open('{');
//     json.member("name", peer_text);
//     json.key("sizes"), json.open('[');
//     for (int size : sizes) json.item(size);
//     json.close(']');
//     json.close('}');                         {"name": "…", "sizes": [1, 2, 3]}
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "helio/base/bytes.h"

namespace helio {

// Quotes a string. Characters that are special in JSON or on a terminal are escaped; bytes that are
// not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
std::string json_string(std::string_view text);

struct JsonLayout {
    int indent = 0;      // spaces per level; 0: everything on one line
    bool spaces = true;  // after ':', and after ',' within a line
};

class JsonWriter final {
 public:
    explicit JsonWriter(std::string& out, const JsonLayout& layout = {})
        : out_(out), layout_(layout), lines_(layout.indent != 0 ? kAllLines : 0) {}

    void open(char bracket);               // '{' or '['
    void close(char bracket);              // '}' or ']'
    void key(std::string_view name);       // ours or a schema's: needs no escaping
    void text_key(std::string_view name);  // any text
    void colon() { out_ += layout_.spaces ? ": " : ":"; }
    void element();  // before each element of an array
    // The next item or closing bracket begins a new line.
    void new_line() { lines_ |= kNextLine; }

    void raw(std::string_view token) { out_ += token; }  // a value that is JSON already
    void null() { raw("null"); }
    void boolean(bool value) { raw(value ? "true" : "false"); }
    void string(std::string_view text) { append_json_string(out_, text); }
    void plain(std::string_view text);  // a string that needs no escaping
    void hex(ByteView bytes);           // "00ff"
    void number(std::int64_t value);
    void number(std::uint64_t value);
    void fixed(double value, int decimals);  // 12.500; null if it is not finite

    void value(bool one) { boolean(one); }
    void value(std::string_view one) { string(one); }
    void value(const char* one) { string(one); }
    void value(std::signed_integral auto one) { number(std::int64_t{one}); }
    void value(std::unsigned_integral auto one) { number(std::uint64_t{one}); }

    template <class T>
    void member(std::string_view name, const T& one) {
        key(name);
        value(one);
    }
    void member(std::string_view name, double one, int decimals) {
        key(name);
        fixed(one, decimals);
    }
    template <class T>
    void item(const T& one) {
        element();
        value(one);
    }

 private:
    static constexpr std::uint8_t kAllLines = 1, kNextLine = 2;

    void line();

    std::string& out_;
    const JsonLayout layout_;
    std::size_t depth_ = 0;
    bool first_ = true;
    std::uint8_t lines_;
};

}  // namespace helio
