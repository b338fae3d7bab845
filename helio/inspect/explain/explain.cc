#include "helio/inspect/explain/explain.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "helio/frame/virnet_header.h"
#include "helio/idl/parse.h"
#include "helio/inspect/explain/explain_internal.h"
#include "helio/inspect/head.h"
#include "helio/reflect/decode.h"

namespace helio::inspect {
namespace {

// Types of the words around messages that no schema defines.
constexpr const char* kOwnSchema = R"(
/* RFC 5531 section 11: before each fragment of a record on a stream. */
struct record_mark { unsigned int mark; };
/* libvirt: bytes of the message, this word counted. */
struct message_length { unsigned int length; };
/* libvirt: how many file descriptors follow the message. */
struct descriptors { unsigned int count; };
)";

bool all_zero(ByteView bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

std::uint32_t size32(std::size_t size) { return static_cast<std::uint32_t>(size); }

}  // namespace

void Explanation::clear() {
    while (!parts.empty()) {
        spare_.push_back(std::move(parts.back()));
        parts.pop_back();
    }
    what.clear();
    why.clear();
    procedure = nullptr;
    head = {};
    shape = Shape::onc;
    known = false;
    ok = true;
    bytes = {};
    message_at = 0;
    taken_out.clear();
    origins.clear();
    source = 0;
    owned.clear();
}

Part& Explanation::add_part() {
    if (spare_.empty()) return parts.emplace_back();
    Part& part = parts.emplace_back(std::move(spare_.back()));
    spare_.pop_back();
    part.title.clear();
    part.root.clear();
    part.problem.clear();
    part.note.clear();
    part.wrong.clear();
    part.offset = 0;
    part.tree.nodes.clear();
    part.tree.consumed = 0;
    part.tree.error = {};
    part.tree.bytes = {};
    return part;
}

void CallBook::note(Shape shape, std::uint32_t xid, const Procedure* procedure) {
    if (procedure == nullptr) return;
    const std::uint64_t key = std::uint64_t{xid} << 1 | (shape == Shape::virnet ? 1 : 0);
    const auto [place, fresh] = calls_.try_emplace(key, procedure);
    place->second = procedure;
    if (!fresh) return;
    if (order_.size() < kCallsRememberedMax) {
        order_.push_back(key);
        return;
    }
    calls_.erase(std::exchange(order_[oldest_], key));
    oldest_ = (oldest_ + 1) % kCallsRememberedMax;
}

const Procedure* CallBook::find(Shape shape, std::uint32_t xid) const {
    const auto found = calls_.find(std::uint64_t{xid} << 1 | (shape == Shape::virnet ? 1 : 0));
    return found == calls_.end() ? nullptr : found->second;
}

Explainer::Explainer(const Catalogue& catalogue)
    : catalogue_(catalogue), types_(std::make_unique<ExplainTypes>()) {
    types_->own = idl::parse("explain.x", kOwnSchema).schema;
    types_->record_mark = types_->own->type("record_mark");
    types_->message_length = types_->own->type("message_length");
    types_->descriptors = types_->own->type("descriptors");
    types_->rpc_msg = catalogue.type("rpc", "rpc_msg");
    types_->rpc_msg_body = catalogue.type("rpc", "rpc_msg_body");
    types_->call_body = catalogue.type("rpc", "call_body");
    types_->sys_call = catalogue.type("authsys", "sys_call");
    types_->rdma_msg = catalogue.type("rpcrdma", "rdma_msg");
    types_->virnet_header = catalogue.type("virnet", "virNetMessageHeader");
    types_->virnet_error = catalogue.type("virnet", "virNetMessageError");
    types_->virnet_hole = catalogue.type("virnet", "virNetStreamHole");
}

Explainer::~Explainer() = default;

// Explains the messages of one run of bytes.
class ExplainRun {
 public:
    ExplainRun(const Explainer& explainer, ByteView bytes, CallBook& calls,
               const ExplainOptions& options)
        : catalogue_(explainer.catalogue_),
          types_(*explainer.types_),
          bytes_(bytes),
          calls_(calls),
          options_(options) {}

