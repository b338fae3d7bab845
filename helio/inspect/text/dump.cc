#include "helio/inspect/text/dump.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/inspect/text/pasted_lines_internal.h"

namespace helio::inspect {
namespace {

constexpr std::size_t kVoteLinesMax = 4096;          // enough to recognise a format
constexpr std::size_t kVoteLineSizeMax = 64u << 10;  // of a line; a multiple of two digits
constexpr std::size_t kLabelSizeMax = 240;           // of a heading shown; longer ones are prose
constexpr std::size_t kNoteSizeMax = 1000;
constexpr std::array<unsigned, 3> kBases{16, 8, 10};  // of addresses: most tools', od's, people's

// The lines of a text, without their ends.
class TextLines {
 public:
    explicit TextLines(std::string_view text) : rest_(text) {}

    bool next(std::string_view& line) {
        if (rest_.empty()) return false;
        const std::size_t end = rest_.find('\n');
        line = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        while (!line.empty() && line.front() == '>') line.remove_prefix(1);  // quoted in a mail
        ++number_;
        return true;
    }
    std::uint32_t number() const { return number_; }

 private:
    std::string_view rest_;
    std::uint32_t number_ = 0;
};

bool number_of(std::string_view digits, unsigned base, std::uint64_t& out) {
    out = 0;
    for (const char c : digits) {
        const auto digit = static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        if (digit >= base) return false;
        out = out * base + digit;
    }
    return true;
}

// Evidence from the first lines.
struct Votes {
    std::array<std::size_t, kFamilies> lines{};
    std::array<std::size_t, kBases.size()> in_order{};  // offsets that continue the previous line
    std::uint32_t group_max = 0;                        // of arrays, digits
    std::uint32_t odd_line = 0;
    std::string_view odd;
};

class OffsetVotes {
 public:
    explicit OffsetVotes(Votes& votes) : votes_(votes) {}

    // Does the line look like a dump with offsets? Digits alone could be words.
    bool good(const Line& line) {
        if (line.repeat) {
            repeated_ = had_;
            return had_;
        }
        bool follows = repeated_;
        repeated_ = false;
        for (std::size_t i = 0; i < kBases.size(); ++i) {
            std::uint64_t address = 0;
            const bool number = number_of(line.address, kBases[i], address);
            const bool here = number && had_ && address == end_[i];
            if (here) ++votes_.in_order[i];
            follows = follows || here;
            end_[i] = number ? address + line.bytes.size() : ~std::uint64_t{0};
        }
        had_ = true;
        if (line.bytes.empty()) return follows;  // hexdump's last line
        const bool zero = line.address.find_first_not_of('0') == std::string_view::npos;
        return line.colon || follows || line.text_column ||
               (zero && line.address.size() != line.group && line.group <= 4);
    }

 private:
    Votes& votes_;
    std::array<std::uint64_t, kBases.size()> end_{};
    bool had_ = false;
    bool repeated_ = false;
};

// The families that a reading may choose from: [first, last].
struct FamilyRange {
    Family first = Family::raw;
    Family last = Family::plain;
};
FamilyRange families_of(DumpReading reading) {
    switch (reading) {
        case DumpReading::usual:
        case DumpReading::other_byte_order:
            break;
        case DumpReading::octal:
            return {Family::octal, Family::octal};
        case DumpReading::decimal:
            return {Family::decimal, Family::decimal};
        case DumpReading::base64:
            return {Family::base64, Family::base64};
    }
    return {};
}

Votes vote(std::string_view text, FamilyRange families) {
    Votes votes;
    OffsetVotes offsets{votes};
    TextLines lines{text};
    std::array<LineState, kFamilies> states{};
    Line line;
    std::string_view one;
    while (lines.number() < kVoteLinesMax && lines.next(one)) {
        one = one.substr(0, kVoteLineSizeMax);
        for (auto i = static_cast<std::size_t>(families.first);
             i <= static_cast<std::size_t>(families.last); ++i) {
            const auto family = static_cast<Family>(i);
            const bool found = read_line(family, one, states[i], line);
            if (family == Family::plain && !line.odd.empty() && votes.odd_line == 0) {
                votes.odd_line = lines.number();
                votes.odd = line.odd;
            }
            if (!found) continue;
            if (has_offsets(family) && !offsets.good(line) && family == Family::offset) continue;
            if (family == Family::array) votes.group_max = std::max(votes.group_max, line.group);
            ++votes.lines[i];
        }
    }
    return votes;
}

std::string odd_digits(std::string_view digits) {
    return fmt::format("{} {} not whole bytes: {}", digits.size(),
                       digits.size() == 1 ? "digit is" : "digits are", digits.substr(0, 32));
}

// Joins lines of one family into runs.
class Assembler {
 public:
    Assembler(Dump& dump, Family family, const Votes& votes, DumpReading reading)
        : dump_(dump), family_(family), other_order_(reading == DumpReading::other_byte_order) {
        const auto best = std::max_element(votes.in_order.begin(), votes.in_order.end());
        base_ = kBases[static_cast<std::size_t>(best - votes.in_order.begin())];
        if (*best == 0 && family != Family::offset) base_ = 8;  // od's
        state_.usual_size = votes.group_max / 2;
    }

