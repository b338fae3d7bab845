// One line per message: direction, procedure, and content as JSON.
#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "helio/virt/relay/procedures.h"
#include "helio/virt/relay/report/report.h"
#include "helio/virt/wire/error.h"

namespace helio::virt::relay {

namespace {

using frame::VirnetType;

bool is_reply(VirnetType type) {
    return type == VirnetType::reply || type == VirnetType::reply_with_fds;
}

bool is_stream(VirnetType type) {
    return type == VirnetType::stream || type == VirnetType::stream_hole;
}

void append_body(std::string& out, const frame::VirnetHeader& header,
                 const RelayProcedure* procedure, ByteView payload) {
    if (header.status == frame::VirnetStatus::error && !payload.empty()) {
        const auto error = open_error(payload);
        out += error ? fmt::format(" error {}/{} {}", error->code, error->domain,
                                   escaped(error->message))
                     : " an error that cannot be decoded";
    } else if (is_stream(header.type)) {
        constexpr std::string_view kStatus[] = {"finish", "abort", "more"};
        const auto status = static_cast<std::size_t>(header.status);
        out += fmt::format(" {} {} bytes", status < 3 ? kStatus[status] : "?", payload.size());
    } else if (procedure != nullptr) {
        const auto& type = is_reply(header.type) ? *procedure->result : *procedure->arguments;
        const auto tree = reflect::decode(payload, type, {.strict = false});
        if (!tree.ok())
            out += fmt::format(" undecodable: {}", to_string(tree.error));
        else if (!tree.nodes.empty() && tree.consumed > 0)
            reflect::append_json(out += ' ', tree, {.indent = 0});
    }
}

class LinePrinter final : public MessagePrinter {
 public:
    explicit LinePrinter(const Procedures& procedures) : procedures_(procedures) {}

    void append(std::string& out, const RelayClient& client, RelaySide from,
                ByteView frame) override {
        constexpr std::size_t kHead = frame::LengthWord::kWordSize + frame::VirnetHeader::kSize;
        const frame::VirnetHeader header =
            frame::read_virnet_header(frame.data() + frame::LengthWord::kWordSize);
        ByteView payload = frame.subspan(kHead);
        if (header.type == VirnetType::call_with_fds || header.type == VirnetType::reply_with_fds)
            payload = payload.subspan(4);
        out += fmt::format("{} {} ", direction_text(client, from), frame::name_of(header.type));
        if (header.program == frame::kKeepaliveProgram) {
            out += header.procedure == frame::kKeepalivePing ? "ping\n" : "pong\n";
            return;
        }
        const auto* const procedure =
            procedures_.find(header.program, header.version, header.procedure);
        out += procedure != nullptr
                   ? procedure->name
                   : fmt::format("program {:#x} procedure {}", header.program, header.procedure);
        out += fmt::format(" serial {}", header.serial);
        append_body(out, header, procedure, payload);
        out += '\n';
    }

 private:
    const Procedures& procedures_;
};

}  // namespace

std::string direction_text(const RelayClient& client, RelaySide from) {
    return fmt::format("#{} {}", client.number, from == RelaySide::client ? "→" : "←");
}

std::unique_ptr<MessagePrinter> make_line_printer(const Procedures& procedures) {
    return std::make_unique<LinePrinter>(procedures);
}

}  // namespace helio::virt::relay
