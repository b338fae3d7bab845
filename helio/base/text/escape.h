// Escaping of text from peers, schemas and files before it is shown. Escaped text cannot move the
// cursor, change colors, or reorder or end a line.
//
//     printable     for messages: hidden characters become \n, \t, \x1b, \u202e, and bytes that are
//                   not UTF-8 become \xff. Everything else stays.
//     escaped       the same, and also \" and \\: unambiguous between quotes.
//     html_escaped  for HTML and XML, in text and in attributes with either kind of quote. Control
//                   characters, which neither can express, are dropped.
#pragma once

#include <string>
#include <string_view>

namespace helio {

std::string printable(std::string_view text);
void append_printable(std::string& out, std::string_view text);

std::string escaped(std::string_view text);
void append_escaped(std::string& out, std::string_view text);

std::string html_escaped(std::string_view text);
void append_html(std::string& out, std::string_view text);

}  // namespace helio
