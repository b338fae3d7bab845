// IdleLink: a device that completes everything at once. It moves no bytes except those that `watch`
// moves; messages arrive when the test delivers them. It has no threads. For fuzz targets, and for
// measuring the transport's own cost.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "helio/base/assert.h"
#include "helio/frame/rdma_message.h"
#include "helio/transport/rdma/fabric.h"

namespace helio::transport::rdma {

class IdleLink final : public Link {
 public:
    explicit IdleLink(const LinkLimits& limits) : limits_(limits) {
        frame::write_rdma_private_data(
            {.remote_invalidation = true, .send_size = 4096, .receive_size = 4096}, private_data_);
    }

    void attach(EventLoop&, Owner& owner) override { owner_ = &owner; }
    void establish(ByteView) override {}
    const std::shared_ptr<MemoryPool>& memory() const override { return memory_; }
    const LinkLimits& limits() const override { return limits_; }
    ByteView private_data() const override { return private_data_; }
    Endpoint local() const override { return {}; }
    Endpoint remote() const override { return {}; }
    bool post_receive(std::uint64_t id, const Piece& into) override {
        receives_.push_back({id, into});
        return true;
    }
    bool post(std::span<const Work> works) override {
        for (const Work& work : works) {
            if (work.verb == Verb::send) ++sends;
            if (watch) watch(work);
            if (work.signaled) done_.push_back({.id = work.id, .verb = work.verb});
        }
        return true;
    }

    // A message arrives, and everything that follows from it happens.
    void deliver(ByteView message) {
        HELIO_ASSERT(!receives_.empty());
        const Posted posted = receives_.back();
        receives_.pop_back();
        HELIO_ASSERT(message.size() <= posted.into.size);
        std::memcpy(posted.into.at, message.data(), message.size());
        done_.push_back({.id = posted.id,
                         .verb = Verb::receive,
                         .bytes = static_cast<std::uint32_t>(message.size())});
        while (!done_.empty()) {
            std::swap(done_, telling_);
            owner_->on_completions(telling_);
            telling_.clear();
        }
    }

    std::function<void(const Work&)> watch;
    std::uint64_t sends = 0;

 private:
    class AnyMemory final : public Registrar {
        std::unique_ptr<Region> add(std::span<std::byte>, Purpose) override {
            return std::make_unique<Region>();
        }
    };
    struct Posted {
        std::uint64_t id;
        Piece into;
    };

    Owner* owner_ = nullptr;
    std::shared_ptr<MemoryPool> memory_ = MemoryPool::make(std::make_unique<AnyMemory>());
    LinkLimits limits_;
    std::array<std::byte, frame::kRdmaPrivateDataSize> private_data_{};
    std::vector<Posted> receives_;
    std::vector<Completion> done_, telling_;
};

}  // namespace helio::transport::rdma
