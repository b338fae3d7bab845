// Constants: evaluates everything that has a number: constants, enumerators, procedures, versions,
// programs. Each may refer to another by name, before or after its definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "helio/idl/diagnostics.h"
#include "helio/idl/sema/names_internal.h"
#include "helio/idl/syntax/ast_internal.h"
#include "helio/idl/syntax/number_internal.h"

namespace helio::idl {

class Constants final {
 public:
    Constants(Names& names, Diagnostics& diagnostics) : names_(names), diagnostics_(diagnostics) {}

    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    // Returns the node's index. `previous`: the enumerator before, which an enumerator without a
    // value follows; kNone for a first one, which is 0.
    std::size_t add(const Documented& named, const ast::Value& value, std::size_t previous = kNone);

    // rpcgen makes macros of program, version and procedure names, and rpcb_prot.x uses them as
    // numbers. They are used only if nothing else has that name.
    void add_program_name(const Documented& named, const ast::Value& value);

    // nullopt when there is no value; the reason has been reported.
    std::optional<Integer> evaluate(std::size_t node);
    // `what` is the use, for messages: "array bound".
    std::optional<Integer> evaluate(const ast::Value& value, std::string_view what);

 private:
    enum class State : std::uint8_t { fresh, entered, known, failed };
    struct Node {
        const Documented* named;
        const ast::Value* value;
        std::size_t previous;
        State state = State::fresh;
        Integer result;
    };
    struct ProgramName {
        std::size_t node;
        bool ambiguous = false;  // two versions give the name different numbers
    };

    std::optional<std::size_t> node_of(const ast::Value& value, std::string_view what);
    std::optional<std::size_t> program_name(const ast::Value& value);
    std::size_t dependency(Node& node);
    void settle(Node& node, std::size_t depends_on);
    void report_circle(std::size_t node);

    Names& names_;
    Diagnostics& diagnostics_;
    std::vector<Node> nodes_;
    std::unordered_map<std::string_view, ProgramName> program_names_;
};

}  // namespace helio::idl
