// What the forms of a report of `helio load nfs` share: its columns and its sentences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "helio/load/nfs/run.h"

namespace helio::load::nfs {

struct Column {
    const char* json;
    const char* title;
    Figure figure;
    const char* format;
};
const std::vector<Column>& columns();

// "-" if there is no value.
std::string number(std::optional<double> value, const char* format);
// "write 65536 random file_sync"
std::string job_name(const Job& job);
// "8 connections × 8 in flight, closed loop, 1 round of 10.0 s"
std::string shape(const Orders& orders);
// "12,345 NFS3_OK, 1 NFS3ERR_STALE", over all turns; empty without an answer.
std::string statuses(const std::vector<Turn>& turns);
// Everything that went wrong in the turn, a sentence each.
std::vector<std::string> problems(const Turn& turn);

}  // namespace helio::load::nfs
