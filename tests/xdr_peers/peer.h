// The process rpcgen_peer as a function: rpcgen's code and libtirpc decode our bytes and encode
// them again. One request, one answer; rpcgen_peer.c describes the format.
#pragma once

#include <sys/types.h>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"

namespace xdr_peers {

using Bytes = std::vector<std::byte>;

std::string to_hex(helio::ByteView bytes);  // "-" for none
Bytes from_hex(std::string_view hex);

struct Native {
    std::string name;
    std::string type;
};

class Peer final {
 public:
    // Throws std::system_error when the process cannot be started.
    explicit Peer(const std::string& program);
    ~Peer();
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    std::vector<std::string> types();
    std::vector<Native> natives();

    // "ok HEX", "left N" or "refused". A peer that died answers "gone".
    std::string echo(std::string_view type, helio::ByteView bytes);
    // The encoding of a value filled in C. Throws std::runtime_error on failure.
    Bytes native(std::string_view name);

 private:
    std::string ask(std::string_view question);
    std::vector<std::string> ask_words(std::string_view question);

    pid_t process_ = -1;
    std::FILE* to_ = nullptr;
    std::FILE* from_ = nullptr;
};

}  // namespace xdr_peers
