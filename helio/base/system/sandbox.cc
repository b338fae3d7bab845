#include "helio/base/system/sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace helio {
namespace {

// Debian 12's linux/landlock.h has ABI 2. These came later, and the kernel reports whether it has
// them (landlock(7)).
constexpr std::uint64_t kFsTruncate = 1ull << 14;        // ABI 3
constexpr std::uint64_t kFsIoctlDev = 1ull << 15;        // ABI 5
constexpr std::uint64_t kNetBindTcp = 1ull << 0;         // ABI 4
constexpr std::uint64_t kNetConnectTcp = 1ull << 1;      // ABI 4
constexpr std::uint64_t kScopeAbstractUnix = 1ull << 0;  // ABI 6
constexpr std::uint64_t kScopeSignal = 1ull << 1;        // ABI 6
constexpr int kRuleNetPort = 2;
struct Ruleset {
    std::uint64_t fs = 0;
    std::uint64_t net = 0;
    std::uint64_t scoped = 0;
};
struct NetPort {
    std::uint64_t allowed = 0;
    std::uint64_t port = 0;
};

// The rights that a rule for a single file may have; others make it invalid.
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                   LANDLOCK_ACCESS_FS_READ_FILE | kFsTruncate | kFsIoctlDev;
constexpr std::uint64_t kReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
// Everything of ABI 1 and 2; files are never executed here.
constexpr std::uint64_t kEverything = (LANDLOCK_ACCESS_FS_REFER << 1) - 1;

std::uint64_t handled_by(int abi) {
    std::uint64_t rights = kEverything;
    if (abi < 2) rights &= ~std::uint64_t{LANDLOCK_ACCESS_FS_REFER};
    if (abi >= 3) rights |= kFsTruncate;
    if (abi >= 5) rights |= kFsIoctlDev;
    return rights;
}

constexpr std::array<const char*, 41> kCapabilityNames = {"chown",
                                                          "dac_override",
                                                          "dac_read_search",
                                                          "fowner",
                                                          "fsetid",
                                                          "kill",
                                                          "setgid",
                                                          "setuid",
                                                          "setpcap",
                                                          "linux_immutable",
                                                          "net_bind_service",
                                                          "net_broadcast",
                                                          "net_admin",
                                                          "net_raw",
                                                          "ipc_lock",
                                                          "ipc_owner",
                                                          "sys_module",
                                                          "sys_rawio",
                                                          "sys_chroot",
                                                          "sys_ptrace",
                                                          "sys_pacct",
                                                          "sys_admin",
                                                          "sys_boot",
                                                          "sys_nice",
                                                          "sys_resource",
                                                          "sys_time",
                                                          "sys_tty_config",
                                                          "mknod",
                                                          "lease",
                                                          "audit_write",
                                                          "audit_control",
                                                          "setfcap",
                                                          "mac_override",
                                                          "mac_admin",
                                                          "syslog",
                                                          "wake_alarm",
                                                          "block_suspend",
                                                          "audit_read",
                                                          "perfmon",
                                                          "bpf",
                                                          "checkpoint_restore"};

constexpr std::uint64_t bit(int capability) { return std::uint64_t{1} << capability; }
// Needed to access files as other users, and as the superuser.
constexpr std::uint64_t kFileCapabilities = bit(CAP_DAC_READ_SEARCH) | bit(CAP_DAC_OVERRIDE) |
                                            bit(CAP_CHOWN) | bit(CAP_FOWNER) | bit(CAP_FSETID) |
                                            bit(CAP_SETUID) | bit(CAP_SETGID) | bit(CAP_MKNOD);

// CLONE_NEWTIME is not among them: clone(2) has no bit for it.
constexpr std::uint32_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

struct Capabilities {
    std::uint64_t effective = 0, permitted = 0, inheritable = 0;
};

bool get_capabilities(Capabilities& out) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2]{};
    if (syscall(SYS_capget, &header, data) != 0) return false;
    const auto whole = [](std::uint32_t low, std::uint32_t high) {
        return std::uint64_t{high} << 32 | low;
    };
    out = {whole(data[0].effective, data[1].effective), whole(data[0].permitted, data[1].permitted),
           whole(data[0].inheritable, data[1].inheritable)};
    return true;
}

bool set_capabilities(const Capabilities& wanted) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2]{};
    const auto low = [](std::uint64_t set) { return static_cast<std::uint32_t>(set); };
    const auto high = [](std::uint64_t set) { return static_cast<std::uint32_t>(set >> 32); };
    data[0] = {low(wanted.effective), low(wanted.permitted), low(wanted.inheritable)};
    data[1] = {high(wanted.effective), high(wanted.permitted), high(wanted.inheritable)};
    return syscall(SYS_capset, &header, data) == 0;
}

