// Deliberate faults, for testing programs that talk to libvirt: procedures that fail, are slow,
// break the connection or never answer.
//
//     DomainCreate:error=no space left        code 9, VIR_ERR_OPERATION_FAILED
//     DomainCreate:error=38/18 disk is gone   libvirt's numbers for code and domain
//     DomainGetInfo:delay=2s,times=3          only the first three calls
//     StorageVolDownload:disconnect
//     *:delay=20ms
//
// Names are those that `helio virt call` takes, DomainCreate or DOMAIN_CREATE; an asterisk matches
// all procedures except those that open a connection.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/virt/wire/error.h"
#include "helio/xdr/program.h"

namespace helio::virt::daemon {

// Longer delays are hangs.
inline constexpr std::chrono::milliseconds kFaultDelayMax{3'600'000};

struct Fault {
    enum class Kind : std::uint8_t {
        none,        // the call runs after its delay
        error,       // it fails
        disconnect,  // the connection is closed
        hang,        // no answer, ever
    };
    std::string procedure;  // normalized for comparison; empty: any
    std::string written;    // as the user wrote it
    Kind kind = Kind::none;
    VirtError error;
    std::chrono::milliseconds delay{0};
    std::uint64_t skip = 0;   // calls that are spared first
    std::uint64_t times = 0;  // calls that are hit after that; 0: all
};

// Parses the form above; the error says what is wrong with it.
Result<Fault, std::string> parse_fault(std::string_view text);

// Wraps a service and injects faults. Any thread.
class FaultyService final : public xdr::ServiceBase {
 public:
    // The service outlives this. Names that match no procedure have no effect: see
    // names_procedure().
    FaultyService(xdr::ServiceBase& service, const std::vector<Fault>& faults);

    const xdr::VersionInfo& info() const override { return info_; }
    void* service() override { return this; }

 private:
    struct Armed {
        Fault fault;
        std::atomic<std::uint64_t> calls{0};
    };
    struct Late;

    static xdr::Outcome serve_any(void* self, xdr::CallContext& call, xdr::Reader& in,
                                  xdr::Writer& out);
    static Task<Late> wait_for(Late late);
    static xdr::Outcome finish_late(void* frame, xdr::CallContext& call, xdr::Writer& out);
    Armed* armed_for(const xdr::ProcedureInfo& procedure);
    xdr::Outcome act(const Fault& fault, const xdr::ProcedureInfo& procedure,
                     xdr::CallContext& call, xdr::Reader& in, xdr::Writer& out);

    xdr::ServiceBase& inner_;
    std::vector<xdr::ProcedureInfo> procedures_;
    xdr::VersionInfo info_;
    std::vector<std::unique_ptr<Armed>> faults_;
};

// Whether the fault names an existing procedure.
bool names_procedure(const Fault& fault, const xdr::VersionInfo& info);
// "libvirt has no procedure 'DomainCreat'; did you mean DOMAIN_CREATE?"
std::string no_such_procedure(const Fault& fault, const xdr::VersionInfo& info);

}  // namespace helio::virt::daemon