    void read(std::string_view text) {
        TextLines lines{text};
        std::string_view one;
        while (!full_ && lines.next(one)) take(one, lines.number());
        settle({});
        trim_end();
    }

    const Line& widest() const { return widest_; }
    bool swapped() const { return swapped_; }
    bool wide() const { return wide_; }  // it has words, which have a byte order

 private:
    // A parsed line that waits for the next one, which may show that its address is a typo.
    struct Waiting {
        Line line;
        std::uint32_t number = 0;
        std::uint64_t address = 0;
        bool there = false;
        bool addressed = false;
        bool apart = false;      // preceded by an empty line, prose or a hole
        std::uint32_t hole = 0;  // line of a preceding field without bytes; 0: none
        std::string heading;
    };

    void take(std::string_view text, std::uint32_t number) {
        const bool found = read_line(family_, text, state_, fresh_.line);
        if (!found) {
            other_line(text, number);
            return;
        }
        if (fresh_.line.repeat) {
            repeat_ = true;
            return;
        }
        fresh_.number = number;
        fresh_.addressed =
            !fresh_.line.address.empty() &&
            number_of(fresh_.line.address, has_offsets(family_) ? base_ : 16, fresh_.address);
        if (fresh_.line.bytes.empty()) {  // hexdump's last line: the final offset
            end_line();
            return;
        }
        fresh_.there = true;
        fresh_.apart = apart_ || family_ == Family::raw;
        fresh_.hole = std::exchange(hole_line_, 0);
        fresh_.heading = std::move(heading_);
        heading_.clear();
        apart_ = fresh_.line.ends;
        swap_words();
        settle(&fresh_);
        std::swap(waiting_, fresh_);
    }

    void other_line(std::string_view text, std::uint32_t number) {
        const std::string_view words = trimmed(text);
        const Line& line = fresh_.line;
        if (line.hole && dump_.runs.size() + (waiting_.there ? 1 : 0) > 0) hole_line_ = number;
        if (!line.odd.empty()) odd_.push_back({0, number, odd_digits(line.odd)});
        // In notes, prose between the fields of a message does not end it.
        if (family_ == Family::notes && !line.hole && !line.ends && !words.empty()) return;
        if (family_ == Family::array && !line.ends && words.empty()) return;
        apart_ = true;
        if (!words.empty() && family_ != Family::notes && family_ != Family::array)
            heading_ = words.substr(0, kLabelSizeMax);
        if (family_ == Family::escaped || family_ == Family::array) heading_.clear();
    }

    void end_line() {
        if (repeat_ && fresh_.addressed) {
            settle(&fresh_);
            waiting_.there = false;
        }
        end_address_ = fresh_.address;
        ended_ = fresh_.addressed;
    }