std::vector<std::string> names_of(std::uint64_t set) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < 64; ++i)
        if ((set >> i & 1) != 0)
            names.push_back(i < kCapabilityNames.size() ? kCapabilityNames[i]
                                                        : fmt::format("{}", i));
    return names;
}

// True if `path` is `directory` or below it.
bool is_below(const std::string& path, const std::string& directory) {
    if (directory == "/") return true;
    return path == directory || path.starts_with(directory + "/");
}

std::string real(const std::string& path) {
    std::error_code error;
    const auto found = std::filesystem::canonical(path, error);
    return error ? path : found.string();
}

}  // namespace

std::vector<std::string> effective_capabilities() {
    Capabilities now;
    return get_capabilities(now) ? names_of(now.effective) : std::vector<std::string>{};
}

Sandbox::Sandbox(const SandboxNeeds& needs) : needs_(needs) {
    for (auto* const list :
         {&needs_.writable, &needs_.readable, &needs_.removable, &needs_.devices})
        for (std::string& path : *list) path = real(path);
    prepare_landlock();
}

// Reported once, however many threads enter.
void Sandbox::tell(std::string problem) {
    if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end())
        problems_.push_back(std::move(problem));
}

void Sandbox::prepare_landlock() {
    abi_ = static_cast<int>(
        syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
    if (abi_ < 1) return tell(fmt::format("Landlock is not there: {}", std::strerror(errno)));
    Ruleset rules;
    if (needs_.opens_by_handle)
        tell(
            "Landlock leaves files alone: it refuses those that are opened by the kernel's "
            "handles, which is how this server may find them. Paths are walked name by name, "
            "without links, all the same");
    else
        rules.fs = handled_by(abi_);
    if (abi_ >= 4) rules.net = kNetBindTcp | kNetConnectTcp;
    if (abi_ >= 6) rules.scoped = kScopeAbstractUnix | kScopeSignal;
    if (rules.fs == 0 && rules.net == 0) return;
    confines_files_ = rules.fs != 0;
    const std::size_t size = abi_ >= 6   ? sizeof rules
                             : abi_ >= 4 ? offsetof(Ruleset, scoped)
                                         : offsetof(Ruleset, net);
    ruleset_ = Fd{static_cast<int>(syscall(SYS_landlock_create_ruleset, &rules, size, 0))};
    if (!ruleset_) return tell(fmt::format("Landlock refuses: {}", std::strerror(errno)));
    if (!confines_files_) return;
    const auto allow = [&](const std::string& path, std::uint64_t rights) {
        const Fd folder{::open(path.c_str(), O_PATH | O_CLOEXEC)};
        if (!folder) return;  // the code that needs it reports the error
        struct stat about {};
        if (fstat(folder.get(), &about) != 0) return;
        if (!S_ISDIR(about.st_mode)) rights &= kOfFiles;
        landlock_path_beneath_attr rule{};
        rule.allowed_access = rights & rules.fs;
        rule.parent_fd = folder.get();
        syscall(SYS_landlock_add_rule, ruleset_.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    };
    for (const auto& path : needs_.writable)
        allow(path, rules.fs & ~(std::uint64_t{LANDLOCK_ACCESS_FS_EXECUTE} | kFsIoctlDev));
    for (const auto& path : needs_.readable) allow(path, kReading);
    for (const auto& path : needs_.removable) allow(path, LANDLOCK_ACCESS_FS_REMOVE_FILE);
    for (const auto& path : needs_.devices)
        allow(path, kReading | LANDLOCK_ACCESS_FS_WRITE_FILE | kFsIoctlDev);
}

void Sandbox::allow_connecting_to(std::uint16_t port) {
    if (!ruleset_ || abi_ < 4) return;
    const NetPort rule{kNetConnectTcp, port};
    syscall(SYS_landlock_add_rule, ruleset_.get(), kRuleNetPort, &rule, 0);
}

void Sandbox::enter() {
    confined_by_.clear();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        confined_by_.emplace_back("no new privileges");
    else
        tell(fmt::format("new privileges are possible: {}", std::strerror(errno)));
    enter_landlock();
    filter_calls();
    drop_capabilities();
}

void Sandbox::enter_landlock() {
    if (!ruleset_) return;
    if (syscall(SYS_landlock_restrict_self, ruleset_.get(), 0) != 0) {
        tell(fmt::format("Landlock refuses: {}", std::strerror(errno)));
        return;
    }
    landlocked_ = true;
    std::string what = confines_files_ ? "files outside of what is named here" : "";
    if (abi_ >= 4) what += what.empty() ? "TCP to others" : " and TCP to others";
    confined_by_.push_back(fmt::format("Landlock (ABI {}): {} {} out of reach", abi_, what,
                                       confines_files_ ? "are" : "is"));
}

void Sandbox::drop_capabilities() {
    Capabilities now;
    if (!get_capabilities(now)) return;
    std::uint64_t keep = 0;
    if (needs_.act_as_others || needs_.opens_by_handle) keep |= kFileCapabilities;
    if (needs_.reach_files_of_others) keep |= bit(CAP_DAC_OVERRIDE);
    keep &= now.permitted;
    // While we still have CAP_SETPCAP. Without it the bounding set stays, but no_new_privs is
    // enough.
    for (int i = 0; i < 64; ++i)
        if ((keep >> i & 1) == 0 && prctl(PR_CAPBSET_READ, i, 0, 0, 0) == 1)
            prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (!set_capabilities({keep, keep, 0})) {
        tell(fmt::format("capabilities stay as they are: {}", std::strerror(errno)));
        return;
    }
    std::string words;
    for (const auto& name : names_of(keep)) words += (words.empty() ? "" : ", ") + name;
    confined_by_.push_back(keep == 0 ? "no capabilities" : "no capabilities but " + words);
}

// A list of system calls that are never used here. The kernel determines once which calls always
// pass, whatever their arguments, and keeps a bit for each (since 5.11): 13 ns per call, under one
// percent of the cheapest NFS call, however long the list is.
void Sandbox::filter_calls() {
#if defined(__x86_64__)
    constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
    constexpr std::uint32_t kArchitecture = 0;
#endif
    constexpr std::array kRefused = {SYS_execve,
                                     SYS_execveat,
                                     SYS_ptrace,
                                     SYS_process_vm_readv,
                                     SYS_process_vm_writev,
                                     SYS_mount,
                                     SYS_umount2,
                                     SYS_pivot_root,
                                     SYS_chroot,
                                     SYS_unshare,
                                     SYS_setns,
                                     SYS_open_tree,
                                     SYS_move_mount,
                                     SYS_fsopen,
                                     SYS_fsconfig,
                                     SYS_fsmount,
                                     SYS_fspick,
                                     SYS_mount_setattr,
                                     SYS_init_module,
                                     SYS_finit_module,
                                     SYS_delete_module,
                                     SYS_kexec_load,
                                     SYS_bpf,
                                     SYS_perf_event_open,
                                     SYS_userfaultfd,
                                     SYS_add_key,
                                     SYS_request_key,
                                     SYS_keyctl,
                                     SYS_reboot,
                                     SYS_swapon,
                                     SYS_swapoff,
                                     SYS_acct,
                                     SYS_quotactl,
                                     SYS_settimeofday,
                                     SYS_clock_settime,
                                     SYS_adjtimex,
                                     SYS_clock_adjtime,
                                     SYS_sethostname,
                                     SYS_setdomainname,
                                     SYS_syslog,
                                     SYS_vhangup,
                                     SYS_personality,
                                     SYS_io_uring_setup,
                                     SYS_pidfd_getfd};
    if (kArchitecture == 0) {
        tell("system calls are not filtered: not known for this processor");
        return;
    }
    std::vector<sock_filter> program;
    const auto load = [&](std::size_t offset) {
        program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
    };
    const auto answer = [&](std::uint32_t what) {
        program.push_back(BPF_STMT(BPF_RET | BPF_K, what));
    };
    constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
    load(offsetof(seccomp_data, arch));
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
    answer(kRefuse);  // 32-bit calls have other numbers
    load(offsetof(seccomp_data, nr));
    for (const long number : kRefused) {
        program.push_back(
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1));
        answer(kRefuse);
    }
#if defined(__x86_64__)
    constexpr std::uint32_t kX32 = 0x40000000;  // the same calls with other numbers
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1));
    answer(kRefuse);
#endif
    // A new namespace would come with new privileges in it, for mount and the like. The flags of
    // clone3 are in memory, which a filter cannot read; without clone3, libc creates threads with
    // clone.
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1));
    answer(SECCOMP_RET_ERRNO | ENOSYS);
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
    static_assert(std::endian::native == std::endian::little);
    load(offsetof(seccomp_data, args[0]));  // the lower half; no flag is above it
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kNewNamespaces, 0, 1));
    answer(kRefuse);
    answer(SECCOMP_RET_ALLOW);
    const sock_fprog whole{static_cast<unsigned short>(program.size()), program.data()};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &whole) == 0)
        confined_by_.emplace_back(
            "seccomp: no exec, mount, namespaces, ptrace, modules and the like");
    else
        tell(fmt::format("system calls are not filtered: {}", std::strerror(errno)));
}

bool Sandbox::reaches(const std::string& directory, bool writing) const {
    if (!landlocked_ || !confines_files_) return true;
    const std::string path = real(directory);
    const auto holds = [&](const std::vector<std::string>& list) {
        return std::any_of(list.begin(), list.end(),
                           [&](const std::string& one) { return is_below(path, one); });
    };
    return holds(needs_.writable) || (!writing && holds(needs_.readable));
}

}  // namespace helio
