#include "helio/serve/config/config_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <span>

#include <fmt/format.h>
namespace helio::serve {
namespace {
// What toml++ takes for granted of itself does not hold for every text; then the file is refused.
struct NotToml {};
[[noreturn]] void refuse_text() { throw NotToml{}; }
}  // namespace
}  // namespace helio::serve

// Its code is compiled here, so that there is no library to link, and with its assertions: it trips
// over some texts.
#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#define TOML_ASSERT(fact) ((fact) ? static_cast<void>(0) : ::helio::serve::refuse_text())
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "helio/serve/config/backends.h"
#include "helio/serve/log.h"
#include "helio/transport/rdma/limits.h"
#include "helio/transport/socket/socket.h"

namespace helio::serve {
namespace {

using Problems = std::vector<ConfigProblem>;

// How many letters have to change to make one word of the other; keys are short.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
        }
    }
    return row.back();
}

std::string_view type_word(toml::node_type type) {
    switch (type) {
        case toml::node_type::string:
            return "a string";
        case toml::node_type::integer:
            return "a number";
        case toml::node_type::floating_point:
            return "a fraction";
        case toml::node_type::boolean:
            return "a boolean";
        case toml::node_type::array:
            return "a list";
        case toml::node_type::table:
            return "a table";
        default:
            return "a date or time";
    }
}

class Reading final {
 public:
    Problems problems;

    void wrong(const toml::source_region& where, std::string reason) {
        problems.push_back({where.begin.line, where.begin.column, std::move(reason)});
    }
    void wrong_type(std::string_view key, const toml::node& value, std::string_view wanted) {
        wrong(value.source(),
              fmt::format("'{}' is {}, and here is {}", key, wanted, type_word(value.type())));
    }

    bool text(std::string_view key, const toml::node& value, std::string& out) {
        const auto* const word = value.as_string();
        if (word == nullptr) return wrong_type(key, value, "a string"), false;
        out = word->get();
        return true;
    }
    // A word with a meaning of its own: parse gives it, or a phrase.
    template <class T, class Parse>
    void word(std::string_view key, const toml::node& value, std::optional<T>& out, Parse parse) {
        std::string said;
        if (!text(key, value, said)) return;
        auto parsed = parse(std::string_view{said});
        if (parsed)
            out = std::move(*parsed);
        else
            wrong(value.source(), fmt::format("'{}': {}", key, parsed.error()));
    }
    void boolean(std::string_view key, const toml::node& value, std::optional<bool>& out) {
        if (const auto* const flag = value.as_boolean())
            out = flag->get();
        else
            wrong_type(key, value, "true or false");
    }
    template <class T>
    void number(std::string_view key, const toml::node& value, std::uint64_t least,
                std::uint64_t most, std::optional<T>& out) {
        const auto* const found = value.as_integer();
        if (found == nullptr) return wrong_type(key, value, "a number");
        const std::int64_t said = found->get();
        if (said < static_cast<std::int64_t>(least) || said > static_cast<std::int64_t>(most))
            return wrong(value.source(),
                         fmt::format("'{}' is {}; it may be {} to {}", key, said, least, most));
        out = static_cast<T>(said);
    }
    // A list of words, or one word alone.
    template <class T, class Parse>
    bool words(std::string_view key, const toml::node& value, std::vector<T>& out, Parse parse) {
        const std::size_t before = problems.size();
        const auto one = [&](const toml::node& item) {
            std::optional<T> parsed;
            word(key, item, parsed, parse);
            if (parsed) out.push_back(std::move(*parsed));
        };
        if (const auto* const list = value.as_array())
            for (const toml::node& item : *list) one(item);
        else
            one(value);
        return problems.size() == before;
    }

    struct Key {
        std::string_view name;
        std::function<void(const toml::node& value)> read;
    };
    void table(const toml::table& table, std::span<const Key> keys, std::string_view where) {
        for (const auto& [key, value] : table) {
            const std::string_view name = key.str();
            const auto known = std::find_if(keys.begin(), keys.end(),
                                            [&](const Key& one) { return one.name == name; });
            if (known != keys.end())
                known->read(value);
            else
                unknown(key, keys, where);
        }
    }

