// A hostile server: any bytes into a client that has calls in flight and serves callbacks.
//
// The input is a list of pieces: action, size, and bytes. Some are sent unchanged; others become
// the results of a call in flight, or the arguments of a callback.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "helio/base/fd.h"
#include "helio/frame/record_mark.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "testing/xdr/bytes.h"
#include "tests/rpc_callbacks/steps_service.h"

namespace {

using namespace helio;
using namespace rpc_callbacks;
using xdr::Bytes;

Task<void> run_batch(transport::ClientConnection& connection) {
    STEPS_V1::AsyncClient client{connection};
    const step one = step::of_number(STEP_ADD, 1);
    const auto reply = co_await client.RUN({1, std::span{&one, 1}});
    if (reply)
        for (const std::int32_t sum : (*reply)->sums) static_cast<void>(sum);
}

void say(int server, ByteView message) {
    Bytes out = xdr::word(0x80000000u | static_cast<std::uint32_t>(message.size()));
    xdr::append(out, message);
    static_cast<void>(::send(server, out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

// An accepted reply without a verifier; `status` may be none of RFC 5531's.
Bytes reply_to(std::uint32_t xid, std::uint32_t status, ByteView results) {
    Bytes out;
    for (const std::uint32_t one : {xid, 1u, 0u, 0u, 0u, status}) xdr::append(out, xdr::word(one));
    xdr::append(out, results);
    return out;
}

Bytes callback(std::uint8_t what, ByteView arguments) {
    xdr::Arena arena;
    xdr::Writer out{arena};
    rpc::put_call(out, what >> 4, HELPER_V1::program, HELPER_V1::version, what & 3,
                  rpc::ClientCredential::none());
    Bytes bytes = out.joined();
    xdr::append(bytes, arguments);
    return bytes;
}

// The first xid of the client is random; it is in the first record that it sends.
std::uint32_t first_xid_of(int server) {
    std::byte head[8]{};
    return ::recv(server, head, sizeof head, MSG_PEEK | MSG_DONTWAIT) == sizeof head
               ? xdr::load_u32(head + 4)
               : 0;
}

void take_part(int server, std::uint32_t first_xid, std::uint8_t action, std::uint8_t what,
               ByteView bytes) {
    switch (action % 4) {
        case 0:
            static_cast<void>(
                ::send(server, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
            break;
        case 1:
            say(server, bytes);
            break;
        case 2:
            say(server, reply_to(first_xid + what % 4, what >> 4 == 15 ? what : 0, bytes));
            break;
        case 3:
            say(server, callback(what, bytes));
            break;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return 0;
    const Fd server{ends[0]};
    HelperService helper;
    rpc::Server programs;
    programs.add(helper);
    transport::EventLoop loop;
    transport::ClientOptions options;
    options.callbacks = &programs;
    transport::ClientConnection connection{loop, Fd{ends[1]}, options};
    std::vector<Task<void>> batches;
    for (int i = 0; i < 3; ++i) {
        batches.push_back(run_batch(connection));
        batches.back().start([](void*) {}, nullptr);
    }
    loop.turn(std::chrono::milliseconds(0));
    const std::uint32_t first_xid = first_xid_of(server.get());
    while (size >= 3) {
        const std::size_t length = std::min<std::size_t>(data[2], size - 3);
        take_part(server.get(), first_xid, data[0], data[1],
                  {reinterpret_cast<const std::byte*>(data) + 3, length});
        loop.turn(std::chrono::milliseconds(0));
        data += 3 + length;
        size -= 3 + length;
    }
    loop.turn(std::chrono::milliseconds(0));
    return 0;
}
