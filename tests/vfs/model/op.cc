#include "tests/vfs/model/op.h"

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

// Those that fill the tree come more often, or there would be nothing to disagree about.
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
    const auto place = [&] {
        Place made;
        if (below(5) == 0) {
            made.held = static_cast<int>(below(kHeld));
            return made;
        }
        for (unsigned depth = below(4); depth > 1; --depth) made.way.push_back(below(kNames));
        if (below(3) == 0) made.way.push_back(below(kNames));
        return made;
    };
    std::vector<Op> ops(count);
    for (Op& op : ops) {
        op.kind = below(3) == 0 ? kFavoured[below(std::size(kFavoured))]
                                : static_cast<Kind>(below(static_cast<unsigned>(Kind::kCount)));
        op.who = below(callers);
        op.where = place();
        op.name = below(kNames);
        op.where2 = below(2) == 0 ? op.where : place();
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
