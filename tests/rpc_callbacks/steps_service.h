// The services of steps.x, for tests: a server whose procedure waits in the middle, calls its
// client back and calls another server; and the client's own service.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "helio/rpc/back_channel.h"
#include "helio/rpc/server/server.h"
#include "helio/transport/client/client_pool.h"
#include "helio/transport/loop/offload.h"
#include "helio/transport/server/server.h"
#include "rpc_callbacks/steps_service.h"

namespace rpc_callbacks {

using namespace helio;
using namespace steps;

class StepsService final : public STEPS_V1::Service {
 public:
    explicit StepsService(transport::Pool& pool) : pool_(pool) {}

    std::chrono::milliseconds callback_timeout{20'000};
    // Address of the other server, if not the port that a step names.
    std::optional<transport::Endpoint> other;
    std::atomic<int> batches = 0;
    std::atomic<int> steps_done = 0;
    std::atomic<int> ticks = 0;
    // The channel of the last client that was called back.
    std::shared_ptr<rpc::BackChannel> last_channel() {
        const std::lock_guard lock{mutex_};
        return channel_;
    }
    void forget_channel() {
        const std::lock_guard lock{mutex_};
        channel_ = nullptr;
    }

    void NULL_(xdr::CallContext&) override {}
    std::int32_t TICKS(xdr::CallContext&) override { return ticks; }
    outcome RUN(xdr::CallContext& call, const batch& args) override {
        ++batches;
        return call.run(run(rpc::call_of(call), args));
    }

 private:
    Task<outcome> run(rpc::Call& call, batch args) {
        auto* const sums = call.arena().make<std::int32_t>(STEPS_MAX);
        std::size_t done = 0;
        std::int32_t sum = args.start;
        bool good = true;
        for (const step& one : args.steps) {
            good = co_await take(call, one, sum);
            if (!good) break;
            sums[done++] = sum;
            ++steps_done;
        }
        co_return outcome{std::span<const std::int32_t>{sums, done}, !good};
    }

    // One step; false when it failed.
    Task<bool> take(rpc::Call& call, const step& one, std::int32_t& sum) {
        switch (one.kind()) {
            case STEP_ADD:
                sum += one.number();
                co_return true;
            case STEP_SLEEP:
                co_await transport::EventLoop::current()->sleep(
                    std::chrono::milliseconds(one.number()));
                co_return true;
            case STEP_BLOCK: {
                const auto add = [&] { sum += one.number(); };
                co_await transport::offload(pool_, add);
                co_return true;
            }
            case STEP_CALL_BACK:
                co_return co_await call_back(call, one.number(), sum);
            case STEP_CALL_OUT:
                co_return co_await call_out(one.port(), sum);
            case STEP_FAIL:
                break;
        }
        co_return false;
    }

    Task<bool> call_back(rpc::Call& call, std::int32_t number, std::int32_t& sum) {
        const std::shared_ptr<rpc::BackChannel> channel = call.back_channel();
        if (!channel) co_return false;
        channel->set_call_timeout(callback_timeout);
        {
            const std::lock_guard lock{mutex_};
            channel_ = channel;
        }
        HELPER_V1::AsyncClient client{*channel};
        const auto doubled = co_await client.DOUBLE(number);
        if (!doubled) co_return false;
        sum += **doubled;
        co_return true;
    }

    Task<bool> call_out(std::uint32_t port, std::int32_t& sum) {
        const auto server = transport::ClientPool::here().to(
            other ? *other
                  : transport::resolve("127.0.0.1", static_cast<std::uint16_t>(port))->front());
        STEPS_V1::AsyncClient client{*server};
        const step add = step::of_number(STEP_ADD, 1);
        const auto reply = co_await client.RUN({sum, std::span{&add, 1}});
        if (!reply || (*reply)->sums.size() != 1) co_return false;
        sum = (*reply)->sums[0];
        co_return true;
    }

    transport::Pool& pool_;
    std::mutex mutex_;
    std::shared_ptr<rpc::BackChannel> channel_;
};

class HelperService final : public HELPER_V1::Service {
 public:
    std::atomic<int> doubled = 0;

    void NULL_(xdr::CallContext&) override {}
    std::int32_t DOUBLE(xdr::CallContext&, const std::int32_t& number) override {
        ++doubled;
        return 2 * number;
    }
    std::int32_t SLOWLY(xdr::CallContext& call, const std::int32_t& number) override {
        return call.run(slowly(number));
    }

 private:
    Task<std::int32_t> slowly(std::int32_t number) {
        co_await transport::EventLoop::current()->sleep(std::chrono::milliseconds(5));
        ++doubled;
        co_return 2 * number;
    }
};

// A server of STEPS on a port of this machine.
struct StepsServer {
    transport::Pool pool{2};
    StepsService service{pool};
    rpc::Server programs;
    transport::Server server{with_service(), {.threads = 2}};
    std::uint16_t port = 0;

    StepsServer() {
        port = server.listen("127.0.0.1", 0);
        server.start();
    }
    rpc::Server& with_service() {
        programs.add(service);
        return programs;
    }
};

// A client that serves HELPER over its connection.
struct HelpfulClient {
    HelperService helper;
    rpc::Server programs;
    transport::EventLoop loop;
    std::unique_ptr<transport::ClientConnection> connection;

    explicit HelpfulClient(std::uint16_t port, bool serves = true) {
        programs.add(helper);
        transport::ClientOptions options;
        if (serves) options.callbacks = &programs;
        connection = std::make_unique<transport::ClientConnection>(
            loop, *transport::resolve("127.0.0.1", port), options);
    }
};

}  // namespace rpc_callbacks
