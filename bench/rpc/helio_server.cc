// Our server in the benchmark: one thread, NULL as a plain procedure or as one that waits for the
// loop's next turn.
//   rpc_bench_server [--procedure plain|suspending]
#include <cstdio>
#include <cstring>

#include "bench/rpc/null_service.h"
#include "helio/rpc/server/server.h"
#include "helio/transport/server/server.h"

namespace {

using bench::null::NULL_V1;
namespace xdr = helio::xdr;

class Plain final : public NULL_V1::Service {
    void NULL_PROC(xdr::CallContext&) override {}
};

class Suspending final : public NULL_V1::Service {
    helio::Task<void> NULL_PROC_async(xdr::CallContext&) override {
        co_await helio::transport::EventLoop::current()->next_turn();
    }
};

}  // namespace

int main(int count, char** words) {
    const bool suspending = count == 3 && std::strcmp(words[1], "--procedure") == 0 &&
                            std::strcmp(words[2], "suspending") == 0;
    helio::transport::Server::block_signals();
    Plain plain;
    Suspending waits;
    helio::rpc::Server programs;
    if (suspending)
        programs.add(waits);
    else
        programs.add(plain);
    helio::transport::Server server{programs, {.threads = 1}};
    const auto where = server.listen_tcp("127.0.0.1", 0);
    server.start();
    std::printf("listening tcp %u\n", where.front().port());
    std::fflush(stdout);
    server.wait_for_signal();
}
