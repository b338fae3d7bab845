// helio explain: what is in a capture, a hex dump, a kernel trace, word by word or call by call.
#include "cli/explain.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common.h"
#include "helio/inspect/capture/reader.h"
#include "helio/inspect/text/dump.h"
#include "schema/builtin.h"

namespace helio::cli {
namespace {

constexpr const char* kExplainExamples = R"(Examples:
  helio explain                              paste a hex dump or trace lines, then Ctrl-D
  helio explain trace.txt                    every word of the messages in a text
  helio explain --clipboard --html > a.html
  echo '12345678 00000000 00000002 000186a3 00000003 00000000
        00000000 00000000 00000000 00000000' | helio explain
  helio explain nfs.pcap                     one line for each call
  helio explain nfs.pcap --stats             where the time goes: by operation, client, file
  helio explain nfs.pcap --stats --filter 'nfs3.WRITE && args.count > 64K && path ~ "/db/"'
  helio explain nfs.pcap --follow 0x8f0a71c7 every word of one call and its reply
  helio explain nfs.pcap --json | jq .path
  helio explain nfs.pcap --test 0x8f0a71c7   the same call as a command and as a test vector
  zcat old.pcap.gz | helio explain --stats
  sudo helio explain --live eth0 --filter 'latency > 10ms'
  helio explain --schema my.x my.pcap        programs of your own

What the input is (pcap, pcapng, snoop; xxd, hexdump, tcpdump -x, ftrace, C arrays …)
and which messages are in there is found out by content, never by port.
docs/explain.md has the filter's words and every view.
Exit: 0 explained, 1 something breaks its schema or nothing was found, 2 misuse.)";

constexpr std::size_t kBeginning = 64u << 10;

bool is_text(ByteView bytes) {
    return std::none_of(bytes.begin(), bytes.end(), [](std::byte b) {
        const auto c = std::to_integer<unsigned char>(b);
        return (c < 0x20 && (c < '\t' || c > '\r') && c != 0x1b) || c == 0x7f;
    });
}

std::string pasted(ExplainInput& input) {
    const auto bytes = input.rest(inspect::kDumpTextMax);
    return std::string{as_text(bytes)};
}

// Whatever program this desktop has for it.
std::string clipboard() {
    for (const char* command :
         {"wl-paste -n 2>/dev/null", "xclip -o -selection clipboard 2>/dev/null",
          "xsel -b -o 2>/dev/null", "pbpaste 2>/dev/null"}) {
        std::string text;
        const std::unique_ptr<FILE, int (*)(FILE*)> pipe{popen(command, "r"), &pclose};
        if (!pipe) continue;
        char block[4096];
        while (const std::size_t got = std::fread(block, 1, sizeof block, pipe.get())) {
            text.append(block, got);
            if (text.size() > inspect::kDumpTextMax) break;
        }
        if (!text.empty()) return text;
    }
    throw std::runtime_error(
        "the clipboard is empty or cannot be read: wl-paste, xclip, xsel and pbpaste were tried; "
        "paste into `helio explain` instead");
}

enum class InputKind : std::uint8_t { capture, text, stream };

InputKind kind_of(const ExplainInput& input) {
    const ByteView first = input.beginning();
    if (inspect::recognise(first) != inspect::CaptureKind::none) return InputKind::capture;
    if (const auto hint = inspect::packed_file_hint(first); !hint.empty())
        throw std::runtime_error(fmt::format("{}: {}", input.path(), hint));
    return is_text(first) ? InputKind::text : InputKind::stream;
}

int run_explain(const ExplainFlags& flags) {
    const auto catalogue = explain_catalogue(flags.schemas);
    if (!flags.live.empty()) return explain_live(flags, *catalogue);
    if (flags.clipboard) return explain_text(flags, *catalogue, clipboard());
    std::vector<std::unique_ptr<ExplainInput>> inputs;
    std::vector<std::string> paths = flags.inputs;
    if (paths.empty()) {
        if (isatty(STDIN_FILENO) != 0)
            fmt::print(stderr, "Paste a hex dump, trace lines or words; end with Ctrl-D.\n");
        paths.emplace_back("-");
    }
    for (const std::string& path : paths) inputs.push_back(std::make_unique<ExplainInput>(path));
    const InputKind kind = kind_of(*inputs[0]);
    for (const auto& one : inputs)
        if (kind_of(*one) != kind)
            throw std::runtime_error(
                fmt::format("{} and {} are of different kinds (captures, texts, bytes): explain "
                            "them one by one",
                            inputs[0]->path(), one->path()));
    switch (kind) {
        case InputKind::capture:
            return explain_captures(flags, *catalogue, std::move(inputs));
        case InputKind::stream:
            return explain_streams(flags, *catalogue, std::move(inputs));
        case InputKind::text:
            break;
    }
    std::string text;
    for (const auto& one : inputs) text += pasted(*one) + '\n';
    return explain_text(flags, *catalogue, std::move(text));
}

}  // namespace