 private:
    void unknown(const toml::key& key, std::span<const Key> keys, std::string_view where) {
        std::string reason = fmt::format("unknown key '{}' {}", without_controls(key.str()), where);
        const auto nearest =
            std::min_element(keys.begin(), keys.end(), [&](const Key& one, const Key& other) {
                return distance(key.str(), one.name) < distance(key.str(), other.name);
            });
        // Further away than a third of its letters it is another word, not a slip.
        if (distance(key.str(), nearest->name) <=
            std::max<std::size_t>(1, nearest->name.size() / 3))
            reason += fmt::format("; did you mean '{}'?", nearest->name);
        wrong(key.source(), std::move(reason));
    }
};

// The keys that a file has for all exports, and each export for itself.
std::vector<Reading::Key> rule_keys(Reading& in, RuleSettings& rules) {
    return {
        {"read-only", [&](const auto& value) { in.boolean("read-only", value, rules.read_only); }},
        {"squash",
         [&](const auto& value) { in.word("squash", value, rules.squash, parse_squash); }},
        {"anon-uid",
         [&](const auto& value) {
             in.number("anon-uid", value, 0, UINT32_MAX, rules.anonymous_uid);
         }},
        {"anon-gid",
         [&](const auto& value) {
             in.number("anon-gid", value, 0, UINT32_MAX, rules.anonymous_gid);
         }},
        {"allow",
         [&](const auto& value) {
             std::vector<nfs::Network> networks;
             if (!in.words("allow", value, networks, nfs::Network::parse)) return;
             if (networks.empty())
                 return in.wrong(
                     value.source(),
                     "'allow' is empty, which would allow nobody; leave it out to allow "
                     "every address that can reach the server");
             rules.allowed = std::move(networks);
         }},
    };
}

// Reads a value of the type of the setting's default.
void read_setting(Reading& in, const vfs::BackendSetting& setting, const toml::node& value,
                  vfs::BackendSettings& settings) {
    struct {
        void operator()(bool) const {
            std::optional<bool> said;
            in.boolean(setting.key, value, said);
            if (said) settings.set(setting.key, *said);
        }
        void operator()(std::uint64_t) const {
            std::optional<std::uint64_t> said;
            in.number(setting.key, value, setting.least, setting.most, said);
            if (said) settings.set(setting.key, *said);
        }
        void operator()(const std::string&) const {
            std::string said;
            if (in.text(setting.key, value, said)) settings.set(setting.key, std::move(said));
        }
        Reading& in;
        const vfs::BackendSetting& setting;
        const toml::node& value;
        vfs::BackendSettings& settings;
    } const visitor{in, setting, value, settings};
    std::visit(visitor, setting.default_value);
}

// The keys that an export may have depend on its path, which need not come first.
const vfs::Backend* backend_of(const toml::table& table, const vfs::BackendTable& backends) {
    const auto* const path = table.get_as<std::string>("path");
    return path ? backends.find(path->get()) : nullptr;
}

void read_export(Reading& in, const toml::table& table, const vfs::BackendTable& backends,
                 std::vector<ExportSettings>& exports) {
    ExportSettings one;
    const vfs::Backend* const backend = backend_of(table, backends);
    auto keys = rule_keys(in, one.rules);
    keys.push_back({"name", [&](const toml::node& value) {
                        if (!in.text("name", value, one.name)) return;
                        if (auto wrong = check_export_name(one.name); !wrong.empty())
                            in.wrong(value.source(), "'name': " + std::move(wrong));
                    }});
    keys.push_back({"path", [&](const toml::node& value) {
                        if (!in.text("path", value, one.source)) return;
                        constexpr auto kInFile = vfs::Backend::SourceOrigin::file;
                        if (!backend || !backend->check(one.source, kInFile).empty())
                            in.wrong(value.source(), "'path' " + not_a_source(backends));
                        else if (one.source.find('\0') != std::string::npos)
                            in.wrong(value.source(), "'path' has a NUL");
                    }});
    if (backend)
        for (const vfs::BackendSetting& setting : backend->info().settings)
            keys.push_back({setting.key, [&](const toml::node& value) {
                                read_setting(in, setting, value, one.settings);
                            }});
    const std::size_t before = in.problems.size();
    in.table(table, keys, "of an export");
    if (!table.contains("path")) in.wrong(table.source(), "this export has no 'path'");
    if (in.problems.size() == before) exports.push_back(std::move(one));
}

