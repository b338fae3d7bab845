#include "helio/virt/relay/session.h"

#include <utility>

#include <fmt/format.h>

#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "helio/transport/socket/descriptors.h"
#include "helio/virt/wire/programs.h"
#include "helio/xdr/wire.h"

namespace helio::virt::relay {

using frame::VirnetHeader;
using frame::VirnetStatus;
using frame::VirnetType;

namespace {

constexpr std::size_t kWordSize = frame::LengthWord::kWordSize;
constexpr std::size_t kHeadSize = kWordSize + VirnetHeader::kSize;
constexpr std::uint32_t kAuthSaslInit = 67;

bool has_descriptors(VirnetType type) {
    return type == VirnetType::call_with_fds || type == VirnetType::reply_with_fds;
}

// After the header and, if present, the number of descriptors.
ByteView body_of(const VirnetHeader& header, ByteView frame) {
    const ByteView payload = frame.subspan(kHeadSize);
    return has_descriptors(header.type) && payload.size() >= 4 ? payload.subspan(4) : payload;
}

}  // namespace

RelaySession::RelaySession(const Policy& policy, RelayWatch& watch, RelayOutput& output,
                           RelaySessionOptions options)
    : policy_(policy), watch_(watch), output_(output), options_(options) {}

RelaySession::~RelaySession() = default;

void RelaySession::finish() {
    ended_ = true;
    if (held_) end_call(held_->call, CallRecord::End::none);
    held_.reset();
    for (auto& [serial, call] : calls_) end_call(call, CallRecord::End::none);
    calls_.clear();
}

void RelaySession::broken(RelaySide from, std::string_view what) {
    if (problem_.empty())
        problem_ =
            fmt::format("the {} sent {}", from == RelaySide::client ? "client" : "daemon", what);
    ended_ = true;
}

// ---- Bytes to messages ----

RelaySession::Progress RelaySession::from_client(ByteView bytes, std::vector<Fd>& descriptors) {
    Progress progress;
    while (!ended_) {
        if (is_waiting()) {
            progress.wanted = 0;
            break;
        }
        if (cut(bytes.subspan(progress.consumed), descriptors, RelaySide::client, progress) !=
            Step::next)
            break;
    }
    return progress;
}

RelaySession::Progress RelaySession::from_daemon(ByteView bytes, std::vector<Fd>& descriptors) {
    Progress progress;
    while (!ended_)
        if (cut(bytes.subspan(progress.consumed), descriptors, RelaySide::daemon, progress) !=
            Step::next)
            break;
    return progress;
}

RelaySession::Step RelaySession::cut(ByteView bytes, std::vector<Fd>& descriptors, RelaySide from,
                                     Progress& progress) {
    const frame::Cut cut = frame::LengthWord::cut(bytes);
    if (cut.kind == frame::CutKind::broken) {
        broken(from, to_text(cut));
        return Step::more;
    }
    progress.wanted = cut.wanted;
    if (cut.kind == frame::CutKind::more) return Step::more;
    const VirnetHeader header = frame::read_virnet_header(cut.message.data());
    const auto announced = frame::virnet_descriptors(header, cut.message);
    const bool takes = from == RelaySide::client ? options_.client_takes_descriptors
                                                 : options_.daemon_takes_descriptors;
    if (!announced || (*announced > 0 && !takes)) {
        broken(from, "a message with too many file descriptors");
        return Step::more;
    }
    const std::size_t count = *announced;
    if (bytes.size() < cut.consumed + count) {
        progress.wanted = cut.consumed + count;
        return Step::more;
    }
    if (descriptors.size() < count) {
        broken(from, "a message without its file descriptors");
        return Step::more;
    }
    std::vector<Fd> mine = transport::take_first(descriptors, count);
    progress.consumed += cut.consumed + mine.size();
    const ByteView frame = bytes.first(cut.consumed);
    if (from == RelaySide::client)
        take_client(frame, std::move(mine));
    else
        take_daemon(frame, std::move(mine));
    return Step::next;
}

// ---- The client's messages ----

void RelaySession::take_client(ByteView frame, std::vector<Fd> descriptors) {
    const VirnetHeader header = frame::read_virnet_header(frame.data() + kWordSize);
    if (options_.watch_messages) watch_.on_message(RelaySide::client, frame);
    switch (header.type) {
        case VirnetType::call:
        case VirnetType::call_with_fds:
            return take_call(frame, std::move(descriptors));
        case VirnetType::stream:
        case VirnetType::stream_hole:
            return output_.send(RelaySide::daemon, frame, {});
        case VirnetType::message:
            if (header.program == frame::kKeepaliveProgram)
                return output_.send(RelaySide::daemon, frame, {});
            return broken(RelaySide::client, "a message that only daemons may send");
        case VirnetType::reply:
        case VirnetType::reply_with_fds:
            return broken(RelaySide::client, "a reply");
    }
    broken(RelaySide::client, "a message of unknown type");
}

void RelaySession::take_call(ByteView frame, std::vector<Fd> descriptors) {
    const VirnetHeader header = frame::read_virnet_header(frame.data() + kWordSize);
    const ByteView arguments = body_of(header, frame);
    PendingCall call = begin(header, arguments);
    if (unreachable_) {
        refuse(std::move(call), *unreachable_,
               virt_error(VIR_ERR_SYSTEM_ERROR, VIR_FROM_RPC, *unreachable_));
        ended_ = true;
        return;
    }
    if (calls_.contains(header.serial)) {
        const std::string why = fmt::format(
            "serial {} is in use by a call that has not been answered yet", header.serial);
        return refuse(std::move(call), why, virt_error(VIR_ERR_RPC, VIR_FROM_RPC, why));
    }
    if (const auto error = cannot_carry(header, descriptors.size()))
        return refuse(std::move(call), error->message, *error);
    Judgement judgement = policy_.judge(header, arguments, {});
    if (judgement.kind != Judgement::Kind::ask)
        return decide(std::move(judgement), std::move(call), frame, std::move(descriptors));
    HeldCall held;
    held.frame.assign(frame.begin(), frame.end());
    held.descriptors = std::move(descriptors);
    held.questions = std::move(judgement.questions);
    held.call = std::move(call);
    held_ = std::move(held);
    ask_next();
}

// Calls that would fail later without a clear reason.
std::optional<VirtError> RelaySession::cannot_carry(const VirnetHeader& header,
                                                    std::size_t descriptors) const {
    if (options_.daemon_takes_descriptors) return std::nullopt;
    if (descriptors > 0)
        return virt_error(
            VIR_ERR_OPERATION_UNSUPPORTED, VIR_FROM_RPC,
            "the relay reaches its daemon over TCP, which cannot carry file descriptors");
    if (header.program == kRemoteProgram && header.procedure == kAuthSaslInit)
        return virt_error(VIR_ERR_AUTH_FAILED, VIR_FROM_RPC,
                          "SASL over TCP would encrypt the traffic, which the relay could then not "
                          "read; use the daemon's AF_UNIX socket");
    return std::nullopt;
}

void RelaySession::decide(Judgement judgement, PendingCall call, ByteView frame,
                          std::vector<Fd> descriptors) {
    call.record.rule = judgement.rule;
    if (judgement.kind == Judgement::Kind::denied)
        return refuse(std::move(call), std::move(judgement.reason), judgement.error);
    call.record.reason = std::move(judgement.reason);
    output_.send(RelaySide::daemon, frame, std::move(descriptors));
    calls_.emplace(call.record.header.serial, std::move(call));
}

// ---- Questions ----

void RelaySession::ask_next() {
    const Question& question = held_->questions[held_->asked];
    while (calls_.contains(next_own_serial_)) ++next_own_serial_;
    held_->serial = next_own_serial_++;
    VirnetHeader header;
    header.program = kRemoteProgram;
    header.procedure = procedure_of(question);
    header.serial = held_->serial;
    output_.send(RelaySide::daemon, frame::make_virnet_message(header, arguments_of(question)), {});
}

void RelaySession::take_answer(const VirnetHeader& header, ByteView payload) {
    Result<std::string, std::string> name = fail(std::string{});
    VirtError error;
    if (header.status == VirnetStatus::ok) {
        name = answer_in(payload);
        if (!name) error = virt_error(VIR_ERR_RPC, VIR_FROM_RPC, name.error());
    } else if (auto said = open_error(payload)) {
        error = std::move(*said);  // the call itself would get the same error
    } else {
        error = virt_error(VIR_ERR_RPC, VIR_FROM_RPC,
                           "the daemon's reply to a lookup cannot be decoded");
    }
    HeldCall held = std::move(*held_);
    held_.reset();
    if (!name) return refuse(std::move(held.call), "the daemon does not return its name", error);
    held.answers[held.questions[held.asked]] = std::move(*name);
    if (++held.asked < held.questions.size()) {
        held_ = std::move(held);
        return ask_next();
    }
    const VirnetHeader call = frame::read_virnet_header(held.frame.data() + kWordSize);
    Judgement judgement = policy_.judge(call, body_of(call, held.frame), held.answers);
    decide(std::move(judgement), std::move(held.call), held.frame, std::move(held.descriptors));
}

// ---- The daemon's messages ----

void RelaySession::take_daemon(ByteView frame, std::vector<Fd> descriptors) {
    const VirnetHeader header = frame::read_virnet_header(frame.data() + kWordSize);
    switch (header.type) {
        case VirnetType::reply:
        case VirnetType::reply_with_fds:
            if (held_ && held_->serial == header.serial && header.type == VirnetType::reply)
                return take_answer(header, frame.subspan(kHeadSize));
            take_reply(header, body_of(header, frame));
            break;
        case VirnetType::message:
        case VirnetType::stream:
        case VirnetType::stream_hole:
            break;
        default:
            return broken(RelaySide::daemon, "a message that only clients may send");
    }
    if (!descriptors.empty() && !options_.client_takes_descriptors)
        return broken(RelaySide::daemon,
                      "file descriptors, which cannot be passed to a client over TCP");
    if (options_.watch_messages) watch_.on_message(RelaySide::daemon, frame);
    output_.send(RelaySide::client, frame, std::move(descriptors));
}

void RelaySession::take_reply(const VirnetHeader& header, ByteView payload) {
    const auto found = calls_.find(header.serial);
    if (found == calls_.end()) return;  // no such call; the client handles it
    PendingCall& call = found->second;
    const bool good = header.status == VirnetStatus::ok;
    if (!good)
        if (auto said = open_error(payload)) call.record.error = std::move(*said);
    end_call(call, good ? CallRecord::End::good : CallRecord::End::error);
    calls_.erase(found);
}

// ---- Ends of calls ----

void RelaySession::refuse(PendingCall call, std::string reason, const VirtError& error) {
    call.record.allowed = false;
    call.record.reason = std::move(reason);
    call.record.error = error;
    answer(call.record.header, error);
    end_call(call, CallRecord::End::error);
}

void RelaySession::end_call(PendingCall& call, CallRecord::End end) {
    call.record.end = end;
    call.record.took =
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - call.began);
    watch_.on_call_end(call.record);
}

