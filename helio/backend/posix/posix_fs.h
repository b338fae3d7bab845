// PosixFs: a directory of this machine as a vfs::FileSystem. Files are found again by FileId after
// a restart: by the kernel's file handles where the process may open them (CAP_DAC_READ_SEARCH),
// and otherwise through an index of names that it keeps on disk and checks against the file's
// identity each time. Nothing outside the directory can be reached.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "helio/vfs/file_system.h"

namespace helio::backend {

struct PosixOptions {
    std::string directory;
    // File of the index, one per export. Empty: only in memory, and ids become invalid when the
    // process ends, unless the kernel's handles can be used.
    std::string index_file;
    // Act as the caller. Needs CAP_SETUID, CAP_SETGID and the file capabilities; otherwise
    // everything is done as the process's own user.
    bool as_caller = false;
    // Wait until changes of names and attributes are on the disk before answering, not only for
    // data. A file system's journal otherwise writes them within seconds.
    bool sync_metadata = false;
    // Use kernel file handles when the process may. Tests switch it off.
    bool kernel_handles = true;
    // Open descriptors of files; 0: a share of the process's limit.
    std::size_t open_files_max = 0;
};

// Whether this process may act as other users, and may open files by the kernel's handles.
struct PosixPrivileges {
    bool act_as_others = false;
    bool open_by_handle = false;
};
PosixPrivileges posix_powers(const std::string& directory);

// Throws std::runtime_error with a sentence: no such directory, no /proc, an index of another
// directory.
std::shared_ptr<vfs::FileSystem> make_posix_fs(const PosixOptions& options);

}  // namespace helio::backend
