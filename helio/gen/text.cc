#include "helio/gen/text_internal.h"

namespace helio::gen {

namespace {
constexpr std::size_t kColumns = 100;
}

void Text::comment(std::string_view doc) {
    const std::size_t width = kColumns - 3 - depth_ * 4;
    while (!doc.empty()) {
        const std::size_t line_end = doc.find('\n');
        std::string_view rest = doc.substr(0, line_end);
        doc = line_end == std::string_view::npos ? std::string_view{} : doc.substr(line_end + 1);
        do {
            std::size_t cut = rest.size();
            if (cut > width) {
                const std::size_t space = rest.rfind(' ', width);
                cut = space == std::string_view::npos || space == 0 ? width : space;
            }
            std::string one;
            for (const char c : rest.substr(0, cut))
                one += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
            while (!one.empty() && (one.back() == ' ' || one.back() == '\\'))
                one.pop_back();  // no line splice
            put(one.empty() ? "//" : "// " + one);
            rest.remove_prefix(cut);
            while (rest.starts_with(' ')) rest.remove_prefix(1);
        } while (!rest.empty());
    }
}

}  // namespace helio::gen