    // od and hexdump without -C print little-endian words by default; most other words are as in
    // the message.
    void swap_words() {
        if (fresh_.line.group < 4) return;
        const bool little_endian =
            family_ == Family::octal || (family_ == Family::offset && !fresh_.line.colon);
        const bool words = has_offsets(family_) || family_ == Family::debugger ||
                           (family_ == Family::plain && fresh_.line.group == 8);
        if (!words) return;
        wide_ = true;
        if (little_endian == other_order_) return;
        const std::uint32_t size = fresh_.line.group / 2;
        auto& bytes = fresh_.line.bytes;
        for (std::size_t i = 0; i < bytes.size(); i += size)
            std::reverse(
                bytes.begin() + static_cast<std::ptrdiff_t>(i),
                bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), i + size)));
        swapped_ = true;
    }

    // The line after the waiting one is known, or there is none.
    void settle(const Waiting* next) {
        if (waiting_.there) place(waiting_, next);
        if (repeat_ && next != nullptr && next->addressed) expand(next->address);
        repeat_ = false;
    }

    void place(Waiting& one, const Waiting* next) {
        const std::uint64_t expected = expected_;
        bool joins = open_ && !(one.apart && !(one.addressed && one.address == expected));
        const bool next_fits =
            next != nullptr && next->addressed && next->address == expected + one.line.bytes.size();
        bool slip = false;
        if (joins && one.addressed && one.address != expected) {
            const bool before = one.address < expected && one.address >= begin_ && next == nullptr;
            slip = next_fits || before;
            joins = slip;
        }
        if (!joins && !open(one)) return;
        Dump::Run& run = dump_.runs.back();
        const auto offset = static_cast<std::uint32_t>(run.bytes.size());
        if (slip) say_address(run, offset, one, expected);
        if (bytes_ + one.line.bytes.size() > kDumpBytesMax) {
            stop(fmt::format("line {}: only the first {} bytes were read", one.number, bytes_));
            return;
        }
        bytes_ += one.line.bytes.size();
        run.bytes.insert(run.bytes.end(), one.line.bytes.begin(), one.line.bytes.end());
        if (!one.line.note.empty() && notes_ < kDumpNotesMax) {
            ++notes_;
            run.notes.push_back({offset, static_cast<std::uint32_t>(one.line.bytes.size()),
                                 one.number, one.line.note.substr(0, kNoteSizeMax)});
        }
        expected_ = (slip || !one.addressed ? expected_ : one.address) + one.line.bytes.size();
        last_size_ = one.line.bytes.size();
        if (one.line.group > widest_.group || widest_.bytes.empty()) widest_ = one.line;
        one.there = false;
    }

    bool open(const Waiting& one) {
        open_ = false;
        if (dump_.runs.size() >= kDumpRunsMax) {
            stop(fmt::format("line {}: only the first {} messages were read", one.number,
                             dump_.runs.size()));
            return false;
        }
        open_ = true;
        Dump::Run& run = dump_.runs.emplace_back();
        run.line = one.number;
        run.label = one.line.label.empty() ? one.heading : std::string{one.line.label};
        if (run.label.size() > kLabelSizeMax) run.label.resize(kLabelSizeMax);
        // A probe copies a fixed number of bytes, whatever the message's size.
        run.cut = family_ == Family::raw;
        if (one.addressed) run.addresses.push_back({0, one.address});
        begin_ = expected_ = one.addressed ? one.address : 0;
        if (one.hole != 0)
            problem(run, 0, one.hole,
                    "no bytes are given for this field; the following ones are read separately");
        for (Dump::Problem& odd : odd_) problem(run, 0, odd.line, std::move(odd.text));
        odd_.clear();
        return true;
    }

    void say_address(Dump::Run& run, std::uint32_t offset, const Waiting& one,
                     std::uint64_t expected) {
        const bool twice =
            one.address >= begin_ && one.address < expected &&
            (one.address - begin_) % std::max<std::size_t>(1, one.line.bytes.size()) == 0;
        problem(run, offset, one.number,
                fmt::format("address {:#x} {}; its position implies {:#x}", one.address,
                            twice ? "appears twice" : "does not follow from the previous line",
                            expected));
    }

    void problem(Dump::Run& run, std::uint32_t offset, std::uint32_t line, std::string text) {
        if (++problems_ <= kDumpProblemsMax)
            run.problems.push_back({offset, line, std::move(text)});
    }

    // `*`: repeats the previous line up to the next address.
    void expand(std::uint64_t until) {
        if (!open_ || last_size_ == 0 || until <= expected_) return;
        Dump::Run& run = dump_.runs.back();
        const std::uint64_t missing = until - expected_;
        if (missing > kDumpBytesMax - std::min<std::uint64_t>(bytes_, kDumpBytesMax)) {
            stop(fmt::format("line {}: `*` stands for {} bytes, which is too many", waiting_.number,
                             missing));
            return;
        }
        const std::size_t from = run.bytes.size() - last_size_;
        run.bytes.reserve(run.bytes.size() + missing);
        for (std::uint64_t i = 0; i < missing; ++i)
            run.bytes.push_back(run.bytes[from + i % last_size_]);
        bytes_ += missing;
        expected_ = until;
    }

    // hexdump pads to whole words; its last line gives the real end.
    void trim_end() {
        if (!wide_ || !ended_ || !open_ || end_address_ >= expected_) return;
        auto& bytes = dump_.runs.back().bytes;
        const std::uint64_t extra = expected_ - end_address_;
        if (extra < 8 && extra < bytes.size()) bytes.resize(bytes.size() - extra);
    }

    void stop(std::string why) {
        dump_.problem = std::move(why);
        full_ = true;
        waiting_.there = false;
        repeat_ = false;
    }

    Dump& dump_;
    const Family family_;
    const bool other_order_;
    LineState state_;
    unsigned base_ = 16;
    Waiting waiting_;
    Waiting fresh_;
    Line widest_;
    std::string heading_;
    std::vector<Dump::Problem> odd_;
    bool open_ = false;  // dump_.runs.back() may continue
    bool apart_ = false;
    bool repeat_ = false;
    bool full_ = false;
    bool swapped_ = false;
    bool wide_ = false;
    bool ended_ = false;
    std::uint32_t hole_line_ = 0;
    std::uint64_t begin_ = 0;     // address of the run
    std::uint64_t expected_ = 0;  // of the next byte
    std::uint64_t end_address_ = 0;
    std::size_t last_size_ = 0;
    std::size_t bytes_ = 0;
    std::size_t notes_ = 0;
    std::size_t problems_ = 0;
};

