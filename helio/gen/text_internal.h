// Text: source code that is being written, line by line, with its indentation.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace helio::gen {

class Text final {
 public:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        put(fmt::format(format, std::forward<Args>(args)...));
    }
    void blank() {
        if (!text_.empty() && !text_.ends_with("\n\n")) text_ += '\n';
    }
    void put(std::string_view one_line) {
        if (!one_line.empty()) text_.append(depth_ * 4, ' ');
        text_ += one_line;
        text_ += '\n';
    }
    // A documentation comment, one `//` line for each line of `doc`, wrapped. The text is the
    // schema author's: anything that could end the comment or the line is made harmless.
    void comment(std::string_view doc);

    void indent() { ++depth_; }
    void outdent() { --depth_; }

    std::string take() { return std::move(text_); }

 private:
    std::string text_;
    std::size_t depth_ = 0;
};

// `{` … `}` of one nesting level.
class Indented final {
 public:
    explicit Indented(Text& text) : text_(text) { text_.indent(); }
    ~Indented() { text_.outdent(); }
    Indented(const Indented&) = delete;
    Indented& operator=(const Indented&) = delete;

 private:
    Text& text_;
};

}  // namespace helio::gen
