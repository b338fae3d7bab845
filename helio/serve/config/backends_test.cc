// The table of back ends, tested with a third one. It has settings, keeps a state file and always
// blocks.
#include "helio/serve/config/backends.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "helio/serve/announce.h"
#include "helio/serve/config/config_file.h"
#include "helio/serve/config/plan.h"
#include "testing/vfs/client.h"

namespace helio::serve::backends_test {
namespace {

using vfs::Status;

// A read-only file system with one file, as an embedder would write it.
class OneFileFs final : public vfs::FileSystem {
 public:
    OneFileFs(std::string text, std::shared_ptr<const void> lock)
        : text_(std::move(text)), lock_(std::move(lock)) {}

    bool always_blocks() const override { return true; }
    vfs::FileId root() const override { return vfs::FileId::copy_of(as_bytes("root")); }
    std::uint64_t write_verifier() const override { return 1; }
    vfs::Limits limits() const override { return {}; }

    Status attributes(const vfs::Caller&, const vfs::FileId& file, vfs::Attributes& out) override {
        const bool is_root = file == root();
        if (!is_root && file != the_file()) return Status::stale;
        out.type = is_root ? vfs::FileType::directory : vfs::FileType::regular;
        out.mode = is_root ? 0555 : 0444;
        out.links = is_root ? 2 : 1;
        out.size = is_root ? 0 : text_.size();
        out.fileid = is_root ? 1 : 2;
        return Status::ok;
    }
    Status lookup(const vfs::Caller& caller, const vfs::FileId& directory, std::string_view name,
                  vfs::LookupOut& out) override {
        if (directory != root()) return Status::not_a_directory;
        if (name != "." && name != ".." && name != "file") return Status::not_found;
        out.id = name == "file" ? the_file() : root();
        return attributes(caller, out.id, out.attributes);
    }
    Status access(const vfs::Caller&, const vfs::FileId&, std::uint32_t wanted,
                  vfs::AccessOut& out) override {
        out.granted = wanted & (vfs::access::kRead | vfs::access::kLookup);
        return Status::ok;
    }
    Status read(const vfs::Caller&, const vfs::FileId& file, std::uint64_t offset,
                std::uint32_t count, vfs::Memory& memory, vfs::ReadOut& out) override {
        if (file != the_file()) return Status::is_a_directory;
        const auto rest =
            std::string_view{text_}.substr(std::min<std::size_t>(offset, text_.size()));
        const auto room = memory.take(std::min<std::size_t>(rest.size(), count));
        std::copy_n(as_bytes(rest).begin(), room.size(), room.begin());
        out.data = ByteView{room};
        out.end = room.size() == rest.size();
        return Status::ok;
    }
    Status list(const vfs::Caller&, const vfs::FileId&, const vfs::ListFrom& from,
                vfs::EntrySink& sink, vfs::ListOut& out) override {
        out.end = from.cookie > 0 || sink.add({.name = "file", .fileid = 2, .cookie = 1});
        return Status::ok;
    }
    Status space(const vfs::Caller&, const vfs::FileId&, vfs::Space&) override {
        return Status::ok;
    }
    Status read_link(const vfs::Caller&, const vfs::FileId&, vfs::Memory&,
                     vfs::LinkText&) override {
        return Status::invalid;
    }
    Status set_attributes(const vfs::Caller&, const vfs::FileId&, const vfs::Changes&,
                          const std::optional<vfs::Time>&, vfs::Change&) override {
        return Status::read_only;
    }
    Status write(const vfs::Caller&, const vfs::FileId&, std::uint64_t, ByteView, vfs::Stability,
                 vfs::WriteOut&) override {
        return Status::read_only;
    }
    Status create(const vfs::Caller&, const vfs::FileId&, std::string_view, const vfs::NewFile&,
                  vfs::CreateOut&) override {
        return Status::read_only;
    }
    Status make(const vfs::Caller&, const vfs::FileId&, std::string_view, const vfs::NewNode&,
                vfs::CreateOut&) override {
        return Status::read_only;
    }
    Status remove(const vfs::Caller&, const vfs::FileId&, std::string_view, vfs::Change&) override {
        return Status::read_only;
    }
    Status remove_directory(const vfs::Caller&, const vfs::FileId&, std::string_view,
                            vfs::Change&) override {
        return Status::read_only;
    }
    Status rename(const vfs::Caller&, const vfs::FileId&, std::string_view, const vfs::FileId&,
                  std::string_view, vfs::Change&, vfs::Change&) override {
        return Status::read_only;
    }
    Status link(const vfs::Caller&, const vfs::FileId&, const vfs::FileId&, std::string_view,
                std::optional<vfs::Attributes>&, vfs::Change&) override {
        return Status::read_only;
    }
    Status commit(const vfs::Caller&, const vfs::FileId&, std::uint64_t, std::uint64_t,
                  vfs::Change&) override {
        return Status::ok;
    }

