// helio fmt: formats .x files.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.h"
#include "helio/idl/format/diff.h"
#include "helio/idl/format/format.h"

namespace helio::cli {
namespace {

struct FmtFlags {
    std::vector<std::string> files;
    bool check = false;
    bool write = false;
    bool diff = false;
};

constexpr const char* kStdin = "-";
constexpr const char* kFmtExamples = R"(Examples:
  helio fmt nfs3.x                     print the formatted file
  helio fmt --write schema/*.x         format these files in place
  helio fmt --check --diff schema/*.x  for CI: exit 1 and show what would change
  helio fmt - < nfs3.x                 as a filter, from an editor

Comments, % lines and # lines are kept. Files with errors are reported and not changed.
Exit status: 0 success, 1 a file would change (--check) or has errors, 2 wrong usage.)";

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

void write_all(int fd, std::string_view text, const std::string& path) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno != EINTR) fail("cannot write " + path);
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
}

// Writes a temporary file and renames it, so that readers see the old text or the new one, never a
// part. A symbolic link stays a link.
void replace_file(const std::string& path, std::string_view text) {
    const std::string target = std::filesystem::canonical(path).string();
    struct stat old {};
    if (::stat(target.c_str(), &old) != 0) fail("cannot read the attributes of " + path);
    std::string temporary = target + ".XXXXXX";
    const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (fd < 0) fail("cannot create a file next to " + path);
    try {
        write_all(fd, text, path);
        // The owner first: changing it clears the set-id bits. Only root, who may format another
        // user's file, can change it; for everyone else it is already right.
        if (::fchown(fd, old.st_uid, old.st_gid) != 0) errno = 0;
        if (::fchmod(fd, old.st_mode & 07777) != 0) fail("cannot set the mode of " + path);
        if (::fsync(fd) != 0) fail("cannot write " + path);
        if (::rename(temporary.c_str(), target.c_str()) != 0) fail("cannot replace " + path);
    } catch (...) {
        ::close(fd);
        ::unlink(temporary.c_str());
        throw;
    }
    ::close(fd);
}

idl::Formatted format_one(const std::string& path) {
    if (path != kStdin) return idl::format_file(path);
    std::string text{std::istreambuf_iterator<char>{std::cin}, {}};
    return idl::format("<stdin>", std::move(text));
}

// False if there were errors or differences.
bool handle(const std::string& path, const FmtFlags& flags) {
    const auto formatted = format_one(path);
    std::fputs(formatted.report().c_str(), stderr);
    if (!formatted.text) return false;
    const auto& source = formatted.sources.files.front();
    const bool changed = source.text != *formatted.text;
    if (flags.diff) {
        std::cout << idl::unified_diff(source.name, source.text, *formatted.text);
    } else if (flags.check) {
        if (changed) std::cout << idl::shown_path(source.name) << '\n';
    } else if (flags.write && path != kStdin) {
        if (changed) replace_file(path, *formatted.text);
    } else {
        std::cout << *formatted.text;
    }
    return !(flags.check && changed);
}

std::string is_input(const std::string& path) {
    return path == kStdin ? std::string{} : check_existing_file(path);
}

int run(const FmtFlags& flags) {
    bool good = true;
    for (const auto& path : flags.files) good = handle(path, flags) && good;
    return good ? 0 : 1;
}

}  // namespace

void add_fmt(Command& app, int& exit_code) {
    auto flags = std::make_shared<FmtFlags>();
    auto* verb = app.add_subcommand("fmt", "Format .x files");
    verb->add_option("FILES", flags->files, "schemas, or - for standard input")
        ->required()
        ->type_name("FILE")
        ->check(is_input);
    auto* check =
        verb->add_flag("--check", flags->check, "list the files that would change and exit 1");
    auto* write = verb->add_flag("-w,--write", flags->write, "rewrite the files");
    auto* diff = verb->add_flag("--diff", flags->diff, "print a unified diff");
    write->excludes(check)->excludes(diff);
    verb->footer(kFmtExamples);
    verb->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace helio::cli
