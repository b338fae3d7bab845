#include "helio/reflect/decode.h"

#include <algorithm>
#include <limits>

#include "helio/base/assert.h"
#include "helio/idl/parse.h"
#include "helio/reflect/rules_internal.h"
#include "helio/xdr/wire.h"

namespace helio::reflect {
namespace {

static_assert(kNestingMax <= std::numeric_limits<decltype(Node::depth)>::max());

// Initial stack capacity: growing to it step by step would take as long as a small message.
constexpr std::size_t kUsualNesting = 16;

using idl::Field;
using idl::Kind;
using idl::Type;
using xdr::Fault;

// A value's place in its parent: a field, an element, or (a part) neither.
struct Place {
    const Field* field = nullptr;
    std::uint32_t element = kNoElement;
};

// Result of a step. Only `opened` leaves a new frame on the stack.
enum class Step : std::uint8_t { done, opened, stop };

// An inner node whose children are still being read.
struct Frame {
    const Type* type;  // resolved
    NodeIndex node;
    std::uint32_t next;   // child to read next: field, element
    std::uint32_t count;  // children in all; unknown for lists
};

// Bytes that hold the values which a bitmap selects, now being read. Whatever is wrong with them is
// no fault of the message: the rest of these bytes stay what they are to other readers, opaque.
struct Contents {
    const Type* declared;  // of the field
    const Type* values;    // the sparse struct
    SetBits bits;
    std::size_t frame;        // its place on the stack
    std::uint32_t size;       // in bytes, as its length word says
    std::uint32_t end;        // where its bytes end
    std::uint32_t outer_end;  // where those around it end
    // At the beginning of the value that is being read, to come back to.
    std::size_t nodes = 0;
    std::uint32_t at = 0;
    std::uint32_t levels = 0;
};

class Decoder {
 public:
    Decoder(Tree& tree, const DecodeOptions& options)
        : tree_(tree),
          nodes_(tree.nodes),
          base_(tree.bytes.data()),
          size_(static_cast<std::uint32_t>(tree.bytes.size())),
          options_(options) {
        stack_.reserve(kUsualNesting);
    }

    void run(const Type& type) {
        Step step = value(type, {});
        for (;;) {
            if (step == Step::stop && !contents_.empty())
                step = give_up_value();
            else if (step == Step::stop || stack_.empty())
                break;
            else
                step = advance();
        }
        while (!stack_.empty()) close();  // after a fault: keep the nodes read so far
        tree_.consumed = at_;
        if (tree_.ok() && options_.strict && at_ < size_)
            fail(Fault::trailing_bytes, size_ - at_, 0);
    }

 private:
    Step advance() {
        const Frame& top = stack_.back();
        switch (nodes_[top.node].role) {
            case Role::structure:
                return advance_structure();
            case Role::array:
                return advance_array();
            case Role::list:
                return advance_list();
            case Role::contents:
                return advance_contents();
            default:
                return close();  // optional, union: their only child is read
        }
    }

    Step advance_structure() {
        const std::size_t self = stack_.size() - 1;
        const Frame frame = stack_[self];
        for (std::uint32_t next = frame.next; next < frame.count;) {
            const Field& field = frame.type->fields[next++];
            stack_[self].next = next;
            if (const Step step = value(*field.type, {&field}); step != Step::done) return step;
        }
        return close();
    }

    Step advance_array() {
        const std::size_t self = stack_.size() - 1;
        const Frame frame = stack_[self];
        for (std::uint32_t next = frame.next; next < frame.count;) {
            const Place place{nullptr, next++};
            stack_[self].next = next;
            if (const Step step = value(*frame.type->element, place); step != Step::done)
                return step;
        }
        return close();
    }

    // entry *x; struct entry { …; entry *next; }: the elements become siblings, so a list of any
    // length is as deep as a list of one. The struct's last field is the next presence word.
    Step advance_list() {
        Frame& frame = stack_.back();
        bool present = false;
        if (!presence(*nodes_[frame.node].type, present)) return Step::stop;
        if (!present) return close();
        const Type& element = resolve(*frame.type->element);
        const Place place{nullptr, frame.next++};
        return open(Role::structure, *frame.type->element, element, place,
                    static_cast<std::uint32_t>(element.fields.size() - 1));
    }

