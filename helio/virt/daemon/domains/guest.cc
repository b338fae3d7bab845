// Requests to the guest inside a domain. There is no guest: a running domain just confirms them.
#include "helio/virt/daemon/forward_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

// Whether the domain runs; if not, the call has failed.
bool guest_runs(xdr::CallContext& call, const host::Host& host,
                const remote_nonnull_domain& domain) {
    const auto state = host.domain_state(uuid_of(domain.uuid));
    if (!state) {
        refused(call, domain, state.error());
        return false;
    }
    if (state->state != host::State::off) return true;
    refused(call, {host::ErrorCode::operation_invalid, host::ErrorSource::test,
                   "Requested operation is not valid: domain is not running"});
    return false;
}

// A stream of bytes that are complete from the beginning.
class Picture final : public server::StreamEnd {
 public:
    explicit Picture(std::string bytes) : bytes_(std::move(bytes)) {}
    Failure take(ByteView bytes) override { return StreamEnd::take(bytes); }
    Piece next(std::size_t bytes_max) override {
        Piece piece;
        const std::size_t size = std::min(bytes_max, bytes_.size() - at_);
        piece.kind = size == 0 ? Piece::Kind::end : Piece::Kind::bytes;
        piece.bytes = as_bytes(std::string_view(bytes_).substr(at_, size));
        at_ += size;
        return piece;
    }

 private:
    std::string bytes_;
    std::size_t at_ = 0;
};

// A screen in the domain's own color, brighter to the right.
std::string screen_of(const host::Uuid& uuid) {
    constexpr unsigned kWidth = 320, kHeight = 200;
    std::string picture = "P6\n320 200\n255\n";
    picture.reserve(picture.size() + 3 * kWidth * kHeight);
    for (unsigned y = 0; y < kHeight; ++y)
        for (unsigned x = 0; x < kWidth; ++x)
            for (unsigned colour = 0; colour < 3; ++colour)
                picture += static_cast<char>(uuid.bytes[colour] * (x + 1) / kWidth);
    return picture;
}

remote_domain_screenshot_ret domain_screenshot(Context& context, xdr::CallContext& call,
                                               const remote_domain_screenshot_args& args) {
    using Returned = remote_domain_screenshot_ret;
    if (!guest_runs(call, context.host, args.dom)) return {};
    if (args.screen != 0)
        return refused<Returned>(call, {host::ErrorCode::invalid_argument, host::ErrorSource::test,
                                        "invalid argument: there is one screen, number 0"});
    rpc::Call& here = rpc::call_of(call);
    if (!server::client_of(call).open_stream(here,
                                             std::make_unique<Picture>(screen_of(object_of(args)))))
        return fail_call<Returned>(
            here, virt_error(VIR_ERR_RPC, VIR_FROM_STREAMS, "too many streams are open"));
    return {.mime = kept_string(call, "image/x-portable-pixmap")};
}

// Confirms a request. A core dump writes no file, because it would be on this machine.
template <class Args>
void ask_guest(Context& context, xdr::CallContext& call, const Args& args) {
    guest_runs(call, context.host, args.dom);
}

// Freezes or thaws file systems: those named, or both that every guest has.
template <class Ret, class Args>
Ret count_filesystems(Context& context, xdr::CallContext& call, const Args& args) {
    if (!guest_runs(call, context.host, args.dom)) return {};
    constexpr std::size_t kAll = 2;
    return {static_cast<std::int32_t>(args.mountpoints.empty() ? kAll : args.mountpoints.size())};
}

// The file systems of the test driver's guests.
remote_domain_get_fsinfo_ret domain_get_fsinfo(Context& context, xdr::CallContext& call,
                                               const remote_domain_get_fsinfo_args& args) {
    if (!guest_runs(call, context.host, args.dom)) return {};
    const auto stats = context.host.domain_stats(object_of(args));
    if (!stats || stats->disks.empty()) return {};
    const std::string& disk = stats->disks.front().target;
    const std::vector<std::string_view> aliases{kept(call, disk)};
    std::vector<remote_domain_fsinfo> all(2);
    all[0].mountpoint = "/";
    all[0].name = kept(call, disk + "1");
    all[1].mountpoint = "/boot";
    all[1].name = kept(call, disk + "2");
    for (remote_domain_fsinfo& one : all) {
        one.fstype = "ext4";
        one.dev_aliases = kept(call, aliases);
    }
    return {.info = kept(call, all), .ret = 2};
}

void domain_abort_job(Context& context, xdr::CallContext& call,
                      const remote_domain_abort_job_args& args) {
    if (guest_runs(call, context.host, args.dom))
        refused(call, {host::ErrorCode::operation_invalid, host::ErrorSource::test,
                       "Requested operation is not valid: no job is active on the domain"});
}

}  // namespace

void add_domain_guest(Table& table) {
    table.DOMAIN_SCREENSHOT = domain_screenshot;
    table.DOMAIN_SEND_KEY = ask_guest;
    table.DOMAIN_SEND_PROCESS_SIGNAL = ask_guest;
    table.DOMAIN_INJECT_NMI = ask_guest;
    table.DOMAIN_CORE_DUMP = ask_guest;
    table.DOMAIN_CORE_DUMP_WITH_FORMAT = ask_guest;
    table.DOMAIN_FSFREEZE = count_filesystems;
    table.DOMAIN_FSTHAW = count_filesystems;
    table.DOMAIN_FSTRIM = ask_guest;
    table.DOMAIN_GET_FSINFO = domain_get_fsinfo;
    table.DOMAIN_ABORT_JOB = domain_abort_job;
}

}  // namespace helio::virt::daemon