 private:
    static vfs::FileId the_file() { return vfs::FileId::copy_of(as_bytes("file")); }

    const std::string text_;
    const std::shared_ptr<const void> lock_;
};

const vfs::BackendSetting kGreeting{"greeting", "what is in the file", std::string{"hello"}};
const vfs::BackendSetting kTimes{"times", "how often it is there", std::uint64_t{1}, 1, 9};
const vfs::BackendSetting kLoud{"loud", "in capitals", false};

// "demo:NAME"
class DemoBackend final : public vfs::Backend {
 public:
    const vfs::BackendInfo& info() const override {
        static const vfs::BackendSetting kSettings[] = {kGreeting, kTimes, kLoud};
        static const vfs::BackendInfo kInfo{"demo",      "demo:",     "demo:NAME",
                                            "demo:NAME", "demo:NAME", kSettings};
        return kInfo;
    }
    std::string check(std::string_view source, SourceOrigin) const override {
        return source.size() > 5 ? "" : "demo: needs a name";
    }
    std::string default_name(std::string_view source) const override {
        return std::string{source.substr(5)};
    }
    Result<vfs::SourceInfo, std::string> inspect(const vfs::SourceRequest& request) const override {
        if (request.source == "demo:broken") return fail(std::string{"demo:broken: out of order"});
        vfs::SourceInfo info;
        info.source = request.source;
        info.description = "a demonstration";
        info.identity = request.source;
        info.outlives_server = false;
        info.paths = {"/srv/demo", "/etc/demo"};
        info.changes_identity = true;
        return info;
    }
    std::shared_ptr<vfs::FileSystem> open(const vfs::SourceRequest& request,
                                          const vfs::SourceInfo& info,
                                          vfs::BackendHost& host) const override {
        if (info.source == "demo:late") throw std::runtime_error("no answer");
        auto kept = host.state_file("notes", info.source, "there are no notes");
        std::string text;
        for (std::uint64_t i = 0; i < request.settings.get<std::uint64_t>(kTimes); ++i)
            text += request.settings.get<std::string>(kGreeting);
        if (request.settings.get<bool>(kLoud))
            for (char& letter : text) letter = static_cast<char>(std::toupper(letter));
        last_state_file = kept.path;
        host.warn("it is only a demonstration");
        return std::make_shared<OneFileFs>(text, std::move(kept.lock));
    }
    mutable std::string last_state_file;
};

class BackendsTest : public testing::Test {
 protected:
    BackendsTest() {
        std::string name =
            (std::filesystem::temp_directory_path() / "helio-backends-XXXXXX").string();
        directory = mkdtemp(name.data());
        state.emplace(State::open(directory + "/state"));
    }
    ~BackendsTest() override { std::filesystem::remove_all(directory); }

    Plan plan_of(std::string_view config) {
        const auto settings = parse_config(config, table);
        EXPECT_TRUE(settings) << (settings ? "" : to_text("f", settings.error().front()));
        if (!settings) return {};
        auto plan = make_plan(*settings, table);
        EXPECT_TRUE(plan) << (plan ? "" : plan.error().front().reason);
        return plan ? *plan : Plan{};
    }