    Step advance_contents() {
        const std::size_t self = contents_.size() - 1;
        for (;;) {
            const std::uint64_t bit = contents_[self].bits.next();
            const Field* const field =
                bit < idl::kSparseBitsMax
                    ? contents_[self].values->field_for_bit(static_cast<std::uint32_t>(bit))
                    : nullptr;
            if (field == nullptr) return close_contents();  // no more, or an unknown one
            contents_[self].nodes = nodes_.size();
            contents_[self].at = at_;
            contents_[self].levels = levels_;
            if (const Step step = value(*field->type, {field}); step != Step::done) return step;
        }
    }

    // The value that is being read inside the innermost contents is none.
    Step give_up_value() {
        const Contents& now = contents_.back();
        nodes_.resize(now.nodes);
        stack_.resize(now.frame + 1);
        at_ = now.at;
        levels_ = now.levels;
        return close_contents();
    }

    Step close_contents() {
        const Contents done = contents_.back();
        contents_.pop_back();
        const std::uint32_t rest = done.end - at_;
        size_ = done.outer_end;
        if (rest != 0 && leaf(Role::body, *done.declared, {}, rest) == Step::stop)
            return Step::stop;
        if (done.end - nodes_[stack_.back().node].offset - 4 < done.size) return Step::stop;
        const std::uint32_t fill = -done.size % 4;
        if (fill != 0 && padding(*done.declared, fill) == Step::stop) return Step::stop;
        return close();
    }

    Step value(const Type& declared, Place place) {
        const Type& type = resolve(declared);
        switch (type.kind) {
            case Kind::void_:  // takes no bytes; only a root needs a node to say so
                return nodes_.empty() ? leaf(Role::value, declared, place, 0) : Step::done;
            case Kind::int_:
            case Kind::unsigned_int:
            case Kind::float_:
            case Kind::character:
            case Kind::unsigned_character:
            case Kind::short_:
            case Kind::unsigned_short:
            case Kind::boolean:
            case Kind::enumeration:
                return word(declared, type, place);
            case Kind::hyper:
            case Kind::unsigned_hyper:
            case Kind::double_:
                return scalar(declared, place, 8);
            case Kind::quadruple:
                return scalar(declared, place, 16);
            case Kind::opaque_variable:
                if (place.field != nullptr && place.field->contents != nullptr)
                    return contents(declared, type, place);
                return run_of_bytes(declared, type, place);
            case Kind::opaque_fixed:
            case Kind::string:
                return run_of_bytes(declared, type, place);
            case Kind::array_fixed:
            case Kind::array_variable:
                return array(declared, type, place);
            case Kind::optional:
                return optional(declared, type, place);
            case Kind::structure:
                return open(Role::structure, declared, type, place,
                            static_cast<std::uint32_t>(type.fields.size()));
            case Kind::union_:
                return union_of(declared, type, place);
            case Kind::alias:
                break;  // resolve() has no alias left
        }
        HELIO_ASSERT(false && "a kind resolve() cannot give");
    }

    Step scalar(const Type& declared, Place place, std::uint32_t size) {
        if (left() < size) return truncated(size);
        return leaf(Role::value, declared, place, size);
    }

    Step word(const Type& declared, const Type& type, Place place) {
        if (left() < 4) return truncated(4);
        const std::uint32_t got = xdr::load_u32(here());
        const Fault fault = fault_of(type, got);
        if (fault != Fault::none) fail(fault, got, 0);
        const Step step = leaf(Role::value, declared, place, 4);  // a wrong word is shown too
        return fault == Fault::none ? step : Step::stop;
    }

    Step run_of_bytes(const Type& declared, const Type& type, Place place) {
        if (open(Role::bytes, declared, type, place) == Step::stop) return Step::stop;
        std::uint32_t count = type.bound;
        if (type.kind != Kind::opaque_fixed && !length(declared, type, count)) return Step::stop;
        promise(count, 1);
        const std::uint32_t body = std::min(count, left());
        if (body != 0 && leaf(Role::body, declared, {}, body) == Step::stop) return Step::stop;
        if (body < count) return Step::stop;
        const std::uint32_t fill = -count % 4;
        if (fill != 0 && padding(declared, fill) == Step::stop) return Step::stop;
        return close();
    }

