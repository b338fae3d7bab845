#include "helio/load/template.h"

#include <charconv>

#include <fmt/format.h>

namespace helio::load {

namespace {

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = text.find_first_not_of(" \t", at);
        if (begin == std::string_view::npos) break;
        at = std::min(text.find_first_of(" \t", begin), text.size());
        words.push_back(text.substr(begin, at - begin));
    }
    return words;
}

void add_hex(std::string& out, std::uint64_t bytes, Random& random) {
    constexpr char kDigits[] = "0123456789abcdef";
    out.reserve(out.size() + 2 * bytes);
    std::uint64_t word = 0;
    for (std::uint64_t digit = 0; digit < 2 * bytes; ++digit, word >>= 4) {
        if (digit % 16 == 0) word = random.next();
        out += kDigits[word & 15];
    }
}

bool read_number(std::string_view text, std::int64_t& out) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
    return fault == std::errc{} && end == text.data() + text.size();
}

}  // namespace

Result<Template::Piece, std::string> Template::parse_place(std::string_view inside) {
    const auto words = split(inside);
    const std::string_view name = words.empty() ? std::string_view{} : words[0];
    std::int64_t numbers[2] = {0, 0};
    if (words.size() > 3) return fail(fmt::format("'{{{{{}}}}}' has too many arguments", inside));
    for (std::size_t i = 1; i < words.size(); ++i)
        if (!read_number(words[i], numbers[i - 1]))
            return fail(fmt::format("'{}' in '{{{{{}}}}}' is not a number", words[i], inside));

    Piece piece;
    piece.low = numbers[0];
    if (name == "counter" && words.size() <= 2) {
        piece.kind = Kind::counter;
    } else if (name == "random" && words.size() == 3 && numbers[0] <= numbers[1]) {
        piece.kind = Kind::random;
        piece.span =
            static_cast<std::uint64_t>(numbers[1]) - static_cast<std::uint64_t>(numbers[0]);
    } else if (name == "random_hex" && words.size() == 2 && numbers[0] >= 0 &&
               static_cast<std::uint64_t>(numbers[0]) <= kRandomHexMax) {
        piece.kind = Kind::random_hex;
    } else {
        return fail(
            fmt::format("'{{{{{}}}}}' is unknown; use {{{{counter [FIRST]}}}}, {{{{random LOW "
                        "HIGH}}}} or {{{{random_hex BYTES}}}} (at most {} bytes)",
                        inside, kRandomHexMax));
    }
    return piece;
}

void Template::add_text(std::string_view text) {
    if (text.empty()) return;
    Piece piece;
    piece.text = text;
    pieces_.push_back(std::move(piece));
}

Result<Template, std::string> Template::parse(std::string_view text) {
    Template out;
    bool in_string = false;
    std::size_t string_begin = 0;  // after the quote
    std::size_t done = 0;          // the text up to here is split into pieces
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\\' && in_string) {
            ++at;
        } else if (text[at] == '"') {
            in_string = !in_string;
            string_begin = at + 1;
        } else if (text.substr(at, 2) == "{{") {
            const std::size_t end = text.find("}}", at);
            if (end == std::string_view::npos) return fail(std::string("'{{' without '}}'"));
            auto piece = parse_place(text.substr(at + 2, end - at - 2));
            if (!piece) return fail(piece.error());
            const bool whole = in_string && string_begin == at && text.substr(end + 2, 1) == "\"";
            const bool unquote = whole && piece->kind != Kind::random_hex;
            out.add_text(text.substr(done, at - done - (unquote ? 1 : 0)));
            out.pieces_.push_back(std::move(*piece));
            done = end + 2 + (unquote ? 1 : 0);
            if (unquote) in_string = false;
            at = done - 1;
        }
    }
    out.add_text(text.substr(done));
    return out;
}

bool Template::varies() const {
    for (const Piece& piece : pieces_)
        if (piece.kind != Kind::text) return true;
    return false;
}

std::string Template::expand(std::uint64_t number, Random& random) const {
    std::string out;
    for (const Piece& piece : pieces_) {
        const auto low = static_cast<std::uint64_t>(piece.low);
        switch (piece.kind) {
            case Kind::text:
                out += piece.text;
                break;
            case Kind::counter:
                out += std::to_string(static_cast<std::int64_t>(low + number));
                break;
            case Kind::random:
                out += std::to_string(static_cast<std::int64_t>(low + random.up_to(piece.span)));
                break;
            case Kind::random_hex:
                add_hex(out, low, random);
                break;
        }
    }
    return out;
}

}  // namespace helio::load
