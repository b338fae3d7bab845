// What is asked of the guest inside a domain: there is none, so what it would do is done already.
#include "helio/virt/daemon/domains/domain_service_internal.h"

namespace helio::virt::daemon {

namespace {

// Nothing when it runs, or the error that the call has failed with.
bool guest_runs(xdr::CallContext& call, const host::Host& host,
                const remote::remote_nonnull_domain& domain) {
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

}  // namespace

remote::remote_domain_screenshot_ret DomainService::DOMAIN_SCREENSHOT(
    xdr::CallContext& call, const remote::remote_domain_screenshot_args& args) {
    using Returned = remote::remote_domain_screenshot_ret;
    if (!guest_runs(call, host_, args.dom)) return {};
    if (args.screen != 0)
        return refused<Returned>(call, {host::ErrorCode::invalid_argument, host::ErrorSource::test,
                                        "invalid argument: there is one screen, number 0"});
    rpc::Call& here = rpc::call_of(call);
    if (!server::connection_of(call).open_stream(
            here, std::make_unique<Picture>(screen_of(uuid_of(args.dom.uuid)))))
        return fail_call<Returned>(
            here, virt_error(VIR_ERR_RPC, VIR_FROM_STREAMS, "too many streams are open"));
    return {.mime = kept_string(call, "image/x-portable-pixmap")};
}

void DomainService::DOMAIN_SEND_KEY(xdr::CallContext& call,
                                    const remote::remote_domain_send_key_args& args) {
    guest_runs(call, host_, args.dom);
}

void DomainService::DOMAIN_SEND_PROCESS_SIGNAL(
    xdr::CallContext& call, const remote::remote_domain_send_process_signal_args& args) {
    guest_runs(call, host_, args.dom);
}

void DomainService::DOMAIN_INJECT_NMI(xdr::CallContext& call,
                                      const remote::remote_domain_inject_nmi_args& args) {
    guest_runs(call, host_, args.dom);
}

// Nothing is written anywhere: the file would be this machine's.
void DomainService::DOMAIN_CORE_DUMP(xdr::CallContext& call,
                                     const remote::remote_domain_core_dump_args& args) {
    guest_runs(call, host_, args.dom);
}
void DomainService::DOMAIN_CORE_DUMP_WITH_FORMAT(
    xdr::CallContext& call, const remote::remote_domain_core_dump_with_format_args& args) {
    guest_runs(call, host_, args.dom);
}

remote::remote_domain_fsfreeze_ret DomainService::DOMAIN_FSFREEZE(
    xdr::CallContext& call, const remote::remote_domain_fsfreeze_args& args) {
    if (!guest_runs(call, host_, args.dom)) return {};
    constexpr std::int32_t kAllOfThem = 2;
    return {.filesystems = args.mountpoints.empty()
                               ? kAllOfThem
                               : static_cast<std::int32_t>(args.mountpoints.size())};
}

remote::remote_domain_fsthaw_ret DomainService::DOMAIN_FSTHAW(
    xdr::CallContext& call, const remote::remote_domain_fsthaw_args& args) {
    if (!guest_runs(call, host_, args.dom)) return {};
    constexpr std::int32_t kAllOfThem = 2;
    return {.filesystems = args.mountpoints.empty()
                               ? kAllOfThem
                               : static_cast<std::int32_t>(args.mountpoints.size())};
}

void DomainService::DOMAIN_FSTRIM(xdr::CallContext& call,
                                  const remote::remote_domain_fstrim_args& args) {
    guest_runs(call, host_, args.dom);
}

// As the test driver's guests have them.
remote::remote_domain_get_fsinfo_ret DomainService::DOMAIN_GET_FSINFO(
    xdr::CallContext& call, const remote::remote_domain_get_fsinfo_args& args) {
    if (!guest_runs(call, host_, args.dom)) return {};
    const auto stats = host_.domain_stats(uuid_of(args.dom.uuid));
    if (!stats || stats->disks.empty()) return {};
    const std::string& disk = stats->disks.front().target;
    const std::vector<std::string_view> aliases{kept(call, disk)};
    std::vector<remote::remote_domain_fsinfo> all(2);
    all[0].mountpoint = "/";
    all[0].name = kept(call, disk + "1");
    all[1].mountpoint = "/boot";
    all[1].name = kept(call, disk + "2");
    for (remote::remote_domain_fsinfo& one : all) {
        one.fstype = "ext4";
        one.dev_aliases = kept(call, aliases);
    }
    return {.info = kept(call, all), .ret = 2};
}

void DomainService::DOMAIN_ABORT_JOB(xdr::CallContext& call,
                                     const remote::remote_domain_abort_job_args& args) {
    if (guest_runs(call, host_, args.dom))
        refused(call, {host::ErrorCode::operation_invalid, host::ErrorSource::test,
                       "Requested operation is not valid: no job is active on the domain"});
}

}  // namespace helio::virt::daemon