    Step contents(const Type& declared, const Type& type, Place place) {
        const NodeIndex parent = stack_.empty() ? kNoNode : stack_.back().node;
        const Node* const mask = mask_of(nodes_, parent, *place.field);
        const SetBits bits = mask != nullptr ? SetBits{tree_.bytes, *mask} : SetBits{};
        if (open(Role::contents, declared, type, place) == Step::stop) return Step::stop;
        std::uint32_t count = 0;
        if (!length(declared, type, count)) return Step::stop;
        promise(count, 1);
        const std::uint32_t end = at_ + std::min(count, left());
        contents_.push_back({.declared = &declared,
                             .values = place.field->contents,
                             .bits = bits,
                             .frame = stack_.size() - 1,
                             .size = count,
                             .end = end,
                             .outer_end = size_});
        size_ = end;
        return Step::opened;
    }

    Step padding(const Type& declared, std::uint32_t fill) {
        promise(fill, 1);
        const std::uint32_t there = std::min(fill, left());
        const bool zero =
            std::all_of(here(), here() + there, [](std::byte b) { return b == std::byte{0}; });
        const bool good = there == fill && (zero || !options_.strict);
        if (!good) fail(Fault::bad_padding, 0, 0);
        if (there != 0 && leaf(Role::padding, declared, {}, there) == Step::stop) return Step::stop;
        return good ? Step::done : Step::stop;
    }

    Step array(const Type& declared, const Type& type, Place place) {
        if (open(Role::array, declared, type, place) == Step::stop) return Step::stop;
        std::uint32_t count = type.bound;
        const std::uint64_t element_min = type.element->wire_min;
        if (type.kind == Kind::array_variable && !length(declared, type, count)) {
            return Step::stop;
        }
        promise(count, element_min);
        stack_.back().count = count;
        return Step::opened;
    }

    Step optional(const Type& declared, const Type& type, Place place) {
        const bool list = is_list(type);
        if (open(list ? Role::list : Role::optional, declared, type, place) == Step::stop) {
            return Step::stop;
        }
        if (list) return Step::opened;
        bool present = false;
        if (!presence(declared, present)) return Step::stop;
        return present ? only_child(*type.element, {}) : close();
    }

    Step union_of(const Type& declared, const Type& type, Place place) {
        if (open(Role::union_, declared, type, place) == Step::stop) return Step::stop;
        if (left() < 4) return truncated(4);
        const std::uint32_t got = xdr::load_u32(here());
        const Type& switched = resolve(*type.discriminant.type);
        const Fault fault = fault_of(switched, got);
        const idl::Arm* const arm = type.arm_for(number_in(switched, got));
        if (fault != Fault::none) fail(fault, got, 0);
        if (arm == nullptr) fail(Fault::bad_discriminant, got, 0);
        if (leaf(Role::discriminant, *type.discriminant.type, {&type.discriminant}, 4) ==
                Step::stop ||
            fault != Fault::none || arm == nullptr) {
            return Step::stop;
        }
        return only_child(*arm->field.type, {&arm->field});
    }

    Step only_child(const Type& declared, Place place) {
        const Step step = value(declared, place);
        return step == Step::done ? close() : step;  // `opened`: advance() closes us after it
    }

    // The count word: first its bound, then (promise) the bytes that must follow. RFC 4506
    // §4.10–13.
    bool length(const Type& declared, const Type& type, std::uint32_t& count) {
        if (left() < 4) return truncated(4) != Step::stop;
        count = xdr::load_u32(here());
        const bool fits = count <= type.bound;
        if (!fits) fail(Fault::too_long, count, type.bound);
        const Step step = leaf(Role::length, declared, {}, 4);
        return fits && step == Step::done;
    }

    bool presence(const Type& declared, bool& present) {
        if (left() < 4) return truncated(4) != Step::stop;
        const std::uint32_t got = xdr::load_u32(here());
        if (got > 1) fail(Fault::bad_bool, got, 1);
        present = got == 1;
        return leaf(Role::presence, declared, {}, 4) == Step::done && got <= 1;
    }

