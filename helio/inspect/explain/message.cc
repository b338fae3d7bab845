// One message: its headers, then arguments or results.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "helio/inspect/explain/explain_internal.h"
#include "helio/reflect/decode.h"

namespace helio::inspect {
namespace {

using reflect::NodeIndex;
using reflect::Role;
using xdr::Fault;

// Larger values are not decoded past a wrong word, because that takes a copy.
constexpr std::size_t kPatchedBytesMax = 64u << 10;
constexpr std::size_t kCredentialBodyAt = 32;  // its body, after eight words
constexpr std::uint32_t kFlavorOfSys = 1;
constexpr std::uint32_t kRpcsecGss = 6;

// virNetMessageType and virNetMessageStatus; facts of libvirt.
enum VirnetWord : std::uint32_t {
    kVirnetCall,
    kVirnetReply,
    kVirnetMessage,
    kVirnetStream,
    kVirnetCallFds,
    kVirnetReplyFds,
    kVirnetHole
};
enum VirnetStatus : std::uint32_t { kOk, kError, kContinue };

// After a wrong word of fixed size, the next field's position is certain.
bool next_is_certain(const reflect::Tree& tree) {
    const Fault fault = tree.error.fault;
    if (fault != Fault::bad_enum && fault != Fault::bad_bool && fault != Fault::out_of_range)
        return false;
    return !tree.nodes.empty() && tree.nodes.back().role == Role::value &&
           tree.nodes.back().offset == tree.error.offset;
}

std::uint32_t good_value(const idl::Type& declared) {
    const idl::Type& type = idl::resolve(declared);
    return type.enumerators.empty() ? 0
                                    : static_cast<std::uint32_t>(type.enumerators.front().value);
}

bool harmless(const reflect::Tree& tree) {
    return tree.ok() || tree.error.fault == Fault::trailing_bytes;
}

// Does the length of the decoded AUTH_SYS body match the credential's length? Unknowable if the
// message ends within it.
bool credential_fits(const reflect::Tree& tree, ByteView message) {
    constexpr std::uint32_t kAuthBytesMax = 400;  // RFC 5531 §8.2
    const std::uint32_t said = word_at(message, 7);
    if (said > kAuthBytesMax) return false;
    if (message.size() < kCredentialBodyAt + std::size_t{said}) return true;
    for (const reflect::Node& node : tree.nodes)
        if (node.depth == 1 && node.field != nullptr && node.field->name == "who")
            return node.size == said;
    return false;
}

}  // namespace

// Decodes past wrong words that leave the next field's position certain: it decodes a copy of the
// bytes in which those words are corrected. True: the whole value was decoded.
bool MessageExplainer::decode_past_wrong_words(Part& part, const idl::Type& type) {
    reflect::Tree& tree = part.tree;
    const ByteView bytes = tree.bytes;
    if (bytes.size() > kPatchedBytesMax) return false;
    patched_.assign(bytes.begin(), bytes.end());
    while (next_is_certain(tree) && part.wrong.size() < kWrongWordsMax) {
        part.wrong.push_back(tree.error.offset);
        xdr::store_u32(patched_.data() + tree.error.offset, good_value(*tree.nodes.back().type));
        reflect::decode_into(tree, patched_, type, {.strict = false});
    }
    tree.bytes = bytes;
    return tree.ok();
}

std::uint32_t MessageExplainer::value(std::uint32_t at, std::uint32_t end, const idl::Type& type,
                                      std::string_view title, std::string_view root) {
    Part& part = out_.add_part();
    part.offset = at;
    part.title = title;
    part.root = root;
    reflect::Tree& tree = part.tree;
    reflect::decode_into(tree, out_.bytes.subspan(at, end - at), type);
    if (tree.error.fault == Fault::bad_padding) {
        const std::uint32_t padding = tree.error.offset;
        reflect::decode_into(tree, tree.bytes, type, {.strict = false});
        part.wrong.push_back(padding);
        part.problem = fmt::format(
            "the padding at byte {} is not zero, as RFC 4506 requires; decoding continues",
            at + padding);
        out_.ok = false;
    }
    const xdr::DecodeError first = tree.error;
    bool complete = harmless(tree);
    if (!complete) {
        complete = next_is_certain(tree) && decode_past_wrong_words(part, type);
        if (part.wrong.empty() && first.fault != Fault::truncated)
            part.wrong.push_back(first.offset);
        if (!part.problem.empty()) part.problem += ". ";
        part.problem += describe_fault(part, first, cut);
        if (complete) part.problem += "; the fields after it are certain and are decoded";
        if (!cut || first.fault != Fault::truncated) out_.ok = false;
    }
    tree.error = harmless(tree) && complete && part.problem.empty() ? xdr::DecodeError{} : first;
    tree.bytes = tree.bytes.first(tree.consumed);
    stopped_ = !complete;
    return at + tree.consumed;
}

std::uint32_t MessageExplainer::single(std::uint32_t at, const idl::Type& type,
                                       std::string_view title) {
    const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(out_.bytes.size(), at + 4));
    return value(at, end, type, title, "");
}

