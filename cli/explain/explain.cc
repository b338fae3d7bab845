// helio explain: explains a capture, a hex dump or a kernel trace, call by call or word by word.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/explain/live_capture.h"
#include "helio/base/text/escape.h"
#include "helio/inspect/pipeline/pipeline.h"
#include "helio/inspect/text/dump.h"
#include "helio/inspect/view/filter/filter.h"

namespace helio::cli {
namespace {

constexpr const char* kExplainExamples = R"(Examples:
  helio explain                              paste a hex dump or trace lines, then Ctrl-D
  helio explain trace.txt                    messages in a text file, word by word
  helio explain --clipboard --html > a.html
  echo '12345678 00000000 00000002 000186a3 00000003 00000000
        00000000 00000000 00000000 00000000' | helio explain
  helio explain nfs.pcap                     one line per call
  helio explain nfs.pcap --stats             where the time goes: by operation, client, file
  helio explain nfs.pcap --stats --filter 'nfs3.WRITE && args.count > 64K && path ~ "/db/"'
  helio explain nfs.pcap --follow 0x8f0a71c7 every word of one call and its reply
  helio explain nfs.pcap --json | jq .path
  helio explain nfs.pcap --test 0x8f0a71c7   that call as a command and as a test vector
  helio explain old.pcap.gz --stats          a capture compressed with gzip
  sudo helio explain --live eth0 --filter 'latency > 10ms'
  helio explain --schema my.x my.pcap        your own programs

helio recognises the input format (pcap, pcapng, snoop; xxd, hexdump, tcpdump -x, base64, ftrace, C arrays …)
and the messages by content, on any port. docs/explain.md describes the views and the filter language.
Exit status: 0 success, 1 a message violates its schema or none was found, 2 wrong usage.)";

struct ExplainFlags {
    inspect::PipelineOptions options;
    std::vector<std::string> inputs;
    std::string follow;  // an xid
    std::string test;    // an xid
    std::string live;    // an interface
    std::string color = "auto";
    bool clipboard = false;
};

// How far a long file has been read, for a terminal on standard error.
class ProgressBar final {
 public:
    ~ProgressBar() {
        if (shown_) fmt::print(stderr, "\r\x1b[K");
    }
    void show(std::uint64_t bytes_read, std::uint64_t size) {
        if (size < kLongFile || bytes_read < next_) return;
        next_ = bytes_read + kStep;
        shown_ = true;
        const auto done = static_cast<std::size_t>(static_cast<double>(bytes_read) * kWidth /
                                                   static_cast<double>(size));
        fmt::print(stderr, "\r[{:<{}}] {} of {} MiB", std::string(std::min(done, kWidth), '='),
                   kWidth, bytes_read >> 20, size >> 20);
        std::fflush(stderr);
    }

 private:
    static constexpr std::uint64_t kLongFile = 32u << 20;
    static constexpr std::uint64_t kStep = 4u << 20;
    static constexpr std::size_t kWidth = 40;
    bool shown_ = false;
    std::uint64_t next_ = 0;
};

// Explanations to standard output, everything else to standard error.
class StandardOutput final : public inspect::PipelineOutput {
 public:
    explicit StandardOutput(inspect::View view)
        : shows_progress_(isatty(STDERR_FILENO) != 0 &&
                          (isatty(STDOUT_FILENO) == 0 || view == inspect::View::statistics)) {}
    void write(std::string_view text) override {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    }
    void note(std::string_view sentence) override { fmt::print(stderr, "helio: {}\n", sentence); }
    void progress(std::uint64_t bytes_read, std::uint64_t size) override {
        if (shows_progress_) bar_.show(bytes_read, size);
    }

 private:
    const bool shows_progress_;
    ProgressBar bar_;
};

// Decimal, or hexadecimal as `helio explain` itself prints it.
std::uint32_t parse_xid(const std::string& text) {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const char* const begin = text.data() + (hex ? 2 : 0);
    const char* const end = text.data() + text.size();
    std::uint32_t xid = 0;
    const auto [stop, error] = std::from_chars(begin, end, xid, hex ? 16 : 10);
    if (error != std::errc{} || stop != end)
        throw std::runtime_error(
            fmt::format("'{}' is not an xid; write 0x8f0a71c7 or a decimal number of up to 32 bits",
                        printable(text)));
    return xid;
}

bool wants_color(const std::string& when) {
    if (when != "auto") return when == "always";
    return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

// The text on the clipboard, read by whichever program this desktop has.
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
        "the clipboard is empty or cannot be read (tried wl-paste, xclip, xsel and pbpaste); paste "
        "into `helio explain` instead");
}

