#include "helio/virt/relay/report/report.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "helio/virt/relay/audit.h"
#include "helio/virt/relay/report/line_writer_internal.h"
#include "helio/virt/relay/report/recorder_internal.h"

namespace helio::virt::relay {

struct Report::Parts {
    Parts(transport::EventLoop& loop, ReportOptions given)
        : options(std::move(given)), output(loop, options.output, options.on_problem) {}

    ReportOptions options;
    LineWriter output;
    Fd audit_file;
    std::optional<LineWriter> audit;
    std::optional<Recorder> recorder;
};

Report::Report(transport::EventLoop& loop, ReportOptions options)
    : parts_(std::make_unique<Parts>(loop, std::move(options))) {
    const ReportOptions& given = parts_->options;
    if (!given.audit_path.empty()) {
        parts_->audit_file =
            Fd{::open(given.audit_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                      S_IRUSR | S_IWUSR)};
        if (!parts_->audit_file)
            throw std::runtime_error(fmt::format("{}: {}", given.audit_path, std::strerror(errno)));
        parts_->audit.emplace(loop, parts_->audit_file.get(), given.on_problem);
    }
    if (!given.record_folder.empty())
        parts_->recorder.emplace(given.record_folder, given.on_problem);
}

Report::~Report() = default;

bool Report::wants_messages() const {
    return parts_->options.printer != nullptr || parts_->recorder;
}

std::string& Report::audit() {
    return parts_->audit ? parts_->audit->text() : parts_->output.text();
}

void Report::append_event(const RelayClient& client, std::string_view what, std::string_view why) {
    if (parts_->options.audit_format == ReportOptions::Format::json)
        append_audit_json(audit(), client, what, why);
    else
        append_audit_text(audit(), client, what, why);
}

void Report::on_connect(const RelayClient& client) {
    if (parts_->recorder) parts_->recorder->begin(client);
    append_event(client, "connected", "");
}

void Report::on_message(const RelayClient& client, RelaySide from, ByteView frame) {
    if (parts_->recorder) parts_->recorder->append(client, from, frame);
    if (parts_->options.printer)
        parts_->options.printer->append(parts_->output.text(), client, from, frame);
}

void Report::on_call_end(const RelayClient& client, const CallRecord& call) {
    if (parts_->options.audit_format == ReportOptions::Format::json)
        append_audit_json(audit(), client, call);
    else
        append_audit_text(audit(), client, call);
}

void Report::on_disconnect(const RelayClient& client, std::string_view why) {
    if (parts_->recorder) parts_->recorder->end(client);
    if (parts_->options.printer) parts_->options.printer->on_disconnect(client);
    append_event(client, "closed", why);
}

}  // namespace helio::virt::relay