void read_exports(Reading& in, const toml::node& value, const vfs::BackendTable& backends,
                  std::vector<ExportSettings>& exports) {
    const auto* const list = value.as_array();
    if (list == nullptr)
        return in.wrong(value.source(), "exports are written [[export]], with two brackets");
    for (const toml::node& item : *list) {
        if (const auto* const table = item.as_table())
            read_export(in, *table, backends, exports);
        else
            in.wrong(item.source(), "an export is a table: [[export]]");
    }
}

void read_metrics(Reading& in, const toml::node& value, Settings& settings) {
    if (const auto* const word = value.as_string(); word != nullptr && word->get() == "off") {
        settings.metrics_off = true;
        return;
    }
    in.word("metrics", value, settings.metrics,
            [](std::string_view text) { return parse_listen(text, kMetricsPort); });
}

// rdma = true, or where: "10.0.2.2:20049"
void read_rdma(Reading& in, const toml::node& value, Settings& settings) {
    if (const auto* const flag = value.as_boolean()) {
        if (flag->get()) settings.rdma = Listen{"", transport::rdma::kRdmaPort};
        return;
    }
    in.word("rdma", value, settings.rdma,
            [](std::string_view text) { return parse_listen(text, transport::rdma::kRdmaPort); });
}

std::vector<Reading::Key> file_keys(Reading& in, const vfs::BackendTable& backends,
                                    Settings& settings) {
    auto keys = rule_keys(in, settings.rules);
    const auto add = [&keys](std::string_view name, auto read) {
        keys.push_back({name, std::move(read)});
    };
    add("export",
        [&](const toml::node& value) { read_exports(in, value, backends, settings.exports); });
    add("listen", [&](const toml::node& value) {
        in.words("listen", value, settings.listen,
                 [](std::string_view text) { return parse_listen(text, kNfsPort); });
    });
    add("threads", [&](const toml::node& value) {
        in.number("threads", value, 1, kThreadsMax, settings.threads);
    });
    add("state", [&](const toml::node& value) {
        std::string path;
        if (!in.text("state", value, path)) return;
        if (!path.starts_with('/') || path.find('\0') != std::string::npos)
            return in.wrong(value.source(), "'state' is not an absolute path");
        settings.state = path;
    });
    add("sync-metadata", [&](const toml::node& value) {
        in.boolean("sync-metadata", value, settings.sync_metadata);
    });
    add("log", [&](const toml::node& value) {
        in.word("log", value, settings.log_format, parse_log_format);
    });
    add("log-level", [&](const toml::node& value) {
        in.word("log-level", value, settings.log_level, parse_log_level);
    });
    add("metrics", [&](const toml::node& value) { read_metrics(in, value, settings); });
    add("sandbox",
        [&](const toml::node& value) { in.boolean("sandbox", value, settings.sandbox); });
    add("rdma", [&](const toml::node& value) { read_rdma(in, value, settings); });
    add("portmap",
        [&](const toml::node& value) { in.boolean("portmap", value, settings.portmap); });
    return keys;
}

Problems one_problem(std::string reason) { return {{0, 0, std::move(reason)}}; }

}  // namespace

std::string to_text(const std::string& file, const ConfigProblem& problem) {
    if (problem.line == 0) return fmt::format("{}: {}", file, problem.reason);
    return fmt::format("{}:{}:{}: {}", file, problem.line, problem.column, problem.reason);
}

