// FaultyNetwork: the kernel's Network with faults. Before each call the test decides whether it
// fails, and with what, or how much it may move. Decisions come from a script or from a seed.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "helio/transport/socket/network.h"

namespace helio::transport {

class FaultyNetwork final : public Network {
 public:
    enum class Call : std::uint8_t { receive, send, accept, connect };
    struct Fate {
        int error_number = 0;            // 0: no fault is injected
        std::size_t at_most = SIZE_MAX;  // bytes, or datagrams
    };
    using Decide = std::function<Fate(Call)>;
    using MakePoller = std::function<std::unique_ptr<Poller>()>;

    // Without `make_poller`, loops wait with the kernel's poller.
    explicit FaultyNetwork(Decide decide, MakePoller make_poller = {})
        : decide_(std::move(decide)), make_poller_(std::move(make_poller)) {}

    // The number of calls of any kind.
    std::size_t calls() const { return calls_; }

    std::unique_ptr<Poller> make_poller() override {
        return make_poller_ ? make_poller_() : kernel().make_poller();
    }
    ssize_t recv(int socket, void* to, std::size_t room, int flags) override {
        const Fate fate = next(Call::receive);
        if (failed(fate)) return -1;
        return kernel().recv(socket, to, std::min(room, fate.at_most), flags);
    }
    ssize_t recvmsg(int socket, msghdr* message, int flags) override {
        const Fate fate = next(Call::receive);
        if (failed(fate)) return -1;
        Pieces pieces{*message, fate.at_most};
        const ssize_t got = kernel().recvmsg(socket, &pieces.message, flags);
        message->msg_controllen = pieces.message.msg_controllen;
        message->msg_namelen = pieces.message.msg_namelen;
        message->msg_flags = pieces.message.msg_flags;
        return got;
    }
    int recvmmsg(int socket, mmsghdr* messages, unsigned count, int flags) override {
        const Fate fate = next(Call::receive);
        if (failed(fate)) return -1;
        return kernel().recvmmsg(socket, messages, limited(count, fate), flags);
    }
    ssize_t send(int socket, const void* from, std::size_t size, int flags) override {
        const Fate fate = next(Call::send);
        if (failed(fate)) return -1;
        return kernel().send(socket, from, std::min(size, fate.at_most), flags);
    }
    ssize_t sendmsg(int socket, const msghdr* message, int flags) override {
        const Fate fate = next(Call::send);
        if (failed(fate)) return -1;
        const Pieces pieces{*message, fate.at_most};
        return kernel().sendmsg(socket, &pieces.message, flags);
    }
    int sendmmsg(int socket, mmsghdr* messages, unsigned count, int flags) override {
        const Fate fate = next(Call::send);
        if (failed(fate)) return -1;
        return kernel().sendmmsg(socket, messages, limited(count, fate), flags);
    }
    ssize_t sendfile(int socket, int file, off_t* offset, std::size_t size) override {
        const Fate fate = next(Call::send);
        if (failed(fate)) return -1;
        return kernel().sendfile(socket, file, offset, std::min(size, fate.at_most));
    }
    int accept4(int socket, sockaddr* address, socklen_t* size, int flags) override {
        if (failed(next(Call::accept))) return -1;
        return kernel().accept4(socket, address, size, flags);
    }
    int connect(int socket, const sockaddr* address, socklen_t size) override {
        if (failed(next(Call::connect))) return -1;
        return kernel().connect(socket, address, size);
    }

 private:
    // A message limited to this many bytes.
    struct Pieces {
        Pieces(const msghdr& whole, std::size_t at_most)
            : message(whole), pieces(whole.msg_iov, whole.msg_iov + whole.msg_iovlen) {
            for (iovec& one : pieces) {
                one.iov_len = std::min(one.iov_len, at_most);
                at_most -= one.iov_len;
            }
            while (pieces.size() > 1 && pieces.back().iov_len == 0) pieces.pop_back();
            message.msg_iov = pieces.data();
            message.msg_iovlen = pieces.size();
        }
        Pieces(const Pieces&) = delete;
        Pieces& operator=(const Pieces&) = delete;
        msghdr message;
        std::vector<iovec> pieces;
    };

    Fate next(Call call) {
        const std::lock_guard lock{mutex_};
        ++calls_;
        return decide_(call);
    }
    static bool failed(const Fate& fate) {
        if (fate.error_number != 0) errno = fate.error_number;
        return fate.error_number != 0;
    }
    static unsigned limited(unsigned count, const Fate& fate) {
        return static_cast<unsigned>(std::min<std::size_t>(count, fate.at_most));
    }

    std::mutex mutex_;
    Decide decide_;
    MakePoller make_poller_;
    std::size_t calls_ = 0;
};

// Every call moves at most this much.
inline FaultyNetwork::Decide move_at_most(std::size_t bytes) {
    return [bytes](FaultyNetwork::Call) { return FaultyNetwork::Fate{0, bytes}; };
}

// The nth call of this kind, from 0, fails; all others move at most `bytes`.
inline FaultyNetwork::Decide fail_nth(FaultyNetwork::Call kind, std::size_t nth, int error_number,
                                      std::size_t at_most = SIZE_MAX) {
    return [=, count = std::size_t{0}](FaultyNetwork::Call call) mutable {
        const bool fails = call == kind && count++ == nth;
        return FaultyNetwork::Fate{fails ? error_number : 0, at_most};
    };
}

// Random short, interrupted and blocked calls. None of these loses a connection. One in
// `lose_one_in` calls does; 0: none.
inline FaultyNetwork::Decide random_faults(std::uint64_t seed, unsigned lose_one_in = 0) {
    return [random = std::mt19937_64{seed}, lose_one_in](FaultyNetwork::Call call) mutable {
        using Call = FaultyNetwork::Call;
        FaultyNetwork::Fate out;
        const std::uint64_t dice = random();
        if (lose_one_in != 0 && random() % lose_one_in == 0) {
            out.error_number = call == Call::connect  ? ECONNREFUSED
                               : call == Call::accept ? ECONNABORTED
                                                      : ECONNRESET;
        } else if (call == Call::accept) {
            out.error_number = dice % 8 == 0 ? EMFILE : dice % 8 == 1 ? EINTR : 0;
        } else if (call != Call::connect) {
            const bool sends = call == Call::send;
            if (dice % 8 == 0) out.error_number = EAGAIN;
            if (dice % 8 == 1) out.error_number = EINTR;
            if (dice % 8 == 2 && sends) out.error_number = ENOBUFS;
            if (dice % 8 >= 5) out.at_most = 1 + (dice >> 8) % (dice % 8 == 5 ? 16 : 4096);
        }
        return out;
    };
}

}  // namespace helio::transport
