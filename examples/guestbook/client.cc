// guestbook_client HOST:PORT NAME TEXT: signs the book, then reads it, both ways there are.
#include <cstdio>
#include <exception>

#include "guestbook_service.h"
#include "helio/transport/client/client.h"

using namespace example::guestbook;
using namespace helio;

// Blocking: one call after the other. Results are views until the next call.
bool sign(transport::Client& client, const entry& mine) {
    const auto count = GUESTBOOK_V1::Client{client}.SIGN(mine);
    if (!count) {
        std::fprintf(stderr, "could not sign: %s\n", rpc::to_text(count.error()).c_str());
        return false;
    }
    std::printf("entry number %u\n", *count);
    return true;
}

// Awaited: both calls are on their way before the first answer is there. A reply owns its bytes.
Task<bool> read(transport::ClientConnection& connection) {
    GUESTBOOK_V1::AsyncClient book{connection};
    auto waiting = book.WAIT(0);
    auto reading = book.READ(0);
    const auto count = co_await waiting;
    const auto entries = co_await reading;
    if (!count || !entries) co_return false;
    for (const entry& one : **entries)
        std::printf("%.*s: %.*s\n", static_cast<int>(one.name.size()), one.name.data(),
                    static_cast<int>(one.text.size()), one.text.data());
    co_return true;
}

int main(int count, char** words) try {
    if (count != 4) {
        std::fprintf(stderr, "usage: %s HOST:PORT NAME TEXT\n", words[0]);
        return 2;
    }
    auto client = transport::Client::connect(words[1]);
    if (!sign(client, {words[2], words[3]})) return 1;
    return transport::run_until_done(client.loop(), read(client.connection())) ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