void MessageExplainer::rest(std::uint32_t at, std::uint32_t end, std::string_view title,
                            std::string_view problem) {
    if (at >= end) return;
    Part& part = out_.add_part();
    part.offset = at;
    part.title = title;
    part.problem = problem;
    part.tree.bytes = out_.bytes.subspan(at, end - at);
}

// Arguments or results.
void MessageExplainer::body(std::uint32_t at, std::uint32_t end, const idl::Type* type,
                            std::string_view of, bool arguments) {
    if (type == nullptr) {
        const std::string_view why =
            arguments ? "no schema has this procedure"
                      : "the procedure is unknown, because the call is missing; name it with --as";
        rest(at, end, arguments ? "arguments of " : "results", why);
        if (arguments && at < end) out_.parts.back().title += of;
        return;
    }
    if (idl::resolve(*type).kind == idl::Kind::void_) {
        rest(at, end, "bytes after the message", "nothing should follow here");
        if (at < end) out_.ok = false;
        return;
    }
    const std::uint32_t next = value(at, end, *type, arguments ? "arguments of " : "results of ",
                                     arguments ? "args" : "result");
    out_.parts.back().title += of;
    if (next >= end) return;
    Part& part = out_.parts.back();
    if (part.problem.empty()) {
        out_.ok = false;
        rest(next, end, "bytes after the message",
             fmt::format("the {} end at byte {}, but {} more bytes follow",
                         arguments ? "arguments" : "results", next, end - next));
    } else {
        rest(next, end, "not decoded", "");
    }
}

// The header, with an AUTH_SYS credential decoded. Returns where it ends.
std::uint32_t MessageExplainer::onc_header(std::uint32_t at, std::uint32_t end, bool call) {
    const ByteView message = out_.bytes.subspan(at, end - at);
    const std::string_view title = call ? "RPC call" : "RPC reply";
    const bool sys =
        call && message.size() >= kCredentialBodyAt && word_at(message, 6) == kFlavorOfSys;
    if (sys && types_.sys_call != nullptr) {
        const bool was_ok = out_.ok;
        const std::uint32_t next = value(at, end, *types_.sys_call, title, "");
        const reflect::Tree& tree = out_.parts.back().tree;
        if ((harmless(tree) || tree.error.fault == Fault::truncated) &&
            credential_fits(tree, message))
            return next;
        out_.parts.pop_back();
        out_.ok = was_ok;
    }
    const std::uint32_t next = value(at, end, *types_.rpc_msg, title, "");
    if (sys) {
        Part& part = out_.parts.back();
        if (!part.problem.empty()) part.problem += ". ";
        part.problem += fmt::format(
            "The credential's body of {} bytes is not valid for AUTH_SYS (authsys_parms) and is "
            "shown as bytes",
            word_at(message, 7));
        out_.ok = false;
    }
    return next;
}

void MessageExplainer::onc(std::uint32_t at, std::uint32_t end, const CallBook* calls) {
    const ByteView message = out_.bytes.subspan(at, end - at);
    out_.shape = Shape::onc;
    out_.message_at = at;
    out_.known = true;
    Head& head = out_.head;
    const bool readable = read_head(message, head);
    const bool call = message.size() >= 8 && word_at(message, 1) == 0;
    if (!readable) {
        head = {};
        head.call = call;
        if (message.size() >= 4) head.xid = word_at(message, 0);
    }
    const std::uint32_t next = onc_header(at, end, call);
    const bool unfinished = stopped_;
    if (head.call) {
        found = catalogue_.find(Shape::onc, head.program, head.version, head.procedure);
    } else {
        found = calls != nullptr ? calls->find(Shape::onc, head.xid) : nullptr;
        if (found == nullptr) found = hint;
    }
    out_.procedure = found;
    std::string of;
    if (found == nullptr)
        of = head.call && readable
                 ? catalogue_.name_of(Shape::onc, head.program, head.version, head.procedure)
                 : "an unknown procedure";
    out_.what = call ? "call of " : "reply to ";
    out_.what += found != nullptr ? found->name : of;
    if (wordy) {
        out_.what += fmt::format(", xid {:#010x}", head.xid);
        if (!call && head.complete) out_.what += fmt::format(", {}", name(head.verdict));
    }
    if (unfinished) {
        rest(next, end, "not decoded", "");
        return;
    }
    if (!head.call && head.verdict != Verdict::success) {
        rest(next, end, "bytes after the message", "this reply carries no results");
        return;
    }
    const bool header_ok = out_.ok;
    body(next, end,
         found == nullptr ? nullptr
         : head.call      ? found->arguments
                          : found->result,
         found != nullptr ? std::string_view{found->name} : of, head.call);
    if (head.call && head.flavor == kRpcsecGss && !out_.parts.back().problem.empty()) {
        out_.parts.back().problem +=
            ". The credential is RPCSEC_GSS: the arguments may be protected";
        out_.ok = header_ok;
    }
}

