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
#include "helio/base/text/escape.h"
#include "helio/base/text/nearest.h"
#include "helio/base/text/toml.h"
#include "helio/serve/config/backends.h"
#include "helio/serve/log.h"
#include "helio/serve/names/domain_names.h"
#include "helio/transport/socket/socket.h"

namespace helio::serve {
namespace {

using Problems = std::vector<ConfigProblem>;

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
    bool looked_up_names = false;

    void wrong(const toml::source_region& where, std::string reason) {
        problems.push_back({where.begin.line, where.begin.column, std::move(reason)});
    }
    void wrong_type(std::string_view key, const toml::node& value, std::string_view wanted) {
        wrong(value.source(),
              fmt::format("'{}' must be {}, not {}", key, wanted, type_word(value.type())));
    }

    bool text(std::string_view key, const toml::node& value, std::string& out) {
        const auto* const word = value.as_string();
        if (word == nullptr) return wrong_type(key, value, "a string"), false;
        out = word->get();
        return true;
    }
    // A value with its own syntax: `parse` returns it, or an error phrase.
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
            return wrong(value.source(), fmt::format("'{}' is {}; it must be from {} to {}", key,
                                                     said, least, most));
        out = static_cast<T>(said);
    }
    // A uid or gid: a number, or a name.
    template <class Parse>
    void id(std::string_view key, const toml::node& value, std::optional<std::uint32_t>& out,
            Parse parse) {
        looked_up_names |= value.is_string();
        if (value.is_string())
            word(key, value, out, parse);
        else
            number(key, value, 0, UINT32_MAX, out);
    }
    // A list of strings, or a single string.
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
        std::string reason = fmt::format("unknown key '{}' {}", printable(key.str()), where);
        Nearest nearest{key.str()};
        for (const Key& one : keys) nearest.offer(one.name);
        if (!nearest.found().empty())
            reason += fmt::format("; did you mean '{}'?", nearest.found());
        wrong(key.source(), std::move(reason));
    }
};

// The keys that may be set for all exports, and for each export.
std::vector<Reading::Key> rule_keys(Reading& in, RuleSettings& rules) {
    return {
        {"read-only", [&](const auto& value) { in.boolean("read-only", value, rules.read_only); }},
        {"squash",
         [&](const auto& value) { in.word("squash", value, rules.squash, parse_squash); }},
        {"anon-uid",
         [&](const auto& value) { in.id("anon-uid", value, rules.anonymous_uid, parse_user); }},
        {"anon-gid",
         [&](const auto& value) { in.id("anon-gid", value, rules.anonymous_gid, parse_group); }},
        {"allow",
         [&](const auto& value) {
             std::vector<nfs::Network> networks;
             if (!in.words("allow", value, networks, nfs::Network::parse)) return;
             if (networks.empty())
                 return in.wrong(value.source(),
                                 "'allow' is empty and would allow no client; remove it to allow "
                                 "every client that can reach the server");
             rules.allowed = std::move(networks);
         }},
        {"udp", [&](const auto& value) { in.boolean("udp", value, rules.udp); }},
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

// The keys that an export may have depend on its path, which need not be its first key.
const vfs::Backend* backend_of(const toml::table& table, const vfs::BackendTable& backends) {
    const auto* const path = table.get_as<std::string>("path");
    return path ? backends.find(path->get()) : nullptr;
}

void read_export(Reading& in, const toml::table& table, const vfs::BackendTable& backends,
                 std::vector<ExportSettings>& exports) {
    ExportSettings one;
    one.line = table.source().begin.line;
    one.column = table.source().begin.column;
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
                            in.wrong(value.source(), "'path' contains a NUL byte");
                    }});
    if (backend)
        for (const vfs::BackendSetting& setting : backend->info().settings)
            keys.push_back({setting.key, [&](const toml::node& value) {
                                read_setting(in, setting, value, one.settings);
                            }});
    const std::size_t before = in.problems.size();
    in.table(table, keys, "in an export");
    if (!table.contains("path")) in.wrong(table.source(), "this export has no 'path'");
    if (in.problems.size() == before) exports.push_back(std::move(one));
}