inspect::PipelineOptions options_of(const ExplainFlags& flags) {
    inspect::PipelineOptions options = flags.options;
    options.color = wants_color(flags.color);
    if (!flags.test.empty()) {
        options.xid = parse_xid(flags.test);
        options.view = inspect::View::test_case;
    } else if (!flags.follow.empty()) {
        options.xid = parse_xid(flags.follow);
        if (options.view == inspect::View::automatic) options.view = inspect::View::words;
    }
    return options;
}

inspect::PipelineResult explain(const ExplainFlags& flags) {
    const inspect::LoadedCatalogue loaded = inspect::load_catalogue(flags.options.schema_files);
    std::fputs(loaded.warnings.c_str(), stderr);
    const inspect::Catalogue& catalogue = *loaded.catalogue;
    const inspect::PipelineOptions options = options_of(flags);
    StandardOutput output{options.view};
    if (!flags.live.empty()) {
        LiveCapture capture{flags.live, output};
        auto result = explain_packets(options, catalogue, capture, output);
        capture.note_drops();
        return result;
    }
    if (flags.clipboard) return explain_text(options, catalogue, clipboard(), output);
    if (!flags.inputs.empty()) return explain_files(options, catalogue, flags.inputs, output);
    if (isatty(STDIN_FILENO) != 0)
        fmt::print(stderr, "Paste a hex dump, trace lines or words; end with Ctrl-D.\n");
    return explain_files(options, catalogue, {"-"}, output);
}

}  // namespace

void add_explain(Command& app, int& exit_code) {
    auto flags = std::make_shared<ExplainFlags>();
    Command* const verb = app.add_subcommand(
        "explain", "Explain captures call by call, hex dumps and traces word by word");
    verb->footer(kExplainExamples);
    verb->add_option("INPUT", flags->inputs, "Files, or - for standard input (the default)");
    const auto view = [&](const char* name, inspect::View what, const char* help) {
        return verb->add_flag_callback(
            name, [flags, what] { flags->options.view = what; }, help);
    };
    Option* const calls =
        view("--calls", inspect::View::calls, "One line per call (the default for captures)");
    Option* const words =
        view("--words", inspect::View::words, "Every word of every message (the default for text)");
    Option* const stats = view("--stats", inspect::View::statistics,
                               "Totals and latencies by operation, client and file");
    calls->excludes(words)->excludes(stats);
    words->excludes(stats);
    verb->add_option("--by", flags->options.statistics,
                     "With --stats, group only by these: procedure, client, file")
        ->delimiter(',')
        ->one_of({"procedure", "client", "file"})
        ->needs(stats);
    verb->add_option("--filter", flags->options.filter,
                     "Show only calls that match this expression; `help` describes the language");
    verb->add_option("--follow", flags->follow,
                     "Show every word of the call with this xid and of its reply");
    verb->add_option("--test", flags->test,
                     "Print the call with this xid as a `helio call` command and as a test vector");
    Option* const live =
        verb->add_option("--live", flags->live, "Capture from this network interface");
    verb->add_option("--as", flags->options.reply_procedure,
                     "Procedure of replies whose call is missing, in text: nfs3.READ");
    verb->add_option("--schema", flags->options.schema_files,
                     "A .x file for your own programs; may be repeated")
        ->allow_extra_args(false);
    verb->add_option("--limit", flags->options.calls_max, "Stop after this many calls");
    const auto format = [&](const char* name, inspect::Format what, const char* help) {
        return verb->add_flag_callback(
            name, [flags, what] { flags->options.format = what; }, help);
    };
    Option* const json = format("--json", inspect::Format::json, "Print JSON, one object per line");
    format("--html", inspect::Format::html, "Print an HTML page")->excludes(json);
    verb->add_option("--color", flags->color, "When to use colours: auto, always, never")
        ->one_of({"auto", "always", "never"});
    verb->add_flag("--clipboard", flags->clipboard, "Explain the text on the clipboard")
        ->excludes(live);
    verb->callback([flags, &exit_code] {
        if (flags->options.filter == "help") {
            fmt::print("{}", inspect::filter_help());
            return;
        }
        exit_code = explain(*flags).ok() ? kDone : kNo;
    });
}

}  // namespace helio::cli