bool ExplainFlags::colored() const {
    if (color != "auto") return color == "always";
    return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

void ExplainOutput::flush() {
    std::fwrite(text_.data(), 1, text_.size(), stdout);
    std::fflush(stdout);
    text_.clear();
}

std::unique_ptr<inspect::Catalogue> explain_catalogue(const std::vector<std::string>& files) {
    auto catalogue = std::make_unique<inspect::Catalogue>();
    for (const std::string& file : files) {
        idl::Parsed parsed = idl::parse_file(file);
        const std::string report = parsed.report();
        if (!parsed.schema)
            throw std::runtime_error(fmt::format("the schema has errors\n{}", report));
        std::fputs(report.c_str(), stderr);
        catalogue->add(std::move(parsed.schema), inspect::Shape::onc);
    }
    // libvirt's programs share thousands of lines: parsed one by one they would be most of the time
    // that explaining a small text takes.
    constexpr std::string_view virnet[] = {"remote", "qemu", "lxc", "admin", "keepalive"};
    for (const auto& one : builtin::texts())
        if (std::find(std::begin(virnet), std::end(virnet), one.name) == std::end(virnet))
            catalogue->add(builtin::parse(one.name).schema, inspect::Shape::onc);
    catalogue->add(builtin::parse_together(virnet).schema, inspect::Shape::virnet,
                   inspect::Catalogue::Imports::added);
    return catalogue;
}

ExplainInput::ExplainInput(const std::string& path) : path_(path == "-" ? "standard input" : path) {
    const int fd = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        throw std::runtime_error(fmt::format("cannot read '{}': {}", path_, std::strerror(errno)));
    source_ = std::make_unique<inspect::FileSource>(Fd{fd});
    beginning_.resize(kBeginning);
    std::size_t have = 0;
    while (have < beginning_.size()) {
        const std::size_t got = source_->read(std::span{beginning_}.subspan(have));
        if (got == 0) break;
        have += got;
    }
    if (source_->error() != 0)
        throw std::runtime_error(
            fmt::format("cannot read '{}': {}", path_, std::strerror(source_->error())));
    beginning_.resize(have);
    whole_ = std::make_unique<inspect::RejoinedSource>(beginning_, *source_);
}

std::vector<std::byte> ExplainInput::rest(std::size_t limit) {
    std::vector<std::byte> all;
    for (;;) {
        const std::size_t before = all.size();
        all.resize(before + kBeginning);
        const std::size_t got = read(std::span{all}.subspan(before));
        all.resize(before + got);
        if (got == 0) return all;
        if (all.size() > limit)
            throw std::runtime_error(fmt::format(
                "'{}' is over {} bytes, the most that is read of a text", path_, limit));
    }
}

void add_explain(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<ExplainFlags>();
    CLI::App* const verb = app.add_subcommand(
        "explain", "Name every word of a hex dump or a trace, every call of a capture");
    verb->footer(kExplainExamples);
    verb->add_option("INPUT", flags->inputs, "Files, or - for standard input (the default)");
    const auto view = [&](const char* name, ExplainView what, const char* help) {
        return verb->add_flag_callback(
            name, [flags, what] { flags->view = what; }, help);
    };
    CLI::Option* const calls =
        view("--calls", ExplainView::calls, "One line for each call; the default for captures");
    CLI::Option* const words =
        view("--words", ExplainView::words, "Every word of every message; the default for texts");
    CLI::Option* const stats = view("--stats", ExplainView::stats, "What the calls add up to");
    calls->excludes(words)->excludes(stats);
    words->excludes(stats);
    verb->add_option("--by", flags->by, "Of --stats: procedure, client, file")
        ->delimiter(',')
        ->check(CLI::IsMember({"procedure", "client", "file"}))
        ->needs(stats);
    verb->add_option("--filter", flags->filter, "Only calls that this is true of");
    verb->add_option("--follow", flags->follow,
                     "Every word of the calls with this xid, and their replies");
    verb->add_option("--test", flags->test,
                     "The call with this xid as a `helio call` command and as a test vector");
    CLI::Option* const live =
        verb->add_option("--live", flags->live, "Capture from this interface");
    verb->add_option("--as", flags->reply_of, "What a reply without its call answers: nfs3.READ");
    verb->add_option("--schema", flags->schemas, "A .x file of your own; may be given again");
    verb->add_option("--limit", flags->limit, "Stop after so many calls");
    CLI::Option* const json =
        verb->add_flag("--json", flags->json, "JSON, one object on each line");
    verb->add_flag("--html", flags->html, "A page, of words")->excludes(json);
    verb->add_option("--color", flags->color, "auto, always, never")
        ->check(CLI::IsMember({"auto", "always", "never"}));
    verb->add_flag("--clipboard", flags->clipboard, "Explain what the clipboard holds")
        ->excludes(live);
    verb->callback([flags, &exit_code] { exit_code = run_explain(*flags); });
}

}  // namespace helio::cli
