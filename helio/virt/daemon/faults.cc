#include "helio/virt/daemon/faults.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "helio/base/text/nearest.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/virt/server/server_client.h"

namespace helio::virt::daemon {

namespace {

// "DomainCreate", "DOMAIN_CREATE" → "domaincreate".
std::string plain_name(std::string_view name) {
    std::string plain;
    for (const char c : name)
        if (c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return plain;
}

std::optional<std::uint64_t> fault_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// "20ms", "2s".
std::optional<std::chrono::milliseconds> fault_delay(std::string_view text) {
    std::uint64_t unit = 0;
    if (text.ends_with("ms")) {
        unit = 1;
        text.remove_suffix(2);
    } else if (text.ends_with('s')) {
        unit = 1000;
        text.remove_suffix(1);
    }
    const auto number = fault_number(text);
    if (unit == 0 || !number) return std::nullopt;
    const auto most = static_cast<std::uint64_t>(kFaultDelayMax.count());
    if (*number > most / unit) return std::nullopt;
    return std::chrono::milliseconds(*number * unit);
}

// "38/18 text", "38 text", "text".
VirtError fault_error(std::string_view text) {
    VirtError error{.code = VIR_ERR_OPERATION_FAILED,
                    .domain = VIR_FROM_TEST,
                    .level = VIR_ERR_ERROR,
                    .message = {}};
    const std::size_t blank = text.find(' ');
    const std::string_view first = text.substr(0, blank);
    const std::size_t slash = first.find('/');
    const auto code = fault_number(first.substr(0, slash));
    const auto domain = slash == std::string_view::npos ? std::optional<std::uint64_t>(error.domain)
                                                        : fault_number(first.substr(slash + 1));
    constexpr std::uint64_t kNumberMax = 1000;  // far above all of libvirt's
    if (code && domain && *code <= kNumberMax && *domain <= kNumberMax) {
        error.code = static_cast<int>(*code);
        error.domain = static_cast<int>(*domain);
        text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    }
    error.message = text.empty() ? std::string("injected fault") : std::string(text);
    return error;
}

}  // namespace

Result<Fault, std::string> parse_fault(std::string_view text) {
    const std::string whole(text);
    const auto wrong = [&](std::string_view why) {
        return fail(fmt::format("fault '{}': {}", whole, why));
    };
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0)
        return wrong("expected PROCEDURE:WHAT, as in DomainCreate:error=no space left");
    Fault fault;
    fault.written = text.substr(0, colon);
    if (fault.written != "*") fault.procedure = plain_name(fault.written);
    text.remove_prefix(colon + 1);
    if (text.empty()) return wrong("the action is missing");
    while (!text.empty()) {
        if (text.starts_with("error=")) {  // the rest is its text
            fault.kind = Fault::Kind::error;
            fault.error = fault_error(text.substr(6));
            break;
        }
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view word = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        if (word == "disconnect" || word == "hang") {
            fault.kind = word == "hang" ? Fault::Kind::hang : Fault::Kind::disconnect;
        } else if (word.starts_with("delay=")) {
            const auto delay = fault_delay(word.substr(6));
            if (!delay) return wrong("a delay is a time such as 20ms or 2s, at most one hour");
            fault.delay = *delay;
        } else if (word.starts_with("times=") || word.starts_with("skip=")) {
            const auto number = fault_number(word.substr(word.find('=') + 1));
            if (!number) return wrong("times and skip must be numbers");
            (word.starts_with("times=") ? fault.times : fault.skip) = *number;
        } else {
            return wrong(
                fmt::format("'{}' is not delay=, error=, disconnect, hang, times= or skip=", word));
        }
    }
    return fault;
}

bool names_procedure(const Fault& fault, const xdr::VersionInfo& info) {
    if (fault.procedure.empty()) return true;
    for (const xdr::ProcedureInfo& one : info.procedures)
        if (plain_name(one.short_name) == fault.procedure) return true;
    return false;
}

std::string no_such_procedure(const Fault& fault, const xdr::VersionInfo& info) {
    Nearest nearest{fault.procedure};
    std::vector<std::string> names;  // borrowed by `nearest`
    names.reserve(info.procedures.size());
    std::string_view near;
    for (const xdr::ProcedureInfo& one : info.procedures)
        if (nearest.offer(names.emplace_back(plain_name(one.short_name)))) near = one.short_name;
    return fmt::format("libvirt has no procedure '{}'{}", fault.written,
                       near.empty() ? "" : fmt::format("; did you mean {}?", near));
}

// A waiting call, with everything it needs to continue.
struct FaultyService::Late {
    FaultyService* self = nullptr;
    const Fault* fault = nullptr;
    const xdr::ProcedureInfo* procedure = nullptr;
    ByteView arguments;  // in the call's message, which stays
};

FaultyService::FaultyService(xdr::ServiceBase& service, const std::vector<Fault>& faults)
    : inner_(service),
      procedures_(service.info().procedures.begin(), service.info().procedures.end()),
      info_(service.info()) {
    for (xdr::ProcedureInfo& one : procedures_) one.serve = serve_any;
    info_.procedures = procedures_;
    for (const Fault& one : faults) {
        faults_.push_back(std::make_unique<Armed>());
        faults_.back()->fault = one;
    }
}

FaultyService::Armed* FaultyService::armed_for(const xdr::ProcedureInfo& procedure) {
    const std::string name = plain_name(procedure.short_name);
    for (const auto& one : faults_) {
        const Fault& fault = one->fault;
        // Without these no client would get as far as the fault.
        if (fault.procedure.empty() && (name == "connectopen" || name == "authlist")) continue;
        if (!fault.procedure.empty() && fault.procedure != name) continue;
        const std::uint64_t before = one->calls.fetch_add(1);
        if (before < fault.skip) continue;
        if (fault.times != 0 && before - fault.skip >= fault.times) continue;
        return one.get();
    }
    return nullptr;
}

xdr::Outcome FaultyService::act(const Fault& fault, const xdr::ProcedureInfo& procedure,
                                xdr::CallContext& call, xdr::Reader& in, xdr::Writer& out) {
    switch (fault.kind) {
        case Fault::Kind::none:
            return procedure.serve(inner_.service(), call, in, out);
        case Fault::Kind::error:
            fail_call<void>(call, fault.error);
            return call.outcome();
        case Fault::Kind::disconnect:
            server::client_of(call).disconnect();
            return xdr::Outcome::silent;
        case Fault::Kind::hang:
            return xdr::Outcome::silent;
    }
    return xdr::Outcome::system_error;
}

Task<FaultyService::Late> FaultyService::wait_for(Late late) {
    co_await transport::EventLoop::current()->sleep(late.fault->delay);
    co_return late;
}

xdr::Outcome FaultyService::finish_late(void* frame, xdr::CallContext& call, xdr::Writer& out) {
    const Late late = Task<Late>::Frame::from_address(frame).promise().result();
    xdr::Reader in(late.arguments, call.arena());
    const xdr::Outcome outcome = late.self->act(*late.fault, *late.procedure, call, in, out);
    // A call that waits by itself cannot be made to wait twice.
    return outcome == xdr::Outcome::suspended ? xdr::Outcome::system_error : outcome;
}

xdr::Outcome FaultyService::serve_any(void* self, xdr::CallContext& call, xdr::Reader& in,
                                      xdr::Writer& out) {
    auto& faulty = *static_cast<FaultyService*>(self);
    const xdr::ProcedureInfo& procedure =
        *faulty.inner_.info().procedure(rpc::call_of(call).procedure);
    const Armed* const armed = faulty.armed_for(procedure);
    if (armed == nullptr) return procedure.serve(faulty.inner_.service(), call, in, out);
    if (armed->fault.delay.count() == 0 || transport::EventLoop::current() == nullptr)
        return faulty.act(armed->fault, procedure, call, in, out);
    auto task = wait_for({&faulty, &armed->fault, &procedure, in.rest()});
    const auto frame = task.release();
    call.set_later({frame, frame.promise(), xdr::Later::State::not_begun});
    call.later().set_finish(finish_late);
    return xdr::Outcome::suspended;
}

}  // namespace helio::virt::daemon