DumpKind kind_of(Family family, const Line& line) {
    switch (family) {
        case Family::raw:
            return DumpKind::trace_raw;
        case Family::columns:
            return DumpKind::trace_columns;
        case Family::notes:
            return DumpKind::notes;
        case Family::debugger:
            return line.group == 2 ? DumpKind::bytes : DumpKind::words;
        case Family::escaped:
            return DumpKind::bytes;
        case Family::array:
            return DumpKind::c_array;
        case Family::offset:
            if (line.colon) return line.prefixed ? DumpKind::tcpdump : DumpKind::xxd;
            if (line.address.size() == 6 || (line.address.size() == 7 && line.group != 4))
                return DumpKind::od;
            return DumpKind::hexdump;
        case Family::plain:
            return line.group == 8 ? DumpKind::words : DumpKind::bytes;
        case Family::octal:
            return DumpKind::od;
        case Family::decimal:
        case Family::base64:
            return DumpKind::bytes;
    }
    return DumpKind::none;
}

// Does a packet of tcpdump -x begin with an IP header, and is it complete?
void look_at_packet(Dump::Run& run) {
    const auto byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(run.bytes[i]); };
    if (run.bytes.size() < 20) return;
    std::size_t size = 0;
    if (byte(0) >> 4 == 4 && (byte(0) & 15) >= 5) size = byte(2) << 8 | byte(3);
    if (byte(0) >> 4 == 6 && run.bytes.size() >= 40) size = 40 + (byte(4) << 8 | byte(5));
    run.ip_packet = size >= 20;
    run.cut = size > run.bytes.size();
}

std::string_view how_read(Family family, DumpKind kind, bool swapped, DumpReading reading) {
    if (family == Family::octal) return swapped ? "little-endian words in octal" : "bytes in octal";
    if (family == Family::decimal) return "in decimal";
    if (family == Family::base64) return "as base64";
    if (family == Family::escaped) return "as an escaped string";
    if (swapped) return "words of a little-endian machine, with their bytes swapped";
    if (reading == DumpReading::other_byte_order)
        return "words of a big-endian machine; in the other byte order there is no message";
    if (family == Family::debugger && kind == DumpKind::words)
        return "words from a debugger, taken as numbers";
    return "";
}

std::string nothing_read(std::string_view text, const Votes& votes) {
    if (votes.odd_line != 0)
        return fmt::format("line {}: {}", votes.odd_line, odd_digits(votes.odd));
    TextLines lines{text};
    std::string_view one;
    while (lines.next(one) && trimmed(one).empty()) {
    }
    if (trimmed(one).empty()) return "the text is empty";
    return fmt::format("the text contains no message; line {} is: {}", lines.number(),
                       escaped(trimmed(one).substr(0, 60)));
}

}  // namespace

Dump read_dump(std::string_view text, DumpReading reading) {
    Dump dump;
    const bool longer = text.size() > kDumpTextMax;
    if (longer) text = text.substr(0, kDumpTextMax);
    const Votes votes = vote(text, families_of(reading));
    const auto best = std::max_element(votes.lines.begin(), votes.lines.end());
    if (*best == 0) {
        dump.problem = nothing_read(text, votes);
        return dump;
    }
    const auto family = static_cast<Family>(best - votes.lines.begin());
    Assembler assembler{dump, family, votes, reading};
    assembler.read(text);
    if (reading == DumpReading::other_byte_order && !assembler.wide()) return {};
    if (dump.runs.empty()) {
        dump.problem = nothing_read(text, votes);
        return dump;
    }
    dump.kind = kind_of(family, assembler.widest());
    dump.how = how_read(family, dump.kind, assembler.swapped(), reading);
    if (dump.kind == DumpKind::tcpdump)
        for (Dump::Run& run : dump.runs) look_at_packet(run);
    if (longer && dump.problem.empty())
        dump.problem = fmt::format("only the first {} MiB were read", kDumpTextMax >> 20);
    return dump;
}

}  // namespace helio::inspect
