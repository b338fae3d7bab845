#include "tests/simulation/client.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "helio/transport/server/server.h"
#include "helio/xdr/wire.h"

namespace helio::simulation {

using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t kLastFragment = 0x80000000;

void append_word(Bytes& to, std::uint32_t word) {
    to.resize(to.size() + 4);
    xdr::store_u32(to.data() + to.size() - 4, word);
}

}  // namespace

Client::Client(unsigned number, const Plan& plan, Dice& dice, Trace& trace, std::uint32_t first_xid,
               Connect connect)
    : number_(number),
      plan_(plan),
      dice_(dice.split()),
      trace_(trace),
      connect_(std::move(connect)),
      next_xid_(first_xid) {}

void Client::fail(const std::string& what) const {
    throw Failure(fmt::format("client {}: {}", number_, what));
}

bool Client::is_done() const {
    return std::all_of(callers_.begin(), callers_.end(),
                       [](const Slot& one) { return !one.waits && one.caller->is_done(); });
}

bool Client::act() {
    if (maybe_cut()) return true;
    bool did = begin_calls();
    did |= send_again();
    did |= reconnect();
    did |= send_some();
    did |= receive_some();
    return did;
}

std::optional<Clock::time_point> Client::next_time() const {
    std::optional<Clock::time_point> next;
    const auto consider = [&](Clock::time_point time) {
        if (!next || time < *next) next = time;
    };
    for (const Slot& one : callers_)
        if (!one.waits && !one.caller->is_done()) consider(one.next);
    for (const auto& [xid, call] : calls_) consider(call.due);
    if (!socket_ && !calls_.empty()) consider(reconnect_at_);
    if (socket_ && deaf_until_ > Clock::now()) consider(deaf_until_);
    return next;
}

// ---- Calls ----

bool Client::begin_calls() {
    bool did = false;
    for (Slot& one : callers_) {
        if (one.waits || one.caller->is_done() || one.next > Clock::now()) continue;
        const std::uint32_t xid = next_xid_++;
        exchange_.compose(xid);
        one.caller->compose(exchange_);
        Call& call = calls_[xid];
        call = {&one, exchange_.message(), exchange_.is_remembered(), 0, {}};
        one.waits = did = true;
        trace_.add("client", number_, "calls", xid, call.message.size());
        call.due = Clock::now() + plan_.timeout;
        if (socket_) queue(xid, call);
    }
    return did;
}

// As one record, in one or more fragments.
void Client::queue(std::uint32_t xid, Call& call) {
    ++call.copies;
    call.due = Clock::now() + plan_.timeout + std::chrono::milliseconds(dice_.below(1000));
    trace_.add("client", number_, "queues", xid, "copy", call.copies);
    ByteView rest{call.message};
    while (!rest.empty()) {
        const bool is_split = rest.size() > 1 && dice_.one_in(4);
        const std::size_t size = is_split ? dice_.between(1, rest.size() - 1) : rest.size();
        append_word(unsent_, static_cast<std::uint32_t>(size) | (is_split ? 0 : kLastFragment));
        unsent_.insert(unsent_.end(), rest.begin(),
                       rest.begin() + static_cast<std::ptrdiff_t>(size));
        rest = rest.subspan(size);
    }
}

bool Client::send_again() {
    bool did = false;
    for (auto& [xid, call] : calls_) {
        if (call.due > Clock::now()) continue;
        did = true;
        call.due = Clock::now() + plan_.timeout;
        if (!socket_) continue;  // it comes with the new connection
        if (is_half_closed_ || dice_.one_in(2)) {
            lose("times out");
            break;
        }
        queue(xid, call);
    }
    return did;
}

// ---- The connection ----

bool Client::reconnect() {
    if (socket_ || calls_.empty() || Clock::now() < reconnect_at_) return false;
    socket_ = connect_();
    trace_.add("client", number_, "connects", static_cast<bool>(socket_));
    reconnect_at_ = Clock::now() + 10ms;
    is_half_closed_ = has_heard_ = false;
    deaf_until_ = {};
    if (!socket_) return true;
    for (auto& [xid, call] : calls_) queue(xid, call);
    return true;
}

void Client::lose(const char* why) {
    if (!socket_) return;
    trace_.add("client", number_, why, unsent_.size(), received_.size());
    socket_.reset();
    unsent_.clear();
    received_.clear();
    fragments_.clear();
    constexpr std::chrono::milliseconds kPauses[] = {0ms, 1ms, 500ms, 3000ms};
    reconnect_at_ = Clock::now() + dice_.pick(kPauses);
}

