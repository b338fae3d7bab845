// CallLines: one line for each call, for people:
//
//   0.000123  10.0.0.1:854 → 10.0.0.2:2049  nfs3.READ  /a/b offset=0 count=4096  NFS3_OK count=4096
//   eof=true  1.23 ms
//
// (on one line). A compound shows its operations: SEQUENCE PUTFH READ(offset=0 count=4096). The
// schema decides which arguments and results are shown: numbers, names and enumerators directly in
// them, the most informative first. Control characters are escaped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/inspect/catalogue.h"
#include "helio/inspect/exchange.h"
#include "helio/inspect/view/names.h"
#include "helio/reflect/field_plan.h"

namespace helio::inspect {

class CallLines final {
 public:
    struct Options {
        bool color = false;         // by outcome
        bool clock = false;         // the time of day (UTC) instead of seconds since the start
        std::int64_t start_ns = 0;  // origin of the seconds; 0: the first call shown
    };

    CallLines(const Catalogue& catalogue, Options options);

    // Appends the line and its end.
    void append(std::string& out, const Exchange& exchange, Names& names);

 private:
    struct LabelledField {
        std::string label;  // empty: the value alone
        reflect::FieldPlan plan;
        bool octal = false;
        // As in TellingField.
        reflect::FieldPlan fraction = {};
        unsigned fraction_digits = 0;
        bool is_choice = false;
    };
    struct ChosenFields {
        bool made = false;
        std::vector<LabelledField> arguments;
        std::vector<LabelledField> results;
    };
    enum class Tone : std::uint8_t { plain, faint, good, bad, odd };

    const ChosenFields& chosen(const Procedure& procedure, const Names& names);
    void append_time(std::string& out, const Exchange& exchange);
    void append_ends(std::string& out, const Exchange& exchange);
    void append_fields(std::string& out, const std::vector<LabelledField>& fields, ByteView bytes,
                       std::size_t most) const;
    void append_operations(std::string& out, const Exchange& exchange, const Names& names);
    void append_result(std::string& out, const Exchange& exchange) const;
    void append_notes(std::string& out, const Exchange& exchange) const;
    void toned(std::string& out, Tone tone, std::string_view text) const;
    static void pad(std::string& out, std::size_t columns, std::size_t& widest, std::size_t most);

    const Catalogue& catalogue_;
    Options options_;
    std::vector<ChosenFields> chosen_;  // by Procedure::number; filled when first met
    // Columns grow with their contents, so that lines align.
    std::size_t ends_widest_ = 0;
    std::size_t operation_widest_ = 0;
    std::string scratch_;
};

}  // namespace helio::inspect
