#include "helio/transport/rdma/verbs/verbs_link_internal.h"

#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "helio/base/assert.h"
#include "helio/transport/rdma/verbs/verbs_fabric.h"

namespace helio::transport::rdma {

namespace {

using namespace std::chrono_literals;

// Time to resolve the address, by ARP or neighbor discovery, and then the route, for which
// InfiniBand asks the subnet manager.
constexpr std::chrono::milliseconds kFindTimeout = 5s;
// The kernel has the same timeout and needs a little longer to report it, but knows the reason
// better.
constexpr std::chrono::milliseconds kFindPatience = kFindTimeout + 1s;
// From request or answer until the connection is established. The kernel itself would retry for
// over a minute.
constexpr std::chrono::milliseconds kEstablishTimeout = 10s;
// From the first request that failed with its connection until the event that the other side closed
// it.
constexpr std::chrono::milliseconds kReasonTimeout = 1s;

// Time until an unacknowledged request is sent again: 4.096 µs times two to this power, a quarter
// of a second. The kernel's default is two seconds, which is long on a network that loses packets.
// (iWARP has TCP's timeouts.)
constexpr std::uint8_t kAckTimeout = 16;
// Retransmissions of an unanswered request: the field's maximum.
constexpr std::uint8_t kRetries = 7;
// Retries of the other side while we have no receive posted, 0.65 s apart. Both count credits, so
// there should always be one; 7 would mean forever, and keep a stuck link.
constexpr std::uint8_t kNotReadyRetries = 6;

constexpr std::size_t kToldTogether = 64;

// IBA 1.4, table 113: why a connection was refused.
constexpr int kNobodyListens = 8;
constexpr int kConsumerRefuses = 28;

Endpoint to_endpoint(const sockaddr* address) {
    if (address == nullptr) return {};
    if (address->sa_family == AF_INET) return {address, sizeof(sockaddr_in)};
    if (address->sa_family == AF_INET6) return {address, sizeof(sockaddr_in6)};
    return {};
}

struct Reason {
    int error_number = 0;
    std::string why;
};

// librdmacm returns a negated errno, or -1 if errno has it.
Reason failure(int status, int otherwise, std::string_view what) {
    const int error = status < -1 ? -status : otherwise;
    return {error, fmt::format("{}: {}", what, std::strerror(error))};
}

Reason refusal(int status) {
    if (status == kNobodyListens) return {ECONNREFUSED, "nobody listens there for RDMA"};
    if (status > 0 && status != kConsumerRefuses)
        return {ECONNREFUSED, fmt::format("refused by the other side (reason {})", status)};
    return {ECONNREFUSED, "refused by the other side"};
}

// Nothing: the event is not an end.
std::optional<Reason> reason_of(const CmEvent& event, bool stood) {
    switch (event.type) {
        case RDMA_CM_EVENT_ADDR_ERROR:
            return failure(event.status, EHOSTUNREACH, "no RDMA device leads there");
        case RDMA_CM_EVENT_ROUTE_ERROR:
            return failure(event.status, EHOSTUNREACH, "there is no route");
        case RDMA_CM_EVENT_UNREACHABLE:
            return failure(event.status, ETIMEDOUT, "the other side does not answer");
        case RDMA_CM_EVENT_CONNECT_ERROR:
            return failure(event.status, ECONNABORTED, "the connection could not be made");
        case RDMA_CM_EVENT_REJECTED:
            return refusal(event.status);
        case RDMA_CM_EVENT_DISCONNECTED:
            if (stood && event.status == 0) return Reason{0, "the other side hung up"};
            if (stood) return failure(event.status, ECONNRESET, "the connection broke");
            return Reason{ECONNRESET, "the other side hung up before the connection stood"};
        case RDMA_CM_EVENT_DEVICE_REMOVAL:
            return Reason{ENODEV, "the RDMA device was removed"};
        default:
            return std::nullopt;
    }
}

int errno_of(ibv_wc_status status) {
    switch (status) {
        case IBV_WC_REM_ACCESS_ERR:
        case IBV_WC_LOC_ACCESS_ERR:
        case IBV_WC_MW_BIND_ERR:
            return EACCES;
        case IBV_WC_LOC_PROT_ERR:
            return EFAULT;
        case IBV_WC_LOC_LEN_ERR:
            return EMSGSIZE;
        case IBV_WC_RETRY_EXC_ERR:
        case IBV_WC_RNR_RETRY_EXC_ERR:
        case IBV_WC_RESP_TIMEOUT_ERR:
            return ETIMEDOUT;
        case IBV_WC_WR_FLUSH_ERR:
        case IBV_WC_REM_ABORT_ERR:
            return ECONNRESET;
        default:
            return EIO;
    }
}

}  // namespace

VerbsLink::VerbsLink(ConnectionManager& manager, const std::vector<Device>& devices,
                     const LinkLimits& limits, const Endpoint& where, EventLoop& loop, Owner& owner)
    : manager_(manager),
      devices_(&devices),
      asks_(true),
      step_(Step::finding_address),
      limits_(limits),
      remote_(where),
      loop_(&loop),
      owner_(&owner),
      mailbox_(std::make_shared<Mailbox>()) {
    mailbox_->receiver = this;
    deadline_timer_.emplace(loop, *this);
    if (rdma_create_id(manager_.channel(), &id_, nullptr, RDMA_PS_TCP) != 0) {
        id_ = nullptr;
        lose_soon(errno, "there is no room for another connection");
        return;
    }
    manager_.watch(id_, loop, mailbox_);
    Endpoint to = where;  // librdmacm needs it writable
    const auto address = const_cast<sockaddr*>(to.address());
    // It stores the destination after the kernel may already have reported the next event.
    std::unique_lock lock{manager_.mutex()};
    if (rdma_resolve_addr(id_, nullptr, address, static_cast<int>(kFindTimeout.count())) != 0)
        lose_soon(errno, fmt::format("no RDMA device leads there: {}", std::strerror(errno)));
    lock.unlock();
    wait_for(kFindPatience);
}

VerbsLink::VerbsLink(ConnectionManager& manager, const Device& device, const LinkLimits& limits,
                     rdma_cm_id* id, const CmEvent& request)
    : manager_(manager),
      devices_(nullptr),
      device_(&device),
      id_(id),
      asks_(false),
      step_(Step::ready),
      limits_(limits),
      remote_(to_endpoint(rdma_get_peer_addr(id))),
      memory_(device.memory),
      mailbox_(std::make_shared<Mailbox>()),
      private_data_(request.private_data),
      reads_of_us_max_(request.responder_resources),
      reads_by_us_max_(request.initiator_depth) {
    mailbox_->receiver = this;
    queues_ = Queues::make(manager_, id_, device, limits, fault_text_);
    if (queues_ != nullptr)
        limits_ = queues_->limits();
    else
        fault_ = errno;
}

VerbsLink::~VerbsLink() {
    mailbox_->receiver = nullptr;
    if (id_ == nullptr) return;
    manager_.forget(id_);
    if (watched_) loop_->remove(queues_->fd(), *this);
    if (!asks_ && step_ == Step::ready) rdma_reject(id_, nullptr, 0);
    hang_up();
    if (may_take_long()) {
        manager_.do_aside([queues = std::shared_ptr{std::move(queues_)}, id = id_]() mutable {
            queues.reset();
            rdma_destroy_id(id);
        });
        return;
    }
    queues_.reset();
    rdma_destroy_id(id_);
}

// The kernel reports no events of a connection before it is answered, so none is missed by
// listening only from here on.
void VerbsLink::attach(EventLoop& loop, Owner& owner) {
    HELIO_ASSERT(!asks_ && loop_ == nullptr);
    loop_ = &loop;
    owner_ = &owner;
    deadline_timer_.emplace(loop, *this);
    manager_.watch(id_, loop, mailbox_);
    if (queues_ == nullptr) return lose_soon(fault_, fault_text_);
    watch_completions();
}

Endpoint VerbsLink::local() const {
    return id_ != nullptr ? to_endpoint(rdma_get_local_addr(id_)) : Endpoint{};
}

void VerbsLink::establish(ByteView private_data) {
    HELIO_ASSERT(private_data.size() <= kPrivateDataMax);
    if (step_ != Step::ready || queues_ == nullptr) return;  // it is being closed
    step_ = Step::establishing;
    wait_for(kEstablishTimeout);
    const auto least = [](unsigned offered, int device) {
        const auto can = static_cast<unsigned>(std::max(device, 0));
        return static_cast<std::uint8_t>(std::min({offered, can, kReadsUnderWayMax}));
    };
    rdma_conn_param said{};
    said.private_data = private_data.data();
    said.private_data_len = static_cast<std::uint8_t>(private_data.size());
    said.responder_resources = least(reads_of_us_max_, device_->limits.max_qp_rd_atom);
    said.initiator_depth = least(reads_by_us_max_, device_->limits.max_qp_init_rd_atom);
    said.retry_count = kRetries;
    said.rnr_retry_count = kNotReadyRetries;
    std::uint8_t timeout = kAckTimeout;
    rdma_set_option(id_, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, sizeof timeout);
    asked_ = asks_;
    if ((asks_ ? rdma_connect(id_, &said) : rdma_accept(id_, &said)) != 0)
        lose_soon(errno, fmt::format("the connection could not be made: {}", std::strerror(errno)));
}

void VerbsLink::on_cm_event(const CmEvent& event) {
    if (step_ == Step::lost) return;
    const bool stood = step_ == Step::connected || step_ == Step::breaking;
    if (const auto reason = reason_of(event, stood)) return lose(reason->error_number, reason->why);
    if (event.type == RDMA_CM_EVENT_ADDR_RESOLVED) find_route();
    if (event.type == RDMA_CM_EVENT_ROUTE_RESOLVED) make_queues();
    if (event.type == RDMA_CM_EVENT_ESTABLISHED) enter_connected(event);
}

void VerbsLink::find_route() {
    step_ = Step::finding_route;
    wait_for(kFindPatience);
    if (rdma_resolve_route(id_, static_cast<int>(kFindTimeout.count())) != 0)
        lose(errno, fmt::format("there is no route: {}", std::strerror(errno)));
}

void VerbsLink::make_queues() {
    const auto found =
        std::find_if(devices_->begin(), devices_->end(),
                     [this](const Device& device) { return device.verbs == id_->verbs; });
    if (found == devices_->end())
        return lose(ENODEV, "the RDMA device was added after the start, or cannot be used");
    device_ = &*found;
    memory_ = device_->memory;
    reads_of_us_max_ = reads_by_us_max_ = kReadsUnderWayMax;
    std::string why;
    queues_ = Queues::make(manager_, id_, *device_, limits_, why);
    if (queues_ == nullptr) return lose(errno, why);
    limits_ = queues_->limits();
    step_ = Step::ready;
    deadline_timer_->cancel();  // the next step is the owner's
    owner_->on_ready();
}

void VerbsLink::enter_connected(const CmEvent& event) {
    if (step_ != Step::establishing) return;
    step_ = Step::connected;
    asked_ = false;
    stood_ = true;
    deadline_timer_->cancel();
    if (asks_) private_data_ = event.private_data;
    // Not sooner: before, the queue pair might receive but not yet send.
    if (asks_) watch_completions();
    owner_->on_connected();
}

void VerbsLink::watch_completions() {
    const int error = loop_->add(queues_->fd(), Interest::read, *this);
    watched_ = error == 0;
    if (!watched_) lose_soon(error, "its completions cannot be watched");
}

bool VerbsLink::post_receive(std::uint64_t id, const Piece& into) {
    if (!can_post()) return false;
    const int error = queues_->post_receive(id, into);
    if (error != 0) lose_soon(error, "the device takes no receives");
    return error == 0;
}

bool VerbsLink::post(std::span<const Work> works) {
    if (!can_post()) return false;
    const int error = queues_->post(works);
    if (error != 0) lose_soon(error, "the device takes no requests");
    return error == 0;
}

// False: the owner has destroyed the link.
bool VerbsLink::deliver(std::span<const Completion> completions) {
    const auto mailbox = mailbox_;
    owner_->on_completions(completions);
    return mailbox->receiver != nullptr;
}

// Poll until nothing is left, request a notification, then poll once more for completions that came
// between the two.
void VerbsLink::deliver_completions() {
    returning_ = false;
    bool asked_to_be_woken = false;
    std::array<Completion, kToldTogether> room;
    for (unsigned told = 0; told < kCompletionsPerTurnMax;) {
        if (step_ == Step::lost) return;
        const auto completions = queues_->poll(room);
        if (completions.empty()) {
            if (asked_to_be_woken) return check_faults();
            queues_->listen_again();
            asked_to_be_woken = true;
            continue;
        }
        told += static_cast<unsigned>(completions.size());
        if (!deliver(completions)) return;
    }
    if (std::exchange(returning_, true)) return;
    loop_->post([mailbox = mailbox_] {
        if (mailbox->receiver != nullptr)
            static_cast<VerbsLink*>(mailbox->receiver)->deliver_completions();
    });
}

void VerbsLink::check_faults() {
    const ibv_wc_status fault = queues_->fault();
    if (fault == IBV_WC_SUCCESS || step_ == Step::lost) return;
    if (fault != IBV_WC_WR_FLUSH_ERR) return lose(errno_of(fault), ibv_wc_status_str(fault));
    if (step_ == Step::breaking) return;
    step_ = Step::breaking;
    wait_for(kReasonTimeout);
}

void VerbsLink::on_deadline() {
    if (step_ == Step::breaking)
        return lose(errno_of(queues_->fault()), "the connection broke for a reason not told");
    lose(ETIMEDOUT, step_ == Step::establishing ? "the other side does not answer"
                                                : "no RDMA device that leads there was found");
}

void VerbsLink::wait_for(std::chrono::milliseconds time) {
    deadline_timer_->set(EventLoop::Clock::now() + time);
}

void VerbsLink::lose_soon(int error_number, std::string why) {
    loop_->post([mailbox = mailbox_, error_number, why = std::move(why)] {
        if (mailbox->receiver != nullptr)
            static_cast<VerbsLink*>(mailbox->receiver)->lose(error_number, why);
    });
}

void VerbsLink::lose(int error_number, const std::string& why) {
    if (step_ == Step::lost) return;
    step_ = Step::lost;
    deadline_timer_->cancel();
    if (std::exchange(watched_, false)) loop_->remove(queues_->fd(), *this);
    if (queues_ != nullptr && !deliver_rest()) return;
    owner_->on_lost(error_number, why);
}

// False: the owner has destroyed the link.
bool VerbsLink::deliver_rest() {
    std::array<Completion, kToldTogether> room;
    for (auto some = queues_->poll(room); !some.empty(); some = queues_->poll(room))
        if (!deliver(some)) return false;
    hang_up();
    for (;;) {
        const auto some = queues_->take_unfinished(room);
        if (some.empty()) return true;
        if (!deliver(some)) return false;
    }
}

void VerbsLink::hang_up() {
    // Only now: earlier, the kernel would first wait for the answer, on iWARP.
    if (std::exchange(stood_, false)) {
        const std::lock_guard lock{manager_.mutex()};
        rdma_disconnect(id_);
    }
    if (queues_ == nullptr) return;
    // Destroying the queue pair would wait for it, too, which the event loop must not do. Either
    // way the device no longer touches our memory.
    if (may_take_long())
        queues_->break_pair();
    else
        queues_->destroy_pair();
}

}  // namespace helio::transport::rdma
