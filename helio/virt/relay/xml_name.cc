#include "helio/virt/relay/xml_name_internal.h"

#include <algorithm>
#include <vector>

namespace helio::virt::relay {

namespace {

constexpr std::string_view kXmlBlank = " \t\r\n";

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == ':';
}

// Parses the text once. Functions that consume something return false if it is malformed.
class XmlWalk final {
 public:
    XmlWalk(std::string_view text, std::string_view root) : rest_(text), root_(root) {}

    std::optional<std::string> name() {
        const bool plain = std::none_of(rest_.begin(), rest_.end(), [](char c) {
            return static_cast<unsigned char>(c) < 0x20 &&
                   kXmlBlank.find(c) == std::string_view::npos;
        });
        if (!plain || !take_declaration()) return std::nullopt;
        while (!rest_.empty())
            if (!take_next()) return std::nullopt;
        if (!open_.empty() || !root_seen_) return std::nullopt;
        return name_;
    }

 private:
    bool starts(std::string_view with) const { return rest_.starts_with(with); }
    void skip_blank() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(kXmlBlank), rest_.size()));
    }
    // Consumes up to and including `end`; returns the text before it.
    std::optional<std::string_view> up_to(std::string_view end) {
        const std::size_t at = rest_.find(end);
        if (at == std::string_view::npos) return std::nullopt;
        const std::string_view before = rest_.substr(0, at);
        rest_.remove_prefix(at + end.size());
        return before;
    }

    // In an encoding other than UTF-8 the same bytes may be different text.
    bool take_declaration() {
        if (!starts("<?xml ")) return true;
        const auto words = up_to("?>");
        if (!words) return false;
        return words->find("encoding") == std::string_view::npos ||
               words->find("encoding=\"UTF-8\"") != std::string_view::npos ||
               words->find("encoding='UTF-8'") != std::string_view::npos ||
               words->find("encoding=\"utf-8\"") != std::string_view::npos ||
               words->find("encoding='utf-8'") != std::string_view::npos;
    }

    bool take_next() {
        if (starts("<!--")) {
            rest_.remove_prefix(4);
            const auto inside = up_to("--");
            if (!inside || !starts(">") || in_name_) return false;
            rest_.remove_prefix(1);
            return true;
        }
        if (starts("<![CDATA[") && !open_.empty() && !in_name_) return up_to("]]>").has_value();
        if (starts("<!") || starts("<?")) return false;
        if (starts("</")) return take_end();
        if (starts("<")) return take_begin();
        return take_text();
    }

    bool take_text() {
        const std::string_view text = rest_.substr(0, std::min(rest_.find('<'), rest_.size()));
        rest_.remove_prefix(text.size());
        if (open_.empty()) return text.find_first_not_of(kXmlBlank) == std::string_view::npos;
        if (!in_name_) return true;
        if (text.find_first_of("&\t\r\n") != std::string_view::npos) return false;
        name_ = text;
        return true;
    }

    std::optional<std::string_view> take_word() {
        const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_name_character);
        const auto size = static_cast<std::size_t>(end - rest_.begin());
        if (size == 0) return std::nullopt;
        const std::string_view word = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return word;
    }

    bool take_begin() {
        rest_.remove_prefix(1);
        const auto word = take_word();
        if (!word || in_name_) return false;
        if (open_.empty() && (root_seen_ || *word != root_)) return false;
        if (!take_attributes()) return false;
        root_seen_ = true;
        const bool is_name = open_.size() == 1 && *word == "name";
        if (is_name && name_) return false;  // a second one
        if (is_name) name_ = "";
        if (starts("/>")) {
            rest_.remove_prefix(2);
            return true;
        }
        if (!starts(">")) return false;
        rest_.remove_prefix(1);
        open_.push_back(*word);
        in_name_ = is_name;
        return true;
    }

    bool take_attributes() {
        while (true) {
            const std::size_t before = rest_.size();
            skip_blank();
            if (starts(">") || starts("/>")) return true;
            if (rest_.size() == before || !take_word()) return false;
            skip_blank();
            if (!starts("=")) return false;
            rest_.remove_prefix(1);
            skip_blank();
            if (!starts("\"") && !starts("'")) return false;
            const std::string_view quote = rest_.substr(0, 1);
            rest_.remove_prefix(1);
            const auto value = up_to(quote);
            if (!value || value->find('<') != std::string_view::npos) return false;
        }
    }

    bool take_end() {
        rest_.remove_prefix(2);
        const auto word = take_word();
        skip_blank();
        if (!word || !starts(">") || open_.empty() || open_.back() != *word) return false;
        rest_.remove_prefix(1);
        open_.pop_back();
        in_name_ = false;
        return true;
    }

    std::string_view rest_;
    const std::string_view root_;
    std::vector<std::string_view> open_;  // open elements, the root first
    bool root_seen_ = false;
    bool in_name_ = false;
    std::optional<std::string> name_;
};

}  // namespace

std::optional<std::string> name_in_xml(std::string_view xml, std::string_view root) {
    return XmlWalk{xml, root}.name();
}

}  // namespace helio::virt::relay
