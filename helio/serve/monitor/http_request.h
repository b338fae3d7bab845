// The head of an HTTP/1.x request (RFC 9112), as much as a metrics page needs: method and path. No
// I/O.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helio::serve {

// Requests of Prometheus, curl and browsers are under 1 KiB.
inline constexpr std::size_t kHttpRequestMax = 8u << 10;

struct HttpRequest {
    enum class Verdict : unsigned char {
        incomplete,  // more is to come
        complete,    //
        too_long,    // over kHttpRequestMax
        wrong        // not a request that we understand
    };
    Verdict verdict = Verdict::incomplete;
    std::string_view method;  // "GET"
    std::string_view path;    // "/metrics", without the query
};
// A view into `bytes`, which begins where the request does.
HttpRequest read_http_request(std::string_view bytes);

struct HttpAnswer {
    int status = 200;
    std::string_view type = "text/plain; charset=utf-8";
    std::string body;
};
// The complete response; for HEAD without the body. The connection closes after it.
std::string to_http(const HttpAnswer& answer, bool head_only);

}  // namespace helio::serve
