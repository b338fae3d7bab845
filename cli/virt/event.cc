// helio virt event: prints events of domains as they happen.
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/virt/virt.h"
#include "helio/base/text/escape.h"
#include "helio/base/text/json_writer.h"
#include "helio/reflect/arguments.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "helio/virt/client/events.h"
#include "schema/builtin.h"

namespace helio::cli {
namespace {

struct EventFlags {
    std::vector<std::string> kinds;  // none: lifecycle
    std::string domain;
    std::string how_long;     // empty: forever
    std::uint64_t count = 0;  // 0: no end
    bool all = false;
    bool json = false;
    bool list = false;
};

constexpr const char* kEventExamples = R"(Examples:
  helio virt event                          domains started, stopped, defined, until Ctrl-C
  helio virt event --all --json             everything, one JSON object per line
  helio virt event --kind io-error --domain web1 --count 1
Lines are written as events arrive. --list shows all kinds.)";

int kind_number(const std::string& name) {
    const auto names = virt::event_names();
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<int>(i);
    throw std::runtime_error(
        fmt::format("unknown kind of event '{}'; helio virt event --list lists them", name));
}

// Any event as JSON, by its schema.
class EventText final {
 public:
    EventText() : parsed_(builtin::parse("remote")) {}
    std::string json(const virt::Event& event) const {
        std::string out;
        JsonWriter object{out};
        object.open('{');
        if (const idl::Procedure* const procedure = find(event)) {
            const reflect::Arguments arguments{*procedure};
            const auto tree = reflect::decode(event.payload, arguments.type(), {.strict = false});
            object.member("event", procedure->short_name);
            object.key("message");
            tree.ok() ? reflect::append_json(out, tree, {.indent = 0}) : object.null();
        } else {
            object.member("program", event.program);
            object.member("procedure", event.procedure);
        }
        object.close('}');
        return out;
    }

 private:
    const idl::Procedure* find(const virt::Event& event) const {
        for (const auto& program : parsed_.schema->programs)
            if (program.number == event.program)
                for (const auto& version : program.versions)
                    if (const auto* const found = version.procedure(event.procedure)) return found;
        return nullptr;
    }
    idl::Parsed parsed_;
};

void print_event(const EventFlags& flags, const EventText& text, const virt::Event& event) {
    const auto change = virt::lifecycle_of(event);
    if (change && flags.json) {
        std::string out;
        JsonWriter json{out};
        json.open('{');
        json.member("event", "lifecycle");
        json.member("domain", change->domain.name);
        json.member("uuid", virt::to_text(change->domain.uuid));
        json.member("type", virt::lifecycle_name(change->event));
        json.member("detail", virt::lifecycle_detail(change->event, change->detail));
        json.close('}');
        fmt::print("{}\n", out);
    } else if (change) {
        fmt::print("{}: {} ({})\n", escaped(change->domain.name),
                   virt::lifecycle_name(change->event),
                   virt::lifecycle_detail(change->event, change->detail));
    } else {
        fmt::print("{}\n", text.json(event));
    }
    std::fflush(stdout);
}

Task<VirtDone> watch_events(virt::ClientConnection& connection, EventFlags flags) {
    using Clock = std::chrono::steady_clock;
    std::vector<int> kinds;
    if (flags.all)
        for (std::size_t i = 0; i < virt::event_names().size(); ++i)
            kinds.push_back(static_cast<int>(i));
    for (const std::string& one : flags.kinds) kinds.push_back(kind_number(one));
    if (kinds.empty()) kinds.push_back(virt::kEventLifecycle);
    std::optional<virt::DomainRef> domain;
    if (!flags.domain.empty()) {
        auto found = co_await virt::find_domain(connection, flags.domain);
        if (!found) co_return fail(found.error());
        domain = std::move(*found);
    }
    virt::Events events{connection};
    for (const int kind : kinds) {
        const auto subscribed = co_await events.subscribe(kind, domain);
        // With --all, skip events that an older daemon does not know.
        if (!subscribed && (!flags.all || connection.is_lost())) co_return fail(subscribed.error());
    }
    std::fprintf(stderr, "helio: listening\n");
    const EventText text;
    const bool has_end = !flags.how_long.empty();
    const auto end = has_end ? Clock::now() + parse_duration(flags.how_long) : Clock::time_point{};
    for (std::uint64_t seen = 0; flags.count == 0 || seen < flags.count; ++seen) {
        std::optional<std::chrono::milliseconds> left;
        if (has_end) left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
        const auto event = co_await events.next(left);
        if (!event && has_end && event.error().call.outcome == xdr::Outcome::timed_out)
            co_return flags.count == 0 ? kDone : kNo;
        if (!event) co_return fail(event.error());
        print_event(flags, text, *event);
    }
    co_return kDone;
}

}  // namespace

void add_virt_event(Command& virt, VirtFlagsRef common, int& exit_code) {
    auto flags = std::make_shared<EventFlags>();
    auto* const verb = virt.add_subcommand("event", "Print domain events as they happen");
    auto* const all = verb->add_flag("--all", flags->all, "every kind of event");
    verb->add_option("--kind", flags->kinds, "kind of event: lifecycle, reboot, …; may be repeated")
        ->allow_extra_args(false)
        ->excludes(all);
    verb->add_option("--domain", flags->domain, "only events of this domain");
    verb->add_option("--for", flags->how_long, "stop after this time: 10s, 5m")
        ->check(check_duration);
    verb->add_option("--count", flags->count,
                     "stop after this many events; with --for, exit 1 if there were fewer");
    verb->add_flag("--json", flags->json, "print one JSON object per line");
    verb->add_flag("--list", flags->list, "list the kinds of events and exit");
    verb->footer(kEventExamples);
    verb->callback([flags, common, &exit_code] {
        if (flags->list) {
            for (const auto name : virt::event_names()) fmt::print("{}\n", name);
            return;
        }
        for (const std::string& one : flags->kinds) kind_number(one);
        exit_code = with_virt(*common, [&](virt::Client& client) {
            return client.run(watch_events(client.connection(), *flags));
        });
    });
}

}  // namespace helio::cli
