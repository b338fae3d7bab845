// HtmlPage: a self-contained page, light or dark as the reader prefers, with folding sections, a
// table of contents and a search. Its content security policy permits only the page's own search
// script; without scripts everything is still shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helio::inspect {

class HtmlPage final {
 public:
    // `title` is any text; so are headings and lines.
    explicit HtmlPage(std::string_view title);

    // A section; its heading is a link in the contents. HTML goes to body() until end_section().
    void begin_section(std::string_view heading);
    void end_section();
    std::string& body() { return body_; }
    // Lines as for a terminal, with the colours that our own text views use.
    void add_lines(std::string_view lines);

    // The whole page; nothing may be added afterwards.
    std::string finish();

 private:
    std::string title_;
    std::string contents_;
    std::string body_;
    std::size_t sections_ = 0;
};

}  // namespace helio::inspect