bool Client::maybe_cut() {
    if (!socket_ || is_half_closed_ || calls_.empty() || cuts_ == plan_.losses_max ||
        !dice_.one_in(plan_.cut_one_in))
        return false;
    ++cuts_;
    if (dice_.one_in(3)) {
        trace_.add("client", number_, "sends no more", unsent_.size());
        shutdown(socket_.get(), SHUT_WR);
        unsent_.clear();
        is_half_closed_ = true;
    } else {
        lose("cuts");
    }
    return true;
}

bool Client::send_some() {
    if (!socket_ || unsent_.empty()) return false;
    const std::size_t size = dice_.one_in(2)
                                 ? unsent_.size()
                                 : dice_.between(1, std::min<std::size_t>(unsent_.size(), 300));
    const ssize_t sent = send(socket_.get(), unsent_.data(), size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EAGAIN) return false;
    if (sent < 0) return lose("cannot send"), true;
    trace_.add("client", number_, "sends", sent);
    unsent_.erase(unsent_.begin(), unsent_.begin() + sent);
    return true;
}

bool Client::receive_some() {
    if (!socket_ || deaf_until_ > Clock::now()) return false;
    std::byte room[4096];
    const std::size_t size = dice_.one_in(3) ? dice_.between(1, 100) : sizeof room;
    const ssize_t got = recv(socket_.get(), room, size, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) return lose(got == 0 ? "is left" : "is reset"), true;
    trace_.add("client", number_, "receives", got);
    has_heard_ = true;
    received_.insert(received_.end(), room, room + got);
    take_records();
    if (pauses_ < plan_.losses_max && dice_.one_in(plan_.deaf_one_in)) {
        ++pauses_;
        deaf_until_ = Clock::now() + std::chrono::seconds(dice_.between(1, 100));
        trace_.add("client", number_, "is deaf");
    }
    return true;
}

bool Client::hear_end() {
    std::byte room[4096];
    if (!socket_) return false;
    const ssize_t got = recv(socket_.get(), room, sizeof room, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) lose("is left");
    return true;
}

// ---- Replies ----

void Client::take_records() {
    std::size_t at = 0;
    while (received_.size() - at >= 4) {
        const std::uint32_t mark = xdr::load_u32(received_.data() + at);
        const std::size_t size = mark & ~kLastFragment;
        if (received_.size() - at - 4 < size) break;
        const ByteView part = ByteView{received_}.subspan(at + 4, size);
        fragments_.insert(fragments_.end(), part.begin(), part.end());
        at += 4 + size;
        if ((mark & kLastFragment) == 0) continue;
        take_message(fragments_);
        fragments_.clear();
    }
    received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(at));
}

void Client::take_message(ByteView message) {
    if (message.size() < 8) fail("a message of fewer than 8 bytes");
    const std::uint32_t xid = xdr::load_u32(message.data());
    trace_.add("client", number_, "hears", xid, message.size());
    if (const auto before = answered_.find(xid); before != answered_.end()) {
        if (before->second && !std::ranges::equal(*before->second, message))
            fail(fmt::format("call {} must not run twice and has two different answers", xid));
        return;
    }
    const auto found = calls_.find(xid);
    if (found == calls_.end()) fail(fmt::format("an answer to {}, which nobody has asked", xid));
    Call& call = found->second;
    answered_[xid] = call.is_remembered ? std::optional{copy(message)} : std::nullopt;
    Slot& slot = *call.slot;
    exchange_.open(message);
    slot.caller->take_reply(exchange_);
    calls_.erase(found);
    slot.waits = false;
    slot.next = Clock::now();
    constexpr std::chrono::seconds kIdle[] = {1s, 5s, 20s, 100s, transport::kIdleTimeout + 10s};
    if (dice_.one_in(plan_.idle_one_in)) slot.next += dice_.pick(kIdle);
}

void Client::check_quiet() const {
    if (!socket_ || !unsent_.empty() || deaf_until_ > Clock::now()) return;
    // Else it may wait for a listener that has no descriptor for it.
    if (plan_.by_listener && !has_heard_) return;
    for (const auto& [xid, call] : calls_)
        if (call.copies > 0 && call.copies <= rpc::kDuplicateWaitersMax)
            fail(fmt::format("the server is quiet, and call {} has no answer", xid));
}

std::string Client::describe() const {
    std::string out = fmt::format("client {}: {}, {} bytes to send, {} of a record", number_,
                                  socket_ ? "connected" : "not connected", unsent_.size(),
                                  received_.size() + fragments_.size());
    for (const auto& [xid, call] : calls_)
        out += fmt::format("\n    call {} was sent {} times", xid, call.copies);
    return out + "\n";
}

}  // namespace helio::simulation
