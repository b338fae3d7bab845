#include "helio/serve/monitor/http_request.h"

#include <algorithm>

#include <fmt/format.h>

namespace helio::serve {
namespace {

std::string_view reason_of(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 400:
            return "Bad Request";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 431:
            return "Request Header Fields Too Large";
        case 503:
            return "Service Unavailable";
        default:
            return "Error";
    }
}

bool is_token(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

HttpRequest read_http_request(std::string_view bytes) {
    using Verdict = HttpRequest::Verdict;
    HttpRequest request;
    const std::size_t end = std::min(bytes.find("\r\n\r\n"), bytes.find("\n\n"));
    if (end == bytes.npos || end > kHttpRequestMax) {
        if (bytes.size() > kHttpRequestMax) request.verdict = Verdict::too_long;
        return request;
    }
    std::string_view line = bytes.substr(0, bytes.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    request.verdict = Verdict::wrong;
    if (first == line.npos || first == last || !line.substr(last + 1).starts_with("HTTP/1."))
        return request;
    request.method = line.substr(0, first);
    request.path = line.substr(first + 1, last - first - 1);
    request.path = request.path.substr(0, request.path.find('?'));
    const bool plain = std::all_of(request.path.begin(), request.path.end(),
                                   [](char c) { return c > ' ' && c <= '~'; });
    if (is_token(request.method) && request.path.starts_with('/') && plain)
        request.verdict = Verdict::complete;
    return request;
}

std::string to_http(const HttpAnswer& answer, bool head_only) {
    std::string text = fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        answer.status, reason_of(answer.status), answer.type, answer.body.size());
    if (!head_only) text += answer.body;
    return text;
}

}  // namespace helio::serve
