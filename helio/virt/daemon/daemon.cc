#include "helio/virt/daemon/daemon.h"

#include <stdexcept>

#include <fmt/format.h>

#include "helio/virt/daemon/auth/sasl_internal.h"
#include "helio/virt/daemon/procedures_internal.h"
#include "schema/lxc_service.h"
#include "schema/qemu_service.h"

namespace helio::virt::daemon {

struct Daemon::Parts {
    explicit Parts(host::Host& whose) : host(whose) {}

    host::Host& host;
    EventHub events;
    Context context{host, events};
    const std::unique_ptr<xdr::ServiceBase> remote = make_remote_service(context);
    // None of their procedures is supported, and clients get an error that says so.
    ::helio::qemu::QEMU_PROTOCOL_VERSION::Service qemu;
    ::helio::lxc::LXC_PROTOCOL_VERSION::Service lxc;
    std::unique_ptr<FaultyService> faulty;
};

Daemon::Daemon(host::Host& host, const DaemonOptions& options)
    : parts_(std::make_unique<Parts>(host)) {
    for (const Fault& one : options.faults)
        if (!names_procedure(one, parts_->remote->info()))
            throw std::runtime_error(no_such_procedure(one, parts_->remote->info()));
    if (!options.faults.empty())
        parts_->faulty = std::make_unique<FaultyService>(*parts_->remote, options.faults);
    if (!options.sasl_passwords.empty())
        if (const auto wrong = start_sasl(options.sasl_passwords))
            throw std::runtime_error(fmt::format("SASL: {}", *wrong));
    host.set_event_sink([hub = &parts_->events](const host::Event& event) { hub->publish(event); });
}

Daemon::~Daemon() { parts_->host.set_event_sink(nullptr); }

void Daemon::add_to(rpc::Server& server) {
    if (parts_->faulty)
        server.add(*parts_->faulty);
    else
        server.add(*parts_->remote);
    server.add(parts_->qemu);
    server.add(parts_->lxc);
}

}  // namespace helio::virt::daemon
