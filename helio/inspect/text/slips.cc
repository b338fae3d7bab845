#include "helio/inspect/text/slips.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "helio/base/text/escape.h"

namespace helio::inspect {
namespace {

constexpr std::size_t kTokensMax = 64;  // of a note, that are examined

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::string upper(std::string_view text) {
    std::string out{text};
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

struct Number {
    std::uint64_t value = 0;
    std::string_view text;    // with its unit
    std::uint64_t unit = 0;   // bytes per unit; 0: no unit
    bool said_of_it = false;  // follows : = ( or the like: "Program: 5", "NFS (5)"
};

struct Note {
    std::vector<Number> numbers;
    std::vector<std::string> names;  // in capitals
};

// Does the note so far end in something that introduces a value?
bool introduces(std::string_view before) {
    while (!before.empty() && (before.back() == ' ' || before.back() == '\t'))
        before.remove_suffix(1);
    if (before.empty()) return true;
    if (std::string_view{":=(["}.find(before.back()) != std::string_view::npos) return true;
    if (before.size() < 3) return false;
    // The same in full width, as in Chinese notes: U+FF1A U+FF08 U+FF1D U+3010.
    const std::string_view last = before.substr(before.size() - 3);
    return last == "\xef\xbc\x9a" || last == "\xef\xbc\x88" || last == "\xef\xbc\x9d" ||
           last == "\xe3\x80\x90";
}

std::uint64_t unit_of(std::string_view word) {
    // "31m" is not a size but the end of an escape sequence, or metres.
    if (word == "m" || word == "k") return 0;
    const std::string name = upper(word);
    if (name == "B" || name == "BYTE" || name == "BYTES") return 1;
    if (name == "K" || name == "KB" || name == "KIB") return 1024;
    if (name == "M" || name == "MB" || name == "MIB") return 1024 * 1024;
    if (name == "WORD" || name == "WORDS") return 4;
    return 0;
}

class NoteReader {
 public:
    explicit NoteReader(std::string_view text) : text_(text) {}

    Note read() {
        Note note;
        while (at_ < text_.size() && note.numbers.size() + note.names.size() < kTokensMax) {
            if (is_digit(text_[at_]))
                number(note);
            else if (is_word_letter(text_[at_]))
                note.names.push_back(upper(word()));
            else
                ++at_;
        }
        return note;
    }

 private:
    std::string_view word() {
        const std::size_t from = at_;
        while (at_ < text_.size() && (is_word_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
        return text_.substr(from, at_ - from);
    }

    void number(Note& note) {
        const std::size_t from = at_;
        Number found;
        found.said_of_it = introduces(text_.substr(0, from));
        bool good = true;
        if (text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X") {
            at_ += 2;
            const std::size_t digits = at_;
            for (; at_ < text_.size() && is_hex(text_[at_]); ++at_)
                found.value = found.value << 4 | hex(text_[at_]);
            good = at_ - digits >= 1 && at_ - digits <= 16;
        } else {
            for (; at_ < text_.size() && is_digit(text_[at_]); ++at_)
                found.value = found.value * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
            good = at_ - from <= 19;
        }
        std::size_t end = at_;
        // "4096 bytes", "512B"; "6e" and "1st" are not numbers.
        std::size_t look = at_;
        if (look < text_.size() && text_[look] == ' ') ++look;
        if (look < text_.size() && is_word_letter(text_[look])) {
            const bool joined = look == at_;
            const std::size_t back = at_;
            at_ = look;
            found.unit = unit_of(word());
            if (found.unit != 0) {
                end = at_;
            } else if (joined) {
                good = false;
            } else {
                at_ = back;
            }
        }
        // A fraction or a version: not the value of a word.
        if (end < text_.size() && text_[end] == '.' && end + 1 < text_.size() &&
            is_digit(text_[end + 1])) {
            good = false;
            while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
        }
        found.text = text_.substr(from, end - from);
        if (good) note.numbers.push_back(found);
    }

    static std::uint64_t hex(char c) {
        return static_cast<std::uint64_t>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

// Common names of flavors, besides those in rpc.x.
struct FlavorName {
    std::string_view name;
    std::uint32_t flavor;
};
constexpr FlavorName kFlavors[] = {
    {"AUTH_NONE", 0},  {"AUTH_NULL", 0}, {"NULL_AUTH", 0}, {"NONE", 0},       {"NULL", 0},
    {"AUTH_SYS", 1},   {"AUTH_UNIX", 1}, {"UNIX_AUTH", 1}, {"UNIX", 1},       {"SYS", 1},
    {"AUTH_SHORT", 2}, {"AUTH_DH", 3},   {"AUTH_DES", 3},  {"RPCSEC_GSS", 6}, {"GSS", 6},
};

std::string_view flavor_name(std::uint64_t number) {
    for (const FlavorName& one : kFlavors)
        if (one.flavor == number) return one.name;
    return "an unknown flavor";
}

bool says(const Note& note, std::string_view name) {
    return std::find(note.names.begin(), note.names.end(), name) != note.names.end();
}

// A flavor name in the note with another value; empty if there is none, or if the right name occurs
// too.
std::string other_flavor(const Note& note, std::uint64_t number) {
    std::string other;
    for (const FlavorName& one : kFlavors) {
        if (!says(note, one.name)) continue;
        if (one.flavor == number) return {};
        other = one.name;
    }
    return other;
}

std::string other_enumerator(const Note& note, const idl::Type& type, std::uint64_t number) {
    std::string other;
    for (const idl::Enumerator& one : type.enumerators) {
        if (!says(note, upper(one.name))) continue;
        if (static_cast<std::uint32_t>(one.value) == number) return {};
        other = one.name;
    }
    return other;
}

std::string other_procedure(const Note& note, const Procedure& procedure) {
    std::string other;
    for (const idl::Procedure& one : procedure.version->procedures) {
        if (!says(note, upper(one.short_name)) && !says(note, upper(one.name))) continue;
        if (one.number == procedure.procedure->number) return {};
        other = one.short_name;
    }
    return other;
}

std::string other_name(const NotedWord& word, const Note& note) {
    if (word.type == nullptr ? says(note, "FLAVOR") : word.type->name == "auth_flavor")
        return other_flavor(note, word.number);
    if (word.type == nullptr) return {};
    if (word.type->kind == idl::Kind::enumeration)
        return other_enumerator(note, *word.type, word.number);
    if (word.sense == Sense::procedure && word.procedure != nullptr)
        return other_procedure(note, *word.procedure);
    return {};
}

bool counts_bytes(const NotedWord& word) { return word.length || word.sense == Sense::size; }

// A number in the note that refers to the word but differs from it.
std::string_view other_number(const NotedWord& word, const Note& note) {
    bool right = false;
    std::string_view other;
    std::string_view wrong_unit;
    for (const Number& one : note.numbers) {
        const std::uint64_t scaled = one.unit != 0 ? one.value * one.unit : one.value;
        if (one.value == word.number || scaled == word.number) {
            right = true;
        } else if (one.unit != 0) {
            // "8B" beside a hyper is its width.
            const bool width = scaled == word.size || scaled == 4 || scaled == 8;
            if (counts_bytes(word) && !width) wrong_unit = one.text;
        } else if (one.said_of_it && other.empty()) {
            other = one.text;
        }
    }
    if (!wrong_unit.empty()) return wrong_unit;
    return right ? std::string_view{} : other;
}

}  // namespace

std::string slip_in(const NotedWord& word, std::string_view text) {
    if (text.empty()) return {};
    const Note note = NoteReader{text}.read();
    const std::string_view number = other_number(word, note);
    const std::string name = other_name(word, note);
    if (number.empty() && name.empty()) return {};
    std::string out = "the note says ";
    if (!number.empty()) out += escaped(number);
    if (!number.empty() && !name.empty()) out += " and ";
    out += escaped(name);
    out += "; these bytes are ";
    out += word.value;
    if (word.type == nullptr && !name.empty())
        out += fmt::format(" ({})", flavor_name(word.number));
    if (!word.meaning.empty() && word.meaning.size() < 40)
        out += fmt::format(" ({})", word.meaning);
    return out;
}

}  // namespace helio::inspect
