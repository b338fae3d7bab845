// JsonText: JSON, laid out, at the end of somebody's string. Whoever calls keeps brackets and keys
// in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "helio/base/bytes.h"
#include "helio/reflect/json/json.h"

namespace helio::reflect {

class JsonText final {
 public:
    JsonText(std::string& out, const JsonOptions& options) : options_(options), out_(out) {}

    void open(char bracket);          // '{' or '['
    void close(char bracket);         // '}' or ']'
    void key(std::string_view name);  // of a schema: letters, digits and '_'
    void element();                   // before each element of an array

    void raw(std::string_view token) { out_ += token; }         // null, true, a number
    void string(std::string_view text);                         // text is UTF-8
    void name(std::string_view of_schema);                      // an enumerator
    void single(std::string_view name, std::string_view text);  // {"name": "text"}, on one line

    void number(std::int64_t value);
    void number(std::uint64_t value);
    void real(float value);
    void real(double value);

    void opaque(ByteView bytes);                // "0102…" or {"base64": "…"}
    void text_or_bytes(std::string_view text);  // "…", or as opaque where it is no UTF-8

 private:
    void item();
    void line();

    const JsonOptions options_;
    std::string& out_;
    std::size_t depth_ = 0;
    bool first_ = true;
};

}  // namespace helio::reflect
