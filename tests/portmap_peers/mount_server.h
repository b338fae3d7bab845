// A server with a portmapper and one more program, MOUNT version 3, with only NULL implemented.
#pragma once

#include <string>
#include <vector>

#include "helio/portmap/portmapper.h"
#include "helio/transport/server/server.h"
#include "schema/mount_service.h"

namespace helio::portmap {

inline constexpr std::uint32_t kMount = mount::MOUNT_V3::program;

class NullMount final : public mount::MOUNT_V3::Service {
 public:
    void NULL_(xdr::CallContext&) override {}
};

inline transport::ServerLimits two_threads() {
    transport::ServerLimits out;
    out.threads = 2;
    return out;
}

struct MountServer {
    explicit MountServer(bool with_portmapper = true)
        : program_count(add_programs(with_portmapper)) {}
    void start() {
        for (const std::string& problem : portmapper.register_programs(programs, transport))
            ADD_FAILURE() << problem;
        transport.start();
    }

    std::size_t add_programs(bool with_portmapper) {
        programs.add(mount);
        if (with_portmapper) portmapper.add_to(programs);
        return programs.programs().size();
    }

    Portmapper portmapper;
    NullMount mount;
    rpc::Server programs;
    std::size_t program_count;  // added before the transport
    transport::Server transport{programs, two_threads()};
};

}  // namespace helio::portmap
