// What is asked of the guest inside a domain: there is none, so what it would do is done already.
#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

// Nothing when it runs, or the error that the call has failed with.
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

// Bytes that are there already.
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

// A screen in a colour that is the domain's own, brighter to the right.
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
    if (!server::client_of(call).open_stream(
            here, std::make_unique<Picture>(screen_of(uuid_of(args.dom.uuid)))))
        return fail_call<Returned>(
            here, virt_error(VIR_ERR_RPC, VIR_FROM_STREAMS, "too many streams are open"));
    return {.mime = kept_string(call, "image/x-portable-pixmap")};
}

void domain_send_key(Context& context, xdr::CallContext& call,
                     const remote_domain_send_key_args& args) {
    guest_runs(call, context.host, args.dom);
}

void domain_send_process_signal(Context& context, xdr::CallContext& call,
                                const remote_domain_send_process_signal_args& args) {
    guest_runs(call, context.host, args.dom);
}

void domain_inject_nmi(Context& context, xdr::CallContext& call,
                       const remote_domain_inject_nmi_args& args) {
    guest_runs(call, context.host, args.dom);
}

// Nothing is written anywhere: the file would be this machine's.
void domain_core_dump(Context& context, xdr::CallContext& call,
                      const remote_domain_core_dump_args& args) {
    guest_runs(call, context.host, args.dom);
}
void domain_core_dump_with_format(Context& context, xdr::CallContext& call,
                                  const remote_domain_core_dump_with_format_args& args) {
    guest_runs(call, context.host, args.dom);
}

remote_domain_fsfreeze_ret domain_fsfreeze(Context& context, xdr::CallContext& call,
                                           const remote_domain_fsfreeze_args& args) {
    if (!guest_runs(call, context.host, args.dom)) return {};
    constexpr std::int32_t kAllOfThem = 2;
    return {.filesystems = args.mountpoints.empty()
                               ? kAllOfThem
                               : static_cast<std::int32_t>(args.mountpoints.size())};
}

remote_domain_fsthaw_ret domain_fsthaw(Context& context, xdr::CallContext& call,
                                       const remote_domain_fsthaw_args& args) {
    if (!guest_runs(call, context.host, args.dom)) return {};
    constexpr std::int32_t kAllOfThem = 2;
    return {.filesystems = args.mountpoints.empty()
                               ? kAllOfThem
                               : static_cast<std::int32_t>(args.mountpoints.size())};
}

void domain_fstrim(Context& context, xdr::CallContext& call,
                   const remote_domain_fstrim_args& args) {
    guest_runs(call, context.host, args.dom);
}

// As the test driver's guests have them.
remote_domain_get_fsinfo_ret domain_get_fsinfo(Context& context, xdr::CallContext& call,
                                               const remote_domain_get_fsinfo_args& args) {
    if (!guest_runs(call, context.host, args.dom)) return {};
    const auto stats = context.host.domain_stats(uuid_of(args.dom.uuid));
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
    table.DOMAIN_SEND_KEY = domain_send_key;
    table.DOMAIN_SEND_PROCESS_SIGNAL = domain_send_process_signal;
    table.DOMAIN_INJECT_NMI = domain_inject_nmi;
    table.DOMAIN_CORE_DUMP = domain_core_dump;
    table.DOMAIN_CORE_DUMP_WITH_FORMAT = domain_core_dump_with_format;
    table.DOMAIN_FSFREEZE = domain_fsfreeze;
    table.DOMAIN_FSTHAW = domain_fsthaw;
    table.DOMAIN_FSTRIM = domain_fstrim;
    table.DOMAIN_GET_FSINFO = domain_get_fsinfo;
    table.DOMAIN_ABORT_JOB = domain_abort_job;
}

}  // namespace helio::virt::daemon