    std::vector<Explanation> run() {
        std::vector<Explanation> all;
        std::size_t at = 0;
        Guess guess = look(0, true);
        while (at < bytes_.size()) {
            Explanation& out = all.emplace_back();
            out.source = size32(at);
            if (!guess.found || all.size() > kMessagesInRunMax) {
                unknown(out, at);
                break;
            }
            at = one(out, at, guess);
            if (at < bytes_.size()) guess = next_.found ? std::exchange(next_, {}) : look(at, true);
        }
        return all;
    }

 private:
    Guess look(std::size_t at, bool deep) const {
        Guess guess =
            recognise(bytes_.subspan(at), catalogue_, types_.rdma_msg, options_.headless, deep);
        // Needs the header's schema in the catalogue.
        if (guess.found && types_.rpc_msg == nullptr && guess.shape == Shape::onc)
            guess.found = false;
        if (guess.found && types_.virnet_header == nullptr && guess.shape == Shape::virnet)
            guess.found = false;
        return guess;
    }

    void unknown(Explanation& out, std::size_t at) {
        out.bytes = bytes_.subspan(at);
        out.what = fmt::format("{} bytes without a recognised message", out.bytes.size());
        out.why =
            "none of the words begins a record mark, RPC header, RPC-over-RDMA header or libvirt "
            "header";
        if (out.bytes.size() < 12) out.why = "fewer than three words are too little to tell";
        out.ok = false;
        MessageExplainer{catalogue_, types_, out}.rest(0, size32(out.bytes.size()), "bytes", "");
    }

    // Explains the message at `at` and returns the offset of the next one.
    std::size_t one(Explanation& out, std::size_t at, const Guess& guess) {
        std::size_t end = at + guess.skip + guess.size;
        out.bytes = bytes_.subspan(at, guess.skip + guess.size);
        out.why = guess.why;
        MessageExplainer message{catalogue_, types_, out};
        message.cut = options_.cut && end == bytes_.size();
        message.hint = options_.reply_of;
        auto from = size32(guess.skip);
        if (from != 0) {
            message.rest(0, from, guess.before, guess.unread ? "no message starts here" : "");
            if (guess.unread) out.ok = false;
        }
        switch (guess.around) {
            case Guess::Around::record_mark:
                record(out, message, from, guess);
                break;
            case Guess::Around::rdma:
                rdma(out, message, from);
                break;
            case Guess::Around::virnet_length:
                from = message.single(from, *types_.message_length, "length of the message");
                message.virnet(from, size32(out.bytes.size()), &calls_);
                if (guess.whole) end = pass_descriptors(out, message, from, end);
                break;
            case Guess::Around::body_only:
                message.headless(size32(out.bytes.size()), calls_);
                if (out.head.call) calls_.note_headless(message.found);
                break;
            case Guess::Around::nothing:
                if (guess.shape == Shape::onc)
                    message.onc(from, size32(out.bytes.size()), &calls_);
                else
                    message.virnet(from, size32(out.bytes.size()), &calls_);
                break;
        }
        if (out.head.call && guess.around != Guess::Around::body_only)
            calls_.note(out.shape, out.head.xid, message.found);
        return guess.whole ? resume_behind(out, end) : resume_within(out, at, end);
    }

    // libvirt over AF_UNIX: a zero byte for each descriptor follows the message, and its length
    // does not count them. Some dumps lack those bytes; then the next message follows directly.
    std::size_t pass_descriptors(Explanation& out, MessageExplainer& message, std::size_t from,
                                 std::size_t end) const {
        Head head;
        VirnetType type = VirnetType::call;
        const ByteView body = out.bytes.subspan(from);
        if (!read_virnet_head(body, head, type) || head.body == kVirnetHeadSize ||
            body.size() < head.body || end == bytes_.size())
            return end;
        const std::size_t count = word_at(body, kVirnetHeadSize / 4);
        if (count > frame::kVirnetFdsMax || count > bytes_.size() - end) return end;
        const ByteView behind = bytes_.subspan(end, count);
        const bool zero = std::all_of(behind.begin(), behind.end(),
                                      [](std::byte one) { return one == std::byte{0}; });
        const Guess next = look(end, false);
        if (!zero || (next.found && next.skip == 0)) return end;
        const auto size = out.bytes.size();
        out.bytes = bytes_.subspan(end - size, size + count);
        message.rest(size32(size), size32(size + count), "a byte for each descriptor", "");
        return end + count;
    }

