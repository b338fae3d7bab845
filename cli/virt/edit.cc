// helio virt edit: a domain's definition in the user's editor, as virsh does it.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/virt/virt.h"
#include "helio/base/fd.h"
#include "helio/base/text/escape.h"
#include "helio/base/text/shell.h"

namespace helio::cli {
namespace {

constexpr std::uint32_t kEditedXml = kDomainXmlSecure | kDomainXmlInactive;

// A file that only this user can read: definitions may contain passwords. It stays unless removed.
class TextFile final {
 public:
    explicit TextFile(const std::string& text) {
        const char* const folder = std::getenv("TMPDIR");
        path_ =
            fmt::format("{}/helio-XXXXXX.xml", folder != nullptr && *folder != 0 ? folder : "/tmp");
        const Fd fd{mkstemps(path_.data(), 4)};
        if (!fd)
            throw std::runtime_error(
                fmt::format("cannot create {}: {}", path_, std::strerror(errno)));
        std::ofstream file{path_, std::ios::binary};
        if (!(file << text).flush())
            throw std::runtime_error(fmt::format("cannot write {}", path_));
    }
    const std::string& path() const { return path_; }
    std::string read() const {
        std::ifstream file{path_, std::ios::binary};
        if (!file) throw std::runtime_error(fmt::format("cannot read {}", path_));
        return {std::istreambuf_iterator<char>{file}, {}};
    }
    void remove() const { unlink(path_.c_str()); }

 private:
    std::string path_;
};

std::string editor() {
    for (const char* const name : {"VISUAL", "EDITOR"})
        if (const char* const value = std::getenv(name); value != nullptr && *value != 0)
            return value;
    return "vi";
}

// Its command may have arguments, as in EDITOR="code --wait".
void run_editor(const TextFile& file) {
    std::fflush(stdout);
    const std::string command = editor();
    const int status =
        std::system(fmt::format("{} {}", command, shell_quoted(file.path())).c_str());
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    const std::string how = status == -1        ? std::string(std::strerror(errno))
                            : WIFEXITED(status) ? fmt::format("exit status {}", WEXITSTATUS(status))
                                                : fmt::format("signal {}", WTERMSIG(status));
    throw std::runtime_error(fmt::format(
        "the editor '{}' failed ({}); nothing was changed; $VISUAL or $EDITOR names another",
        printable(command), how));
}

bool wants_to_try_again() {
    if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0) return false;
    fmt::print(stderr, "Edit again? [y/n] ");
    char answer[16];
    return std::fgets(answer, sizeof answer, stdin) != nullptr &&
           (answer[0] == 'y' || answer[0] == 'Y');
}

// `before` is what the editor was given; it becomes the daemon's definition if that has changed.
VirtDone redefine(virt::Client& client, DomainXml& before, const std::string& xml) {
    auto now = client.run(get_domain_xml(client.connection(), before.name, kEditedXml));
    if (!now) return fail(now.error());
    if (now->xml != before.xml) {
        before.xml = std::move(now->xml);
        fmt::print(stderr,
                   "helio: the definition of {} changed while it was being edited; defining it "
                   "again would undo that\n",
                   escaped(before.name));
        return kNo;
    }
    const auto name = client.run(define_domain(client.connection(), xml));
    if (!name) return fail(name.error());
    fmt::print("{} edited\n", escaped(*name));
    return kDone;
}

int run_edit(const VirtFlags& common, const std::string& word) {
    // The daemon is not connected while the editor runs: nobody would answer its pings.
    DomainXml before;
    int code = with_virt(common, [&](virt::Client& client) -> VirtDone {
        auto found = client.run(get_domain_xml(client.connection(), word, kEditedXml));
        if (!found) return fail(found.error());
        before = std::move(*found);
        return kDone;
    });
    if (code != kDone) return code;
    // Editors end the last line.
    const std::string given = before.xml.ends_with('\n') ? before.xml : before.xml + '\n';
    const TextFile file{given};
    for (;;) {
        try {
            run_editor(file);
        } catch (const std::exception&) {
            if (file.read() == given) file.remove();
            throw;
        }
        const std::string xml = file.read();
        if (xml == given) {
            fmt::print("{} not changed\n", escaped(before.name));
            file.remove();
            return kDone;
        }
        code =
            with_virt(common, [&](virt::Client& client) { return redefine(client, before, xml); });
        if (code == kDone) {
            file.remove();
            return code;
        }
        if (!wants_to_try_again()) break;
    }
    fmt::print(stderr, "helio: the edited XML is in {}\n", file.path());
    return code;
}

}  // namespace

void add_virt_edit(Command& virt, VirtFlagsRef flags, int& exit_code) {
    auto word = std::make_shared<std::string>();
    auto* const verb =
        virt.add_subcommand("edit", "Edit a domain's definition with $VISUAL, $EDITOR or vi");
    verb->add_option("DOMAIN", *word, "name, UUID or ID of the domain")->required();
    verb->callback([word, flags, &exit_code] { exit_code = run_edit(*flags, *word); });
}

}  // namespace helio::cli