namespace {

// The first letter beyond ASCII that is in no string and no comment, or ends an escape: TOML has
// none there, and toml++ 3.3 has no case for some of them (its table of white space ends in
// "unreachable").
std::optional<ConfigProblem> stray_letter(std::string_view text) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";  // of UTF-8, which may come first
    constexpr std::string_view kSpace = " \t\r\n";
    constexpr std::string_view kBeforeStrings = " \t\r\n=,[{.";
    std::size_t at = text.starts_with(kMark) ? kMark.size() : 0;
    std::string_view quote;  // of the string we are in
    const auto is_stray = [&] {
        return at < text.size() && static_cast<signed char>(text[at]) < 0;
    };
    while (at < text.size()) {
        const char one = text[at];
        if (quote.empty()) {
            if (is_stray()) break;
            if (one == '#') {
                at = std::min(text.find('\n', at), text.size());
            } else if ((one == '"' || one == '\'') &&
                       (at == 0 || kBeforeStrings.find(text[at - 1]) != std::string_view::npos)) {
                const std::string_view three = text.substr(at, 3);
                const bool long_one = three.size() == 3 && three[1] == one && three[2] == one;
                quote = long_one ? three : three.substr(0, 1);
                // A string of one line that has no end there is none.
                const std::size_t line_end = std::min(text.find('\n', at), text.size());
                if (quote.size() == 1 &&
                    text.substr(at + 1, line_end - at - 1).find(one) == std::string_view::npos)
                    quote = {};
                at += long_one ? 3 : 1;
            } else {
                ++at;
            }
        } else if (text.substr(at).starts_with(quote)) {
            at += quote.size();
            quote = {};
        } else if (one == '\\' && quote[0] == '"') {
            const std::size_t after = at + 1;  // at the end of a line space follows
            at = std::min(text.find_first_not_of(kSpace, after), text.size());
            if (is_stray()) break;
            if (at == after && at < text.size()) ++at;
        } else if (one == '\n' && quote.size() == 1) {
            quote = {};  // a string without an end, which the parser will say
            ++at;
        } else {
            ++at;
        }
    }
    if (at >= text.size()) return std::nullopt;
    const std::string_view before = text.substr(0, at);
    const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    return ConfigProblem{
        static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1),
        static_cast<std::uint32_t>(at - line_begin + 1),
        "a letter beyond ASCII, which only strings and comments may have"};
}

}  // namespace

Result<Settings, Problems> parse_config(std::string_view text, const vfs::BackendTable& backends) {
    if (text.size() > kConfigSizeMax)
        return fail(one_problem(fmt::format("it is over {} bytes", kConfigSizeMax)));
    if (auto stray = stray_letter(text)) return fail(Problems{std::move(*stray)});
    toml::table parsed;
    try {
        parsed = toml::parse(text);
    } catch (const toml::parse_error& error) {
        return fail(Problems{{error.source().begin.line, error.source().begin.column,
                              without_controls(error.description())}});
    } catch (const NotToml&) {
        return fail(one_problem("it is no TOML, in a way that is hard to say"));
    }
    Settings settings;
    Reading in;
    in.table(parsed, file_keys(in, backends, settings), "in this file");
    if (in.problems.empty()) return settings;
    // Tables are sorted by key; people read from the top.
    std::stable_sort(in.problems.begin(), in.problems.end(), [](const auto& a, const auto& b) {
        return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    return fail(std::move(in.problems));
}

Result<Settings, Problems> read_config(const std::string& file, const vfs::BackendTable& backends) {
    const transport::Fd fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!fd) return fail(one_problem(std::strerror(errno)));
    std::string text;
    std::array<char, 16384> block;
    for (;;) {
        const ssize_t got = ::read(fd.get(), block.data(), block.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(one_problem(std::strerror(errno)));
        if (got == 0) return parse_config(text, backends);
        text.append(block.data(), static_cast<std::size_t>(got));
        if (text.size() > kConfigSizeMax)
            return fail(one_problem(fmt::format("it is over {} bytes", kConfigSizeMax)));
    }
}

}  // namespace helio::serve