void read_exports(Reading& in, const toml::node& value, const vfs::BackendTable& backends,
                  std::vector<ExportSettings>& exports) {
    const auto* const list = value.as_array();
    if (list == nullptr)
        return in.wrong(value.source(), "write exports as [[export]], with double brackets");
    for (const toml::node& item : *list) {
        if (const auto* const table = item.as_table())
            read_export(in, *table, backends, exports);
        else
            in.wrong(item.source(), "an export must be a table: [[export]]");
    }
}

void read_metrics(Reading& in, const toml::node& value, Settings& settings) {
    if (const auto* const word = value.as_string(); word != nullptr && word->get() == "off") {
        settings.metrics_off = true;
        return;
    }
    in.word("metrics", value, settings.metrics,
            [](std::string_view text) { return parse_listen(text, kMetricsDefault); });
}

// rdma = true, or where: "10.0.2.2:20049"
void read_rdma(Reading& in, const toml::node& value, Settings& settings) {
    if (const auto* const flag = value.as_boolean()) {
        if (flag->get()) settings.rdma = kRdmaDefault;
        return;
    }
    in.word("rdma", value, settings.rdma,
            [](std::string_view text) { return parse_listen(text, kRdmaDefault); });
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
                 [](std::string_view text) { return parse_listen(text, kListenDefault); });
    });
    add("threads", [&](const toml::node& value) {
        in.number("threads", value, 1, kThreadsMax, settings.threads);
    });
    add("memory", [&](const toml::node& value) {
        in.word("memory", value, settings.memory_bytes_max, parse_memory);
    });
    add("state", [&](const toml::node& value) {
        std::string path;
        if (!in.text("state", value, path)) return;
        if (!path.starts_with('/') || path.find('\0') != std::string::npos)
            return in.wrong(value.source(), "'state' must be an absolute path");
        settings.state = path;
    });
    add("versions", [&](const toml::node& value) {
        in.word("versions", value, settings.versions, parse_versions);
    });
    add("lease", [&](const toml::node& value) {
        in.number("lease", value, nfs::state::kLeaseMin.count(), nfs::state::kLeaseMax.count(),
                  settings.lease_seconds);
    });
    add("domain",
        [&](const toml::node& value) { in.word("domain", value, settings.domain, parse_domain); });
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

Result<Settings, Problems> parse_config(std::string_view text, const vfs::BackendTable& backends) {
    if (text.size() > kConfigSizeMax)
        return fail(one_problem(fmt::format("it is larger than {} bytes", kConfigSizeMax)));
    auto parsed = parse_toml(text);
    if (!parsed) {
        TomlProblem& problem = parsed.error();
        return fail(Problems{{problem.line, problem.column, std::move(problem.reason)}});
    }
    Settings settings;
    Reading in;
    in.table(*parsed, file_keys(in, backends, settings), "in this file");
    settings.looks_up_names = in.looked_up_names;
    if (in.problems.empty()) return settings;
    // Tables are sorted by key; report problems from top to bottom.
    std::stable_sort(in.problems.begin(), in.problems.end(), [](const auto& a, const auto& b) {
        return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    return fail(std::move(in.problems));
}

namespace {

Result<std::string, std::string> read_file(const std::string& file) {
    const transport::Fd fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!fd) return fail(std::string(std::strerror(errno)));
    std::string text;
    std::array<char, 16384> block;
    for (;;) {
        const ssize_t got = ::read(fd.get(), block.data(), block.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(std::string(std::strerror(errno)));
        if (got == 0 || text.size() > kConfigSizeMax) return text;
        text.append(block.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace

Result<Settings, Problems> read_config(const std::string& file, const vfs::BackendTable& backends) {
    const auto text = read_file(file);
    if (!text) return fail(one_problem(text.error()));
    return parse_config(*text, backends);
}

}  // namespace helio::serve
