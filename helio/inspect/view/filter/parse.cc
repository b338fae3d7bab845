// Parses the text of a Filter.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "helio/base/text/nearest.h"
#include "helio/inspect/view/filter/cursor_internal.h"
#include "helio/inspect/view/filter/filter_internal.h"
#include "helio/inspect/view/filter/names_internal.h"

namespace helio::inspect {
namespace {

using idl::Kind;

enum class Takes : std::uint8_t { number, duration, text, address, word };

struct OperandRow {
    std::string_view name;
    Operand operand;
    Takes takes;
    std::string_view about = {};
};
constexpr OperandRow kOperands[] = {
    {"operation", Operand::operation_name, Takes::text, "name of the operation: ~ \"nfs3.READ\""},
    {"path", Operand::path, Takes::text, "path of the file that the call is about: ~ \"/db/\""},
    {"client", Operand::client, Takes::address, "address or network: == 10.0.0.0/8"},
    {"server", Operand::server, Takes::address, "address or network"},
    {"port", Operand::port, Takes::number, "port of the server"},
    {"carrier", Operand::carrier, Takes::word, "text, stream, tcp, udp, roce or iwarp"},
    {"xid", Operand::xid, Takes::number, "transaction number: == 0x8f0a71c7"},
    {"program", Operand::program, Takes::number, "number of the program"},
    {"version", Operand::version, Takes::number, "version of the program"},
    {"procedure", Operand::procedure, Takes::number, "number of the procedure"},
    {"latency", Operand::latency, Takes::duration, "time to the reply, with a unit: > 10ms"},
    {"size", Operand::size, Takes::number, "size of call and reply in bytes"},
    {"retransmissions", Operand::retransmissions, Takes::number,
     "number of times the call was retransmitted"},
    {"verdict", Operand::verdict, Takes::word, "status of the RPC reply: SUCCESS, PROG_UNAVAIL …"},
    {"missing", Operand::missing, Takes::word, "not in the capture: call or reply"},
    {"cut", Operand::cut, Takes::word, "captured in part: call, reply or both"},
    {"status", Operand::status, Takes::number, "status of the result: == NFS3ERR_NOENT"},
};

constexpr std::string_view kArguments = "args";
constexpr std::string_view kResult = "result";

struct Comparison {
    std::string_view sign;
    Compare compare;
};
constexpr Comparison kComparisons[] = {
    // the longer first
    {"==", Compare::equal},    {"!=", Compare::unequal}, {"<=", Compare::at_most},
    {">=", Compare::at_least}, {"!~", Compare::unlike},  {"<", Compare::less},
    {">", Compare::more},      {"~", Compare::like},
};

// Words of `verdict`, `missing`, `cut` and `carrier`, with their numbers.
std::vector<std::pair<std::string, std::uint64_t>> words_of(Operand operand) {
    std::vector<std::pair<std::string, std::uint64_t>> out;
    if (operand == Operand::missing) return {{"call", 1}, {"reply", 2}};
    if (operand == Operand::cut) return {{"call", 1}, {"reply", 2}, {"both", 3}};
    if (operand == Operand::carrier) {
        for (std::uint64_t i = 0; i <= static_cast<std::uint64_t>(Carrier::iwarp); ++i)
            out.emplace_back(name(static_cast<Carrier>(i)), i + 1);
        return out;
    }
    for (auto i = static_cast<std::uint64_t>(Verdict::success);
         i <= static_cast<std::uint64_t>(Verdict::failed); ++i)
        out.emplace_back(name(static_cast<Verdict>(i)), i);
    return out;
}

bool is_bytes(const idl::Type& type) {
    return type.kind == Kind::string || type.kind == Kind::opaque_fixed ||
           type.kind == Kind::opaque_variable;
}

// The right side of a comparison with a field, before it is resolved for each procedure.
struct Wanted {
    enum class Kind : std::uint8_t { nothing, number, text, word } kind = Kind::nothing;
    FilterNumber number;
    std::string text;
    std::size_t position = 0;
};

// true, false, an enumerator of the field's type, or a constant of its schema.
std::optional<FilterNumber> meaning(const std::string& word, const idl::Type& type,
                                    const idl::Schema& schema) {
    if (type.kind == Kind::boolean && (word == "true" || word == "TRUE")) return FilterNumber{1};
    if (type.kind == Kind::boolean && (word == "false" || word == "FALSE")) return FilterNumber{0};
    const auto of = [](std::int64_t value) {
        return FilterNumber{
            value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value),
            value < 0};
    };
    if (type.kind == Kind::enumeration) {
        const auto* const known = type.enumerator(std::string_view{word});
        return known != nullptr ? std::optional{of(known->value)} : std::nullopt;
    }
    if (is_bytes(type)) return std::nullopt;
    const idl::Constant* const constant = schema.constant(word);
    if (constant == nullptr) return std::nullopt;
    return FilterNumber{constant->magnitude, constant->negative};
}

}  // namespace