    // `count` elements of at least this size must follow. If the bytes are too few, that is the
    // fault; the elements present are still decoded, because an inspector shows cut messages too.
    void promise(std::uint32_t count, std::uint64_t element_min) {
        if (element_min == 0 || count <= left() / element_min) return;
        constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
        truncated(element_min > most / count ? most
                                             : static_cast<std::uint32_t>(element_min * count));
    }

    Step truncated(std::uint32_t needed) {
        record({.offset = size_, .fault = Fault::truncated, .got = needed, .limit = left()});
        return Step::stop;
    }
    void fail(Fault fault, std::uint32_t got, std::uint32_t limit) {
        record({.offset = at_, .fault = fault, .got = got, .limit = limit});
    }
    void record(const xdr::DecodeError& error) {
        // Keep the first fault; there is none inside contents.
        if (tree_.ok() && contents_.empty()) tree_.error = error;
    }

    // A leaf over the next `size` bytes, which are available.
    Step leaf(Role role, const Type& declared, Place place, std::uint32_t size) {
        if (!add(role, declared, place, size)) return Step::stop;
        at_ += size;
        return Step::done;
    }

    // An inner node, to be closed when its last child is read.
    Step open(Role role, const Type& declared, const Type& type, Place place,
              std::uint32_t count = 0) {
        if (stack_.size() >= kNestingMax) return too_deep(kNestingMax);
        const bool level = is_level(type);
        if (level && levels_ >= options_.depth_max) return too_deep(options_.depth_max);
        const auto node = static_cast<NodeIndex>(nodes_.size());
        if (!add(role, declared, place, 0)) return Step::stop;
        stack_.push_back({&type, node, 0, count});
        if (level) ++levels_;
        return Step::opened;
    }

    Step too_deep(std::uint32_t limit) {
        fail(Fault::too_deep, limit + 1, limit);
        return Step::stop;
    }

    Step close() {
        const Frame& top = stack_.back();
        Node& node = nodes_[top.node];
        node.size = at_ - node.offset;
        node.next = static_cast<NodeIndex>(nodes_.size());
        if (is_level(*top.type)) --levels_;
        stack_.pop_back();
        return Step::done;
    }

    bool add(Role role, const Type& declared, Place place, std::uint32_t size) {
        const std::size_t self = nodes_.size();
        if (self >= options_.nodes_max) {
            const std::uint64_t kib = std::uint64_t{options_.nodes_max} * sizeof(Node) >> 10;
            fail(Fault::out_of_memory, options_.nodes_max, static_cast<std::uint32_t>(kib));
            return false;
        }
        nodes_.push_back({.type = &declared,
                          .field = place.field,
                          .offset = at_,
                          .size = size,
                          .parent = stack_.empty() ? kNoNode : stack_.back().node,
                          .next = static_cast<NodeIndex>(self + 1),
                          .element = place.element,
                          .role = role,
                          .depth = static_cast<std::uint16_t>(stack_.size())});
        return true;
    }

    std::uint32_t left() const { return size_ - at_; }
    const std::byte* here() const { return base_ + at_; }

    Tree& tree_;
    std::vector<Node>& nodes_;
    const std::byte* base_;
    std::uint32_t size_;  // of the bytes, or where the contents being read end
    std::uint32_t at_ = 0;
    std::uint32_t levels_ = 0;  // of recursive types, now open
    const DecodeOptions& options_;
    std::vector<Frame> stack_;
    std::vector<Contents> contents_;  // one inside the other
};

}  // namespace

void decode_into(Tree& tree, ByteView bytes, const Type& type, const DecodeOptions& options) {
    constexpr std::uint32_t size_max = std::numeric_limits<std::uint32_t>::max();
    tree.bytes = bytes;
    tree.nodes.clear();
    tree.consumed = 0;
    tree.error = {};
    if (bytes.size() > size_max) {
        tree.error = {.offset = 0, .fault = Fault::too_long, .got = size_max, .limit = size_max};
        return;
    }
    Decoder{tree, options}.run(type);
}

Tree decode(ByteView bytes, const Type& type, const DecodeOptions& options) {
    Tree tree;
    decode_into(tree, bytes, type, options);
    return tree;
}

}  // namespace helio::reflect
