#include "tests/vfs_conformance/model/op.h"

#include <iterator>
#include <sstream>

namespace helio::tests::model {

namespace {

constexpr const char* kKinds[] = {"create_guarded",
                                  "create_unchecked",
                                  "create_truncating",
                                  "create_exclusive",
                                  "make_directory",
                                  "make_symlink",
                                  "make_fifo",
                                  "make_socket",
                                  "make_device",
                                  "remove",
                                  "remove_directory",
                                  "rename",
                                  "link",
                                  "lookup",
                                  "lookup_parent",
                                  "list",
                                  "list_pieces",
                                  "read",
                                  "write",
                                  "write_far",
                                  "truncate",
                                  "set_mode",
                                  "set_owner",
                                  "set_group",
                                  "set_times",
                                  "set_now",
                                  "set_guarded",
                                  "set_guarded_wrong",
                                  "access",
                                  "read_link",
                                  "commit",
                                  "hold"};
static_assert(std::size(kKinds) == static_cast<std::size_t>(Kind::kCount));

// Operations that fill the tree are more frequent, or there would be nothing to disagree about.
constexpr Kind kFavoured[] = {
    Kind::create_guarded, Kind::make_directory, Kind::rename, Kind::rename, Kind::write,
    Kind::link,           Kind::make_directory, Kind::hold,   Kind::remove, Kind::set_mode};

constexpr std::uint32_t kModes[] = {0777, 0777, 0755, 0700, 0644,  0600, 0666, 0555,
                                    0000, 0711, 0722, 0744, 01777, 0770, 0070, 0007};
constexpr std::uint32_t kSpecialModes[] = {02777, 04755, 06755, 03777, 02755, 06777};

std::string to_text(const Place& place) {
    if (place.held >= 0) return "held" + std::to_string(place.held);
    std::string text = "/";
    for (const unsigned name : place.way) text += name_of(name) + "/";
    return text;
}

// Operations on the place itself, not on its directory.
bool is_on_a_file(Kind kind) {
    return kind == Kind::link || kind == Kind::hold || kind == Kind::lookup_parent ||
           (kind >= Kind::read && kind < Kind::hold);
}

// A few directories and files for a start, of everybody's.
std::vector<Op> beginning(unsigned callers) {
    std::vector<Op> ops;
    for (const auto& way : {std::vector<unsigned>{}, {0}, {0, 1}}) {
        for (const unsigned name : {0u, 1u}) {
            Op& op = ops.emplace_back();
            op.kind = Kind::make_directory;
            op.where.way = way;
            op.name = name;
            op.mode = 0777;
        }
    }
    for (unsigned who = 0; who < callers; ++who) {
        Op& made = ops.emplace_back();
        made.kind = Kind::create_guarded;
        made.who = who;
        made.where.way = {0};
        made.name = 2 + who;
        made.mode = 0644;
        Op& held = ops.emplace_back();
        held.kind = Kind::hold;
        held.where.way = {0, 2 + who};
        held.number = who;
    }
    return ops;
}

}  // namespace

std::string name_of(unsigned number) { return std::string(1, static_cast<char>('a' + number)); }

std::string to_text(const Op& op) {
    std::ostringstream out;
    out << "caller " << op.who << ": " << kKinds[static_cast<std::size_t>(op.kind)] << " "
        << to_text(op.where) << " " << name_of(op.name) << " -> " << to_text(op.where2) << " "
        << name_of(op.name2) << " mode 0" << std::oct << op.mode << std::dec << " " << op.number
        << " " << op.number2;
    return out.str();
}

std::vector<Op> random_ops(std::uint64_t seed, std::size_t count, unsigned callers) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<unsigned>(random() % n); };
    // `depth_min` 1: anything but the root, whose permissions never change here.
    const auto place = [&](unsigned depth_min) {
        Place made;
        if (below(6) == 0) {
            made.held = static_cast<int>(below(kHeld));
            return made;
        }
        constexpr unsigned kDepths[] = {0, 0, 0, 1, 1, 2};
        const unsigned depth = depth_min + kDepths[below(std::size(kDepths))];
        for (unsigned i = 0; i < depth; ++i) made.way.push_back(below(kNames));
        return made;
    };
    std::vector<Op> ops = beginning(callers);
    while (ops.size() < count) {
        Op& op = ops.emplace_back();
        op.kind = below(3) == 0 ? kFavoured[below(std::size(kFavoured))]
                                : static_cast<Kind>(below(static_cast<unsigned>(Kind::kCount)));
        op.who = below(callers);
        op.where = place(is_on_a_file(op.kind) ? 1 : 0);
        op.name = below(kNames);
        op.where2 = below(3) == 0 ? op.where : place(0);
        op.name2 = below(kNames);
        op.mode = kModes[below(std::size(kModes))];
        if (op.kind == Kind::set_mode && below(3) == 0)
            op.mode = kSpecialModes[below(std::size(kSpecialModes))];
        op.number = random() % 1'000;
        op.number2 = random() % 1'000;
    }
    return ops;
}

}  // namespace helio::tests::model