void RelaySession::answer(const VirnetHeader& call, const VirtError& error) {
    xdr::Arena arena;
    xdr::Writer body{arena};
    VirnetHeader header = call;
    header.type = VirnetType::reply;
    header.status = VirnetStatus::error;
    if (!put_error(body, error))
        return broken(RelaySide::client, "a call for which there is no memory");
    const std::vector<std::byte> frame = frame::make_virnet_message(header, body.joined());
    if (options_.watch_messages) watch_.on_message(RelaySide::daemon, frame);
    output_.send(RelaySide::client, frame, {});
}

RelaySession::PendingCall RelaySession::begin(const VirnetHeader& header,
                                              ByteView arguments) const {
    PendingCall out;
    out.began = Clock::now();
    out.record.began = std::chrono::system_clock::now();
    out.record.header = header;
    out.record.procedure =
        policy_.procedures().find(header.program, header.version, header.procedure);
    if (options_.show_arguments) show_arguments(out.record, arguments);
    return out;
}

void RelaySession::show_arguments(CallRecord& record, ByteView arguments) const {
    const RelayProcedure* const procedure = record.procedure;
    if (procedure == nullptr || arguments.size() > kRelayShownArgumentsMax) {
        record.note = fmt::format("({} bytes)", arguments.size());
    } else if (procedure->confidential) {
        record.note = "(not shown)";
    } else if (procedure->arguments->kind != idl::Kind::void_) {
        const auto tree = reflect::decode(arguments, *procedure->arguments, {.strict = false});
        if (tree.ok())
            record.arguments = reflect::to_json(tree, {.indent = 0});
        else
            record.note = fmt::format("(undecodable: {})", to_string(tree.error));
    }
    if (record.arguments.size() <= kRelayShownMax) return;
    record.arguments_cut = true;
    std::size_t end = kRelayShownMax;  // not within a character
    while (end > 0 && (static_cast<unsigned char>(record.arguments[end]) & 0xc0) == 0x80) --end;
    record.arguments.resize(end);
}

}  // namespace helio::virt::relay
