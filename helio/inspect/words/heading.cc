// The line above a message from a capture.
#include "helio/inspect/words/words_internal.h"

namespace helio::inspect {

void Headings::append(std::string& out, const Message& message, std::string_view what,
                      std::string_view procedure, Shape shape, const Head& head) {
    if (message.packet != 0) {
        out += '#';
        append_number(out, message.packet);
        out += ' ';
        if (const std::int64_t second = message.time_ns / 1'000'000'000; second != second_) {
            second_ = second;
            second_text_.clear();
            append_time(second_text_, second);
            second_text_.resize(second_text_.size() - 4);  // the fraction goes before " UTC"
        }
        out += second_text_;
        char digits[10];
        auto left = static_cast<std::uint32_t>(message.time_ns % 1'000'000'000);
        for (std::size_t i = 10; i-- > 1; left /= 10)
            digits[i] = static_cast<char>('0' + left % 10);
        digits[0] = '.';
        out.append(digits, sizeof digits);
        out += ' ';
    }
    if (message.flow != nullptr) {
        const FlowEnds& flow = *message.flow;
        Ends& ends = ends_[flow.number % kEndsMax][message.direction];
        if (ends.flow != &flow || ends.number != flow.number) {
            ends.flow = &flow;
            ends.number = flow.number;
            ends.text = to_string(flow.ends[message.direction]) + " -> " +
                        to_string(flow.ends[message.direction ^ 1]);
        }
        out += ends.text;
        out += ' ';
    }
    out += name(message.carrier);
    out += "  ";
    out += what;
    out += procedure;
    out += shape == Shape::onc ? ", xid " : ", serial ";
    append_hex_number(out, head.xid, 8);
    if (!head.call && head.verdict != Verdict::none) {
        out += ", ";
        out += name(head.verdict);
    }
    if (message.cut()) {
        out += ", cut: ";
        append_number(out, message.bytes.size());
        out += " of ";
        append_number(out, message.size);
        out += " bytes";
    }
}

}  // namespace helio::inspect
