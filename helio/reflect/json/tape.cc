#include "helio/reflect/json/tape_internal.h"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json/basic_parser_impl.hpp>

#include "helio/base/text/escape.h"
#include "helio/reflect/decode.h"

namespace helio::reflect {

namespace json = boost::json;

// Boost.JSON's parser calls this. It never fails: kJsonSizeMax bounds the sizes.
struct JsonTape::Handler {
    static constexpr std::size_t max_object_size = kJsonSizeMax;
    static constexpr std::size_t max_array_size = kJsonSizeMax;
    static constexpr std::size_t max_key_size = kJsonSizeMax;
    static constexpr std::size_t max_string_size = kJsonSizeMax;
    using Error = json::error_code;

    explicit Handler(JsonTape& to) : tape(to) {}

    bool on_document_begin(Error&) { return true; }
    bool on_document_end(Error&) { return true; }
    bool on_object_begin(Error&) { return open(Kind::object); }
    bool on_object_end(std::size_t count, Error&) { return close(count); }
    bool on_array_begin(Error&) { return open(Kind::array); }
    bool on_array_end(std::size_t count, Error&) { return close(count); }
    bool on_key_part(json::string_view part, std::size_t, Error&) { return more(part); }
    bool on_key(json::string_view part, std::size_t, Error&) { return last(part, Kind::key); }
    bool on_string_part(json::string_view part, std::size_t, Error&) { return more(part); }
    bool on_string(json::string_view part, std::size_t, Error&) { return last(part, Kind::string); }
    bool on_number_part(json::string_view part, Error&) { return more(part); }
    bool on_int64(std::int64_t, json::string_view part, Error&) { return last(part, Kind::number); }
    bool on_uint64(std::uint64_t, json::string_view part, Error&) {
        return last(part, Kind::number);
    }
    bool on_double(double, json::string_view part, Error&) { return last(part, Kind::number); }
    bool on_bool(bool value, Error&) { return add(value ? Kind::yes : Kind::no); }
    bool on_null(Error&) { return add(Kind::null); }
    bool on_comment_part(json::string_view, Error&) { return true; }
    bool on_comment(json::string_view, Error&) { return true; }

    bool add(Kind kind) {
        tape.items_.push_back({.text = start,
                               .size = static_cast<std::uint32_t>(tape.texts_.size() - start),
                               .next = static_cast<Index>(tape.items_.size() + 1),
                               .kind = kind});
        start = tape.texts_.size();
        return true;
    }
    bool more(json::string_view part) {
        tape.texts_.append(part.data(), part.size());
        return true;
    }
    bool last(json::string_view part, Kind kind) { return more(part) && add(kind); }
    bool open(Kind kind) {
        unclosed.push_back(static_cast<Index>(tape.items_.size()));
        return add(kind);
    }
    bool close(std::size_t count) {
        Item& item = tape.items_[unclosed.back()];
        item.count = static_cast<std::uint32_t>(count);
        item.next = static_cast<Index>(tape.items_.size());
        unclosed.pop_back();
        return true;
    }

    JsonTape& tape;
    std::uint64_t start = 0;  // in texts_, of the string or number being received
    std::vector<Index> unclosed;
};

namespace {

JsonError syntax_error(std::string_view json, std::size_t at, const json::error_code& why) {
    at = std::min(at, json.size());
    const std::string_view before = json.substr(0, at);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0: the first line
    if (why == json::error::too_deep) {
        return {fmt::format("line {}, column {}", line, at - line_start + 1),
                fmt::format("nested too deep, the limit is {} levels", kNestingMax)};
    }
    const std::string_view rest =
        json.substr(at, std::min<std::size_t>(20, json.find('\n', at) - at));
    return {fmt::format("line {}, column {}", line, at - line_start + 1),
            rest.empty() ? fmt::format("the JSON ends too early ({})", why.message())
                         : fmt::format("no JSON at '{}' ({})", escaped(rest), why.message())};
}

}  // namespace

Result<JsonTape, JsonError> JsonTape::parse(std::string_view json) {
    if (json.size() > kJsonSizeMax) {
        return fail(JsonError{
            "$", fmt::format("{} bytes of JSON, the limit is {}", json.size(), kJsonSizeMax)});
    }
    JsonTape tape;
    // A tree of kNestingMax levels and, inside its innermost, {"bits": …} or {"hex": …}.
    json::parse_options options;
    options.max_depth = kNestingMax + 2;
    json::basic_parser<Handler> parser{options, tape};
    json::error_code error;
    std::size_t used = parser.write_some(false, json.data(), json.size(), error);
    if (!error && used < json.size()) {
        used = json.find_first_not_of(" \t\r\n", used);
        if (used != std::string_view::npos) error = json::error::extra_data;
    }
    if (error) return fail(syntax_error(json, used, error));
    return tape;
}

std::string JsonTape::shown(Index item) const {
    constexpr std::size_t kShownMax = 40;
    const std::string_view whole = text(item);
    const std::string cut =
        escaped(whole.substr(0, kShownMax)) + (whole.size() > kShownMax ? "…" : "");
    switch (items_[item].kind) {
        case Kind::null:
            return "null";
        case Kind::no:
            return "false";
        case Kind::yes:
            return "true";
        case Kind::number:
            return cut;
        case Kind::string:
        case Kind::key:
            return '"' + cut + '"';
        case Kind::array:
            return "an array";
        case Kind::object:
            return "an object";
    }
    return {};
}

}  // namespace helio::reflect