void MessageExplainer::headless(std::uint32_t end, const CallBook& calls) {
    const ByteView bytes = out_.bytes.first(end);
    const bool call = word_at(bytes, 0) == 2;
    const idl::Type& type = call ? *types_.call_body : *types_.rpc_msg_body;
    out_.known = true;
    const std::uint32_t next = value(
        0, end, type,
        call ? "RPC call, starting at its third word" : "RPC reply, starting at its second word",
        "");
    out_.head.call = call;
    if (call) {
        out_.head.program = word_at(bytes, 1);
        out_.head.version = word_at(bytes, 2);
        out_.head.procedure = word_at(bytes, 3);
        found =
            catalogue_.find(Shape::onc, out_.head.program, out_.head.version, out_.head.procedure);
    } else {
        found = calls.headless() != nullptr ? calls.headless() : hint;
    }
    out_.procedure = found;
    out_.what = fmt::format("{} {}, without its xid", call ? "call of" : "reply to",
                            found != nullptr ? found->name : "an unknown procedure");
    if (stopped_) {
        rest(next, end, "not decoded", "");
        return;
    }
    body(next, end,
         found == nullptr ? nullptr
         : call           ? found->arguments
                          : found->result,
         found != nullptr ? std::string_view{found->name} : std::string_view{"it"}, call);
}

void MessageExplainer::virnet(std::uint32_t at, std::uint32_t end, const CallBook* calls) {
    const ByteView message = out_.bytes.subspan(at, end - at);
    out_.shape = Shape::virnet;
    out_.message_at = at;
    out_.known = true;
    const std::uint32_t next = value(at, end, *types_.virnet_header, "libvirt header", "");
    if (stopped_ || message.size() < 24) {
        rest(next, end, "not decoded", "");
        if (wordy) out_.what = "a libvirt message, cut off in its header";
        return;
    }
    Head& head = out_.head;
    head = {};
    head.program = word_at(message, 0);
    head.version = word_at(message, 1);
    head.procedure = word_at(message, 2);
    head.xid = word_at(message, 4);
    head.complete = true;
    head.body = 24;
    const std::uint32_t type = word_at(message, 3);
    head.call = type == kVirnetCall || type == kVirnetCallFds;
    found = catalogue_.find(Shape::virnet, head.program, head.version, head.procedure);
    if (found == nullptr && calls != nullptr) found = calls->find(Shape::virnet, head.xid);
    out_.procedure = found;
    static constexpr std::string_view kWhat[] = {"call of",
                                                 "reply to",
                                                 "message",
                                                 "stream of",
                                                 "call of",
                                                 "reply to",
                                                 "hole in the stream of"};
    out_.what = kWhat[std::min<std::uint32_t>(type, kVirnetHole)];
    out_.what += ' ';
    if (found != nullptr)
        out_.what += found->name;
    else if (wordy)
        out_.what += catalogue_.name_of(Shape::virnet, head.program, head.version, head.procedure);
    if (wordy) {
        out_.what += fmt::format(", serial {}", head.xid);
        if (word_at(message, 5) == kError) out_.what += ", an error";
    }
    virnet_payload(next, end, type, word_at(message, 5));
}

void MessageExplainer::virnet_payload(std::uint32_t at, std::uint32_t end, std::uint32_t type,
                                      std::uint32_t status) {
    if ((type == kVirnetCallFds || type == kVirnetReplyFds) && status != kError) {
        at = single(at, *types_.descriptors, "descriptors");
        if (stopped_) {
            rest(at, end, "not decoded", "");
            return;
        }
    }
    if (status == kError) {
        if (at == end) return;
        const std::uint32_t next = value(at, end, *types_.virnet_error, "error", "error");
        rest(next, end, "not decoded", "");
        return;
    }
    if (type == kVirnetStream) {
        rest(at, end, "bytes of the stream", "");
        return;
    }
    if (type == kVirnetHole) {
        const std::uint32_t next = value(at, end, *types_.virnet_hole, "hole", "hole");
        rest(next, end, "not decoded", "");
        return;
    }
    const bool arguments = type == kVirnetCall || type == kVirnetCallFds || type == kVirnetMessage;
    const idl::Type* wanted = nullptr;
    if (found != nullptr) {
        wanted = arguments ? found->arguments : found->result;
        // libvirt declares an event's payload as its result.
        if (type == kVirnetMessage && idl::resolve(*wanted).kind == idl::Kind::void_)
            wanted = found->result;
    }
    body(at, end, wanted, found != nullptr ? std::string_view{found->name} : std::string_view{"it"},
         arguments);
}

}  // namespace helio::inspect