    const DemoBackend demo;
    const vfs::BackendTable table{{linked_backends().all()[0], linked_backends().all()[1], &demo}};
    std::string directory;
    std::optional<State> state;
    std::vector<std::string> warnings;
    FileSystems files{*state, [this](std::string_view line) { warnings.emplace_back(line); }};
};

TEST_F(BackendsTest, AreFoundByTheirScheme) {
    for (const auto& [source, name] : {std::pair{"memory:", "memory"},
                                       {"memory:x", "memory"},
                                       {"demo:a", "demo"},
                                       {"/srv", "posix"},
                                       {"./demo:a", "posix"},
                                       {"demo", "posix"},
                                       {"", "posix"}})
        EXPECT_EQ(table.find(source)->info().name, name) << source;
    EXPECT_EQ(linked_backends().find("demo:a")->info().name, "posix");
    const vfs::BackendTable only{{&demo}};
    EXPECT_EQ(only.find("/srv"), nullptr);
    EXPECT_EQ(parse_export("/srv", only).error(), "'/srv' is not 'demo:NAME'");
}

TEST_F(BackendsTest, AreInTheTexts) {
    EXPECT_EQ(source_usage(linked_backends()), "DIR, NAME=DIR, memory: or NAME=memory:");
    EXPECT_EQ(source_nouns(linked_backends(), "'"), "a directory, or 'memory:'");
    EXPECT_EQ(source_nouns(linked_backends(), ""), "a directory, or memory:");
    EXPECT_EQ(not_a_source(linked_backends()), "is neither an absolute path nor 'memory:'");
    EXPECT_EQ(settings_help(linked_backends()), "");
    EXPECT_EQ(source_usage(table),
              "DIR, NAME=DIR, memory:, NAME=memory:, demo:NAME or NAME=demo:NAME");
    EXPECT_EQ(source_nouns(table, "'"), "a directory, 'memory:', or 'demo:NAME'");
    EXPECT_EQ(not_a_source(table), "is not one of an absolute path, 'memory:', 'demo:NAME'");
    EXPECT_EQ(settings_help(table),
              "Settings for exports of 'demo:NAME' in the configuration file:\n"
              "  greeting          what is in the file (a string; default 'hello')\n"
              "  times             how often it is there (1 to 9; default 1)\n"
              "  loud              in capitals (true or false; default false)\n");
}

TEST_F(BackendsTest, CheckTheirSources) {
    EXPECT_EQ(parse_export("demo:", table).error(), "demo: needs a name");
    EXPECT_EQ(parse_export("memory:64M", table).error(),
              "'memory:64M': nothing follows 'memory:'; a directory of that name is "
              "'./memory:64M'");
    EXPECT_EQ(parse_export("a=", table).error(),
              "an export needs a directory, 'memory:', or 'demo:NAME'");
    const auto exports = parse_export("x=demo:a", table);
    ASSERT_TRUE(exports);
    EXPECT_EQ(exports->source, "demo:a");
    ExportSettings unnamed, other;
    unnamed.source = "demo:a";
    other.source = "memory:";
    EXPECT_EQ(*mount_paths({unnamed, other}, table), (std::vector<std::string>{"/a", "/memory"}));
    Settings settings;
    unnamed.source = "demo:broken";
    settings.exports = {unnamed};
    EXPECT_EQ(make_plan(settings, table).error().at(0).reason, "demo:broken: out of order");
}

TEST_F(BackendsTest, HaveSettingsInTheFile) {
    const auto read = parse_config(
        "[[export]]\ngreeting = 'hi'\ntimes = 3\nloud = true\npath = 'demo:a'\n", table);
    ASSERT_TRUE(read) << to_text("f", read.error().front());
    const vfs::BackendSettings& settings = read->exports[0].settings;
    EXPECT_EQ(settings.get<std::string>(kGreeting), "hi");
    EXPECT_EQ(settings.get<std::uint64_t>(kTimes), 3u);
    EXPECT_TRUE(settings.get<bool>(kLoud));
    EXPECT_EQ(vfs::BackendSettings{}.get<std::string>(kGreeting), "hello");
    struct Row {
        const char* text;
        const char* said;
    };
    for (const Row& row : {
             Row{"[[export]]\npath = 'demo:a'\ntimes = 10",
                 "f:3:9: 'times' is 10; it must be from 1 to 9"},
             Row{"[[export]]\npath = 'demo:a'\ntimes = '1'",
                 "f:3:9: 'times' must be a number, not a string"},
             Row{"[[export]]\npath = 'demo:a'\nloud = 1",
                 "f:3:8: 'loud' must be true or false, not a number"},
             Row{"[[export]]\npath = 'demo:a'\ngreeting = false",
                 "f:3:12: 'greeting' must be a string, not a boolean"},
             Row{"[[export]]\npath = 'demo:a'\ngreting = 'x'",
                 "f:3:1: unknown key 'greting' in an export; did you mean 'greeting'?"},
             Row{"[[export]]\npath = 'memory:'\ntimes = 1",
                 "f:3:1: unknown key 'times' in an export"},
             Row{"times = 1", "f:1:1: unknown key 'times' in this file"},
             Row{"[[export]]\npath = 'demo:'",
                 "f:2:8: 'path' is not one of an absolute path, 'memory:', 'demo:NAME'"},
         }) {
        const auto wrong = parse_config(row.text, table);
        ASSERT_FALSE(wrong) << row.text;
        EXPECT_EQ(to_text("f", wrong.error().front()), row.said);
    }
}

TEST_F(BackendsTest, AreOpenedWithWhatTheServerLends) {
    const Plan plan =
        plan_of("[[export]]\npath = 'demo:a'\nname = 'x'\ngreeting = 'hi'\ntimes = 2\nloud = true");
    EXPECT_EQ(plan[0].request.export_path, "/x");
    const auto exports = files.make(plan);
    ASSERT_TRUE(exports) << exports.error();
    ASSERT_EQ(exports->size(), 1u);
    EXPECT_EQ((*exports)[0].source, "demo:a");
    vfs::FileSystem& opened = *(*exports)[0].files;
    EXPECT_TRUE(opened.always_blocks());
    EXPECT_FALSE(opened.open_files() || opened.range_locks() || opened.access_lists());
    EXPECT_EQ(opened.change_kind(), vfs::ChangeKind::absent);
    vfs::ClientForTest client(opened, 0, 0);
    EXPECT_EQ(client.read(client.lookup(client.root(), "file")), "HIHI");
    EXPECT_EQ(warnings, std::vector<std::string>{"it is only a demonstration"});
    EXPECT_EQ(demo.last_state_file, state->file_of("notes", "demo:a"));

    // A second server does not get the state file.
    warnings.clear();
    FileSystems second{*state, [this](std::string_view line) { warnings.emplace_back(line); }};
    ASSERT_TRUE(second.make(plan));
    EXPECT_EQ(demo.last_state_file, "");
    ASSERT_EQ(warnings.size(), 2u);
    EXPECT_EQ(warnings[0], "another server uses the notes of demo:a in " + directory +
                               "/state: there are no notes; give this server its own --state");
    EXPECT_EQ(files.make(plan_of("[[export]]\npath = 'demo:late'")).error(),
              "demo:late: no answer");
}

TEST_F(BackendsTest, ShareWhatIsTheSame) {
    const auto made = [this](std::string_view config) { return *files.make(plan_of(config)); };
    const auto one = made(
        "[[export]]\npath = 'demo:a'\nname = 'a'\n[[export]]\npath = 'demo:a'\nname = 'b'\n"
        "[[export]]\npath = 'demo:a'\nname = 'c'\ntimes = 2\n[[export]]\npath = 'demo:b'\nname = "
        "'f'\n"
        "[[export]]\npath = 'memory:'\nname = 'm'\n[[export]]\npath = 'memory:'\nname = 'n'\n"
        "[[export]]\npath = '/tmp'\nname = 'd'\n[[export]]\npath = '/tmp/../tmp'\nname = 'e'\n");
    EXPECT_EQ(one[0].files, one[1].files);
    EXPECT_NE(one[0].files, one[2].files) << "the settings differ";
    EXPECT_NE(one[0].files, one[3].files);
    EXPECT_NE(one[4].files, one[5].files) << "each memory: export has its own files";
    EXPECT_EQ(one[6].files, one[7].files) << "two spellings of one directory";
    // A reload keeps file systems that are still exported.
    const auto two = made(
        "[[export]]\npath = 'demo:a'\nname = 'z'\nread-only = true\n"
        "[[export]]\npath = 'memory:'\nname = 'm'\n[[export]]\npath = 'demo:a'\nname = 'c'\n"
        "times = 3\n");
    EXPECT_EQ(two[0].files, one[0].files);
    EXPECT_EQ(two[1].files, one[4].files);
    EXPECT_NE(two[2].files, one[2].files);
}

TEST_F(BackendsTest, SayWhatConfinementMustAllow) {
    const SandboxNeeds needs = needs_of(
        plan_of("[[export]]\npath = 'demo:a'\n[[export]]\npath = 'demo:b'\nread-only = true\n"
                "[[export]]\npath = 'memory:'\n"));
    EXPECT_EQ(needs.writable, (std::vector<std::string>{"/srv/demo", "/etc/demo"}));
    EXPECT_EQ(needs.readable, needs.writable);
    EXPECT_TRUE(needs.act_as_others);
    EXPECT_FALSE(needs.opens_by_handle);
    const SandboxNeeds none = needs_of(plan_of("[[export]]\npath = 'memory:'\n"));
    EXPECT_TRUE(none.writable.empty() && none.readable.empty());
    EXPECT_FALSE(none.act_as_others) << "memory: needs no privileges";
}

TEST_F(BackendsTest, AreToldToPeople) {
    const Plan plan = plan_of("[[export]]\npath = 'demo:a'\nname = 'x'\n");
    const std::string text = to_text(plan);
    EXPECT_NE(text.find("/x  a demonstration, read-write"), std::string::npos) << text;
    EXPECT_NE(text.find("all access is as uid"), std::string::npos) << text;
    const Announcement said{plan};
    EXPECT_NE(to_text(said).find("lost when the server stops"), std::string::npos);
    EXPECT_EQ(to_text(said).find("Data is on disk"), std::string::npos);
}

}  // namespace
}  // namespace helio::serve::backends_test