    // The record mark says where the next message begins, whatever is wrong with this one.
    std::size_t resume_behind(Explanation& out, std::size_t end) {
        if (!out.ok && end < bytes_.size() && !out.parts.empty())
            say(out,
                fmt::format("Decoding continues at byte {}, where the next message starts", end));
        return end;
    }

    // The message has no known length: bytes left over may begin another.
    std::size_t resume_within(Explanation& out, std::size_t at, std::size_t end) {
        Part& last = out.parts.back();
        const bool over =
            last.tree.nodes.empty() && out.parts.size() > 1 && out.origins.empty() && out.known;
        if (!over || last.offset < out.message_at) return end;
        // In results of unknown type, any word may look like a message.
        if (!last.problem.empty() && last.title.substr(0, 5) != "bytes") return end;
        Guess guess = look(at + last.offset, false);
        if (!guess.found) return end;
        const std::size_t from = at + last.offset + guess.skip;
        if (guess.skip == 0) {
            out.bytes = out.bytes.first(last.offset);
            out.parts.pop_back();
            out.ok = std::all_of(out.parts.begin(), out.parts.end(), [](const Part& part) {
                return part.wrong.empty() && part.problem.empty();
            });
        } else {
            out.bytes = out.bytes.first(last.offset + guess.skip);
            last.tree.bytes = last.tree.bytes.first(guess.skip);
            last.title = "not decoded";
            say(out,
                fmt::format("Decoding continues at byte {}, where a message seems to start", from));
        }
        guess.skip = 0;
        next_ = std::move(guess);
        return from;
    }

    static void say(Explanation& out, std::string sentence) {
        for (Part& part : out.parts) {
            if (part.problem.empty()) continue;
            part.problem += ". ";
            part.problem += sentence;
            return;
        }
        out.parts.back().problem = std::move(sentence);
    }

    // Joins fragments; their marks come first.
    void record(Explanation& out, MessageExplainer& message, std::uint32_t from,
                const Guess& guess) {
        const ByteView record = out.bytes.subspan(from);
        if ((word_at(record, 0) >> 31) == 0) join(out, from, record);
        const std::uint32_t marks = joined_marks_;
        joined_marks_ = 1;
        for (std::uint32_t i = 0; i < marks; ++i)
            from = message.single(from, *types_.record_mark, "record mark");
        message.cut = message.cut || !guess.whole;
        message.onc(from, size32(out.bytes.size()), &calls_);
    }

    void join(Explanation& out, std::uint32_t from, ByteView record) {
        std::vector<std::pair<std::size_t, std::size_t>> bodies;
        const std::uint32_t base = out.source;
        std::vector<std::byte>& owned = out.owned;
        owned.assign(out.bytes.begin(), out.bytes.begin() + from);
        out.origins.push_back({0, from, base, true});
        std::size_t at = 0;
        while (at + 4 <= record.size()) {
            const std::uint32_t mark = word_at(record.subspan(at), 0);
            out.origins.push_back({size32(owned.size()), 4, size32(base + from + at), true});
            owned.insert(owned.end(), record.begin() + static_cast<std::ptrdiff_t>(at),
                         record.begin() + static_cast<std::ptrdiff_t>(at + 4));
            const std::size_t size =
                std::min<std::size_t>(mark & 0x7fffffff, record.size() - at - 4);
            bodies.emplace_back(at + 4, size);
            at += 4 + size;
            if ((mark >> 31) != 0) break;
        }
        // Up to three bytes, too few for a mark.
        if (at < record.size()) bodies.emplace_back(at, record.size() - at);
        joined_marks_ = size32((owned.size() - from) / 4);
        for (const auto& [begin, size] : bodies) {
            if (size == 0) continue;
            out.origins.push_back(
                {size32(owned.size()), size32(size), size32(base + from + begin), true});
            owned.insert(owned.end(), record.begin() + static_cast<std::ptrdiff_t>(begin),
                         record.begin() + static_cast<std::ptrdiff_t>(begin + size));
        }
        out.bytes = owned;
    }

