// Sandbox: drops privileges that the process does not need. Everything here is per thread and
// inherited by new threads, so enter the sandbox before creating any, or on each of them. It is not
// needed for correctness; features that the kernel lacks are reported and skipped.
//
//     Sandbox sandbox{needs};        // opens directories, asks the kernel what it can do
//     sandbox.enter();               // this thread, from now on
//     for (const auto& phrase : sandbox.confined_by()) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "helio/base/fd.h"

namespace helio {

struct SandboxNeeds {
    // Files, or directories with everything below them.
    std::vector<std::string> writable;
    std::vector<std::string> readable;
    std::vector<std::string> removable;  // directories in which files are only removed: sockets
    std::vector<std::string> devices;    // directories of device files, for read, write and ioctl
    // Landlock checks the path of an opened file. A file opened by its kernel handle may have none,
    // and would be refused.
    bool opens_by_handle = false;
    // Act as other users: needs the file capabilities, CAP_SETUID and CAP_SETGID.
    bool act_as_others = false;
    // Use files and sockets of other users as the superuser does: needs CAP_DAC_OVERRIDE.
    bool reach_files_of_others = false;
};

class Sandbox final {
 public:
    explicit Sandbox(const SandboxNeeds& needs);
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;

    // TCP ports that threads which enter from now on may connect to; all others are refused.
    void allow_connecting_to(std::uint16_t port);
    // Confines the calling thread and all threads it creates. May be called on several threads.
    void enter();
    // Phrases about the last enter(): "no new privileges", "Landlock (ABI 7): 2 directories" …
    const std::vector<std::string>& confined_by() const { return confined_by_; }
    // Sentences that say what is not confined, and why.
    const std::vector<std::string>& problems() const { return problems_; }
    // Whether a confined process can still use this directory.
    bool reaches(const std::string& directory, bool writing) const;

 private:
    void tell(std::string problem);
    void prepare_landlock();
    void enter_landlock();
    void drop_capabilities();
    void filter_calls();

    SandboxNeeds needs_;
    Fd ruleset_;
    int abi_ = 0;
    bool confines_files_ = false;  // by Landlock
    bool landlocked_ = false;
    std::vector<std::string> confined_by_;
    std::vector<std::string> problems_;
};

// The names of this process's effective capabilities: {"chown", "dac_override", …}.
std::vector<std::string> effective_capabilities();

}  // namespace helio
