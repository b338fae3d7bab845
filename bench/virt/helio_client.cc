// Our client: a blocking one that makes one call after the other, like libvirt's. `deep-…` has
// several calls in flight, for which libvirt's library would need threads.
#include <deque>
#include <memory>

#include "helio/virt/client/client.h"
#include "helio/virt/client/objects.h"
#include "schema/remote_service.h"

#include "bench/virt/meter.h"

namespace {

using namespace helio;
using Remote = remote::REMOTE_PROTOCOL_VERSION;

// Calls begun together; ClientConnection sends four at a time, since libvirtd reads no more than
// five.
constexpr int kTogether = 64;

struct Side {
    std::unique_ptr<virt::Client> client;
    Remote::Client remote;
    Remote::AsyncClient async;
};

long get_version(void* self) {
    return static_cast<Side*>(self)->remote.CONNECT_GET_LIB_VERSION().has_value();
}

long get_node(void* self) { return static_cast<Side*>(self)->remote.NODE_GET_INFO().has_value(); }

long look_up(void* self) {
    return static_cast<Side*>(self)->remote.DOMAIN_LOOKUP_BY_NAME({.name = "vm-1"}).has_value();
}

long list_names(void* self) {
    remote::remote_connect_list_all_domains_args args;
    args.need_results = 1;
    const auto all = static_cast<Side*>(self)->remote.CONNECT_LIST_ALL_DOMAINS(args);
    return all && !all->domains.empty();
}

// What `helio virt list` does.
long list_states(void* self) {
    virt::Client& client = *static_cast<Side*>(self)->client;
    const auto all = client.run(virt::list_domains(client.connection(), virt::Which::all));
    return all && !all->empty();
}

template <class Call>
Task<long> many(Side& side, Call (*begin)(Side&)) {
    std::deque<Call> calls;
    for (int i = 0; i < kTogether; ++i) calls.push_back(begin(side));
    for (; !calls.empty(); calls.pop_front()) {
        const auto answer = co_await std::move(calls.front());
        if (!answer) co_return 0;
    }
    co_return kTogether;
}

auto begin_version(Side& side) { return side.async.CONNECT_GET_LIB_VERSION(); }
auto begin_lookup(Side& side) { return side.async.DOMAIN_LOOKUP_BY_NAME({.name = "vm-1"}); }

long get_versions(void* self) {
    Side& side = *static_cast<Side*>(self);
    return side.client->run(many(side, begin_version));
}

long look_many_up(void* self) {
    Side& side = *static_cast<Side*>(self);
    return side.client->run(many(side, begin_lookup));
}

}  // namespace

int main(int count, char** words) {
    const struct {
        const char* name;
        DoIt do_it;
    } things[] = {
        {"version", get_version},       {"node", get_node},           {"lookup", look_up},
        {"names", list_names},          {"states", list_states},      {"stats", list_states},
        {"deep-version", get_versions}, {"deep-lookup", look_many_up}};
    const Words options = read_words(count, words);
    auto client = virt::Client::open(options.uri);
    if (!client) give_up(to_text(client.error()).c_str());
    virt::Client& opened = **client;
    Side side{std::move(*client), Remote::Client{opened}, Remote::AsyncClient{opened.connection()}};
    for (const auto& one : things)
        if (std::strcmp(one.name, options.what) == 0) {
            measure(&options, one.do_it, &side);
            return 0;
        }
    give_up("it does not do that");
}