class FilterParser : private FilterCursor {
 public:
    FilterParser(std::string_view text, const Catalogue& catalogue)
        : FilterCursor(text),
          catalogue_(catalogue),
          program_(std::make_unique<Filter::Program>()) {}

    Result<Filter, FilterError> run() {
        if (text_.size() > kFilterSizeMax)
            return refused(kFilterSizeMax,
                           fmt::format("the filter is longer than {} bytes", kFilterSizeMax));
        program_->root = either(0);
        skip_spaces();
        if (good() && at_ < text_.size()) wrong(at_, "expected && or ||, or the end of the filter");
        if (!good()) return refused(position_, problem_);
        return Filter{std::move(program_)};
    }

 private:
    using Op = Filter::Program::Op;

    tl::unexpected<FilterError> refused(std::size_t position, std::string problem) const {
        return fail(FilterError{std::string{text_}, position, std::move(problem)});
    }
    std::uint32_t node(Op op, std::size_t first, std::size_t second = 0) {
        program_->nodes.push_back(
            {op, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)});
        return static_cast<std::uint32_t>(program_->nodes.size() - 1);
    }

    std::uint32_t either(int depth) {
        std::uint32_t left = both(depth);
        while (good() && take("||")) left = node(Op::either, left, both(depth));
        return left;
    }
    std::uint32_t both(int depth) {
        std::uint32_t left = unary(depth);
        while (good() && take("&&")) left = node(Op::both, left, unary(depth));
        return left;
    }
    std::uint32_t unary(int depth) {
        skip_spaces();
        if (depth >= kFilterDepthMax) return wrong(at_, "parentheses are nested too deeply");
        if (take("!")) return node(Op::negation, unary(depth + 1));
        const std::size_t open = at_;
        if (take("(")) {
            const std::uint32_t inside = either(depth + 1);
            if (good() && !take(")")) return wrong(open, "'(' without ')'");
            return inside;
        }
        return primary();
    }

    std::uint32_t primary() {
        skip_spaces();
        const std::size_t start = at_;
        const std::string_view name = word();
        if (name.empty())
            return wrong(
                start,
                at_ < text_.size()
                    ? "expected an operation or a field, such as nfs3.WRITE or args.count > 64K"
                    : "the filter ends where an operation or a field is expected");
        for (const OperandRow& row : kOperands)
            if (row.name == name) return comparison(row, start);
        const std::string_view first = name.substr(0, name.find('.'));
        if (first == kArguments || first == kResult) {
            const bool arguments = first == kArguments;
            field_path_ = name.size() > first.size() ? name.substr(first.size() + 1) : "";
            return comparison(
                {name, arguments ? Operand::arguments : Operand::result, Takes::number}, start);
        }
        return operation(name, start);
    }

    std::uint32_t operation(std::string_view name, std::size_t start) {
        std::vector<bool> in(catalogue_.procedures().size());
        bool any = false;
        for (const Procedure& one : catalogue_.procedures()) {
            if (!is_called(one, name)) continue;
            in[one.number] = true;
            any = true;
        }
        if (!any) return wrong(start, no_such_name(name, catalogue_, operand_names()));
        skip_spaces();
        if (is_assignment()) return wrong(at_, kUseTwo);
        for (const Comparison& one : kComparisons)
            if (text_.substr(at_).starts_with(one.sign))
                return wrong(
                    at_, fmt::format("{} is an operation and cannot be compared; the fields are {}",
                                     name, operand_list()));
        program_->operations.push_back(std::move(in));
        return node(Op::operation, program_->operations.size() - 1);
    }

    static std::vector<std::string_view> operand_names() {
        std::vector<std::string_view> out;
        for (const OperandRow& row : kOperands) out.push_back(row.name);
        return out;
    }
    static std::string operand_list() {
        return fmt::format("args.…, result.…, {}", fmt::join(operand_names(), ", "));
    }

    static constexpr const char* kUseTwo = "use == to compare";
    bool is_assignment() const {
        const std::string_view rest = text_.substr(at_);
        return rest.starts_with('=') && !rest.starts_with("==");
    }
    Compare sign() {
        for (const Comparison& one : kComparisons)
            if (take(one.sign)) return one.compare;
        return Compare::exists;
    }

    std::uint32_t comparison(const OperandRow& row, std::size_t start) {
        Test test;
        test.operand = row.operand;
        skip_spaces();
        const std::size_t sign_at = at_;
        if (is_assignment()) return wrong(at_, kUseTwo);
        test.compare = sign();
        skip_spaces();
        right_at_ = at_;
        const bool like = test.compare == Compare::like || test.compare == Compare::unlike;
        const bool order = !like && test.compare != Compare::exists &&
                           test.compare != Compare::equal && test.compare != Compare::unequal;
        const bool field = row.operand >= Operand::status;
        if (like && row.takes != Takes::text && !field)
            return wrong(sign_at,
                         fmt::format("~ works only for text, and {} is not text", row.name));
        if (order &&
            (row.takes == Takes::text || row.takes == Takes::word || row.takes == Takes::address))
            return wrong(sign_at,
                         fmt::format("{} has no order; compare it with == or !=", row.name));
        if (field) {
            fill_field(test, row.name, start);
        } else if (test.compare == Compare::exists) {
            if (row.takes == Takes::address)
                return wrong(at_, fmt::format("compare {} with an address: {} == 10.0.0.0/8",
                                              row.name, row.name));
        } else {
            fill(test, row);
        }
        if (!good()) return 0;
        program_->tests.push_back(std::move(test));
        return node(Op::test, program_->tests.size() - 1);
    }

    void fill(Test& test, const OperandRow& row) {
        switch (row.takes) {
            case Takes::text:
                if (const auto text = quoted()) set_text(test, *text);
                return;
            case Takes::address:
                if (const auto network = address()) test.network = *network;
                return;
            case Takes::word:
                return one_of(test, row.name);
            case Takes::number:
            case Takes::duration:
                if (const auto number = this->number(row.takes == Takes::duration))
                    test.number = *number;
        }
    }

    void set_text(Test& test, const std::string& text) {
        test.is_text = true;
        if (test.compare != Compare::like && test.compare != Compare::unlike) {
            test.text = text;
            return;
        }
        auto pattern = Pattern::make(text);
        if (pattern) {
            test.pattern = std::move(*pattern);
        } else {
            wrong(right_at_ + 1 + pattern.error().position,
                  fmt::format("the pattern: {}", pattern.error().problem));
        }
    }

    void one_of(Test& test, std::string_view operand) {
        const std::size_t start = at_;
        const std::string_view got = word();
        std::vector<std::string> known;
        for (auto& [name, number] : words_of(test.operand)) {
            if (name == got) test.number = {number};
            known.push_back(std::move(name));
        }
        if (test.number.magnitude == 0)
            wrong(start, fmt::format("{} must be one of {}", operand, fmt::join(known, ", ")));
    }

    Wanted wanted(const Test& test) {
        Wanted out;
        out.position = at_;
        if (test.compare == Compare::exists) return out;
        if (at_ < text_.size() && text_[at_] == '"') {
            out.kind = Wanted::Kind::text;
            if (auto text = quoted()) out.text = std::move(*text);
        } else if (test.compare == Compare::like || test.compare == Compare::unlike) {
            out.kind = Wanted::Kind::text;
            (void)quoted();  // reports what is missing
        } else if (at_letter()) {
            out.kind = Wanted::Kind::word;
            out.text = word();
        } else {
            out.kind = Wanted::Kind::number;
            if (const auto number = this->number(false)) out.number = *number;
        }
        return out;
    }

    // Resolves the field and the right side for each procedure that has the field.
    void fill_field(Test& test, std::string_view name, std::size_t start) {
        const Wanted want = wanted(test);
        if (!good()) return;
        if (want.kind == Wanted::Kind::text) set_text(test, want.text);
        if (!good()) return;
        if (test.is_text && test.compare != Compare::equal && test.compare != Compare::unequal &&
            !test.pattern)
            return void(wrong(want.position, "text has no order; compare it with ==, != or ~"));
        test.field_of.resize(catalogue_.procedures().size());
        const idl::Type* seen = nullptr;
        const Procedure* with_whole = nullptr;  // the field is a struct or the like
        for (const Procedure& one : catalogue_.procedures()) {
            reflect::FieldPlan plan = plan_for(test.operand, one);
            if (plan.type() == nullptr) continue;
            if (test.compare != Compare::exists && !is_comparable(*plan.type())) {
                if (with_whole == nullptr) with_whole = &one;
                continue;
            }
            seen = plan.type();
            Test::FieldOf field{std::move(plan), want.number};
            if (test.is_text && !is_bytes(*seen) && seen->kind != Kind::enumeration) continue;
            if (want.kind == Wanted::Kind::word) {
                const auto number = meaning(want.text, *seen, *one.schema);
                if (!number) continue;
                field.number = *number;
            }
            test.fields.push_back(std::move(field));
            test.field_of[one.number] = static_cast<std::uint32_t>(test.fields.size());
        }
        if (!test.fields.empty()) return;
        if (seen == nullptr && with_whole != nullptr) {
            wrong(start, not_comparable(name, root_of(test.operand, *with_whole)));
        } else if (seen == nullptr) {
            wrong(start, no_such_field(name, catalogue_));
        } else if (want.kind == Wanted::Kind::word) {
            wrong(want.position, no_such_value(name, want.text, test));
        } else {
            wrong(want.position, fmt::format("{} is a number, not text", name));
        }
    }

    reflect::FieldPlan plan_for(Operand operand, const Procedure& procedure) const {
        if (operand == Operand::status) return procedure.status;
        return reflect::FieldPlan::to(root_of(operand, procedure), field_path_);
    }
    static const idl::Type& root_of(Operand operand, const Procedure& procedure) {
        return operand == Operand::arguments ? *procedure.arguments : *procedure.result;
    }

    std::string no_such_value(std::string_view name, const std::string& value, const Test& test) {
        Nearest nearest{value};
        std::set<std::string_view> some;
        for (const Procedure& one : catalogue_.procedures()) {
            const idl::Type* const type = plan_for(test.operand, one).type();
            if (type == nullptr) continue;
            for (const idl::Enumerator& known : type->enumerators) {
                nearest.offer(known.name);
                if (some.size() < 4) some.insert(known.name);
            }
        }
        if (!nearest.found().empty())
            return fmt::format("{} is never {}; did you mean {}?", name, value, nearest.found());
        if (!some.empty())
            return fmt::format("{} is never {}; it can be {} …", name, value,
                               fmt::join(some, ", "));
        return fmt::format("the values of {} have no names; use text in quotes or a number", name);
    }

    const Catalogue& catalogue_;
    std::unique_ptr<Filter::Program> program_;
    std::size_t right_at_ = 0;
    std::string_view field_path_;
};

std::string filter_help() {
    std::string out =
        "Name an operation by itself: nfs3.WRITE, WRITE, nfs3. Compare fields with == != < <= > >= "
        "or,\nfor text, with ~ and !~ and a regular expression. Combine with && || ! ( ).\n\n";
    const auto row = [&out](std::string_view name, std::string_view about) {
        out += fmt::format("  {:<16} {}\n", name, about);
    };
    row("args.X", "a field of the arguments, as in --json: args.count > 64K");
    row("result.X", "a field of the result: result.resok.count");
    for (const OperandRow& one : kOperands) row(one.name, one.about);
    out +=
        "\nhelio describe nfs3.WRITE lists the fields of a procedure. Examples:\n  nfs3.WRITE && "
        "args.count > 64K && path ~ \"/db/\"\n  status == NFS3ERR_NOENT || latency > 10ms\n  "
        "client == 10.0.0.0/8 && !(READ || WRITE)\n";
    return out;
}

Result<Filter, FilterError> Filter::parse(std::string_view text, const Catalogue& catalogue) {
    return FilterParser{text, catalogue}.run();
}

}  // namespace helio::inspect