    void rdma(Explanation& out, MessageExplainer& message, std::uint32_t from) {
        const std::uint32_t next = message.value(from, size32(out.bytes.size()), *types_.rdma_msg,
                                                 "RPC-over-RDMA header", "");
        out.known = true;
        out.head.xid = word_at(out.bytes.subspan(from), 0);
        const std::uint32_t kind = word_at(out.bytes.subspan(from), 3);
        out.what = fmt::format("{}, xid {:#010x}", kRdmaKinds[std::min<std::uint32_t>(kind, 4)],
                               out.head.xid);
        const auto end = size32(out.bytes.size());
        if (message.stopped() || next >= end) {
            if (!message.stopped()) put_back_chunks(out, next, nullptr);
            message.rest(next, end, "not decoded", "");
            return;
        }
        const bool carries = kind == 0 || kind == 2;
        const ByteView inside = out.bytes.subspan(next);
        Head head;
        if (!carries || !read_head(inside, head)) {
            if (carries && !all_zero(inside)) out.ok = false;
            put_back_chunks(out, next, nullptr);
            message.rest(next, end, "bytes after the header",
                         !carries ? "no message follows this header"
                         : all_zero(inside)
                             ? "the RPC message is missing: the kernel keeps it in another buffer"
                             : "no RPC message starts here");
            return;
        }
        const Procedure* const known =
            head.call ? catalogue_.find(Shape::onc, head.program, head.version, head.procedure)
            : calls_.find(Shape::onc, head.xid) != nullptr ? calls_.find(Shape::onc, head.xid)
                                                           : options_.reply_of;
        put_back_chunks(out, next, known);
        message.onc(next, size32(out.bytes.size()), &calls_);
        out.what += ", over RPC-over-RDMA";
    }

    static constexpr std::string_view kRdmaKinds[] = {
        "an RPC-over-RDMA header (RDMA_MSG)", "a message sent entirely in chunks (RDMA_NOMSG)",
        "a padded message (RDMA_MSGP)", "the end of a transfer (RDMA_DONE)",
        "an RPC-over-RDMA error (RDMA_ERROR)"};

    const Catalogue& catalogue_;
    const ExplainTypes& types_;
    const ByteView bytes_;
    CallBook& calls_;
    const ExplainOptions& options_;
    Guess next_;
    std::uint32_t joined_marks_ = 1;
};

std::vector<Explanation> Explainer::explain(ByteView bytes, CallBook& calls,
                                            const ExplainOptions& options) const {
    return ExplainRun{*this, bytes, calls, options}.run();
}

void Explainer::explain_into(Explanation& out, const Message& message,
                             const Procedure* procedure) const {
    out.clear();
    MessageExplainer one{catalogue_, *types_, out};
    one.cut = message.cut();
    one.wordy = false;
    one.hint = procedure;
    std::uint32_t from = 0;
    if (message.rdma_header.empty()) {
        out.bytes = message.bytes;
    } else {
        out.owned.insert(out.owned.end(), message.rdma_header.begin(), message.rdma_header.end());
        out.owned.insert(out.owned.end(), message.bytes.begin(), message.bytes.end());
        out.bytes = out.owned;
        from = size32(message.rdma_header.size());
        if (types_->rdma_msg != nullptr)
            one.rest(one.value(0, from, *types_->rdma_msg, "RPC-over-RDMA header", ""), from,
                     "not decoded", "");
        else
            one.rest(0, from, "RPC-over-RDMA header", "");
    }
    out.taken_out.assign(message.taken_out.begin(), message.taken_out.end());
    const auto end = size32(out.bytes.size());
    const bool typed =
        message.shape == Shape::onc ? types_->rpc_msg != nullptr : types_->virnet_header != nullptr;
    if (!typed)
        one.rest(from, end, "message", "there is no schema for its header");
    else if (message.shape == Shape::onc)
        one.onc(from, end, nullptr);
    else
        one.virnet(from, end, nullptr);
}

std::vector<Explanation> explain(ByteView bytes, const Catalogue& catalogue,
                                 const CallOf& call_of) {
    const Explainer explainer{catalogue};
    CallBook calls;
    ExplainOptions options;
    Head head;
    // A lone reply, the usual case for a single question: its call is looked up first.
    for (const std::size_t at : {std::size_t{0}, std::size_t{4}})
        if (call_of && bytes.size() > at && read_head(bytes.subspan(at), head) && !head.call)
            calls.note(Shape::onc, head.xid, call_of(head.xid));
    return explainer.explain(bytes, calls, options);
}

}  // namespace helio::inspect
