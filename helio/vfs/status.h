// Status: how an operation on a file system ended, independent of any protocol. Each version of NFS
// maps it to its own numbers in one switch.
#pragma once

#include <cstdint>
#include <string_view>

#include "helio/base/result.h"

namespace helio::vfs {

enum class Status : std::uint8_t {
    ok,
    not_permitted,      // only the owner or the superuser may
    not_found,          // no such name
    io_error,           // the disk failed
    no_such_device,     // the device does not exist
    access_denied,      // the permissions say no
    exists,             // the name is taken
    cross_device,       // a link or rename from one file system to another
    no_device,          // the device cannot do this
    not_a_directory,    // a directory was needed
    is_a_directory,     // directories are not allowed here
    invalid,            // an argument makes no sense here
    too_big,            // the file would be larger than it can be
    no_space,           // the disk is full
    read_only,          // nothing can be changed here
    too_many_links,     // of one file
    name_too_long,      //
    not_empty,          // the directory has entries
    over_quota,         // the owner's quota is used up
    stale,              // the file is gone
    bad_handle,         // these bytes never were a handle of ours
    guard_mismatch,     // the file has changed since the caller last looked
    bad_cookie,         // the directory cannot be read on from there
    not_supported,      // not supported by this file system
    too_small,          // not even one entry fits into the answer
    bad_type,           // no file of this type can be made
    server_fault,       // an error of ours that no other value describes
    locked,             // another owner holds a lock on these bytes
    no_locks,           // there is no room for one more lock
    no_attribute,       // the file has no extended attribute of this name
    attribute_too_big,  // more bytes than an extended attribute can have
    past_end,           // the file ends before this offset
    busy,               // in use; the caller may try again
    would_block,        // cannot be done without waiting, which the caller forbade
};
std::string_view name_of(Status status);
// The Status for an errno value.
Status status_of(int error_number);

template <class T>
using Result = helio::Result<T, Status>;

}  // namespace helio::vfs
