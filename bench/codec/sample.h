// The values every side encodes, made at run time so that no compiler folds them into the codec,
// and the bytes every side decodes. Owns all storage the plain structs view; not movable for that
// reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "bench/codec/plain.h"

namespace bench {

using Bytes = std::vector<std::byte>;

// The replies to GETATTR and READ are measured with and without their RPC header: the
// prototype counted the results alone, a server pays for both.
enum class Message : std::uint8_t {
    getattr_call,
    getattr_res,
    getattr_reply,
    read_res,
    read_reply,
    readdirplus_reply
};

inline constexpr std::array kMessages = {Message::getattr_call,  Message::getattr_res,
                                         Message::getattr_reply, Message::read_res,
                                         Message::read_reply,    Message::readdirplus_reply};

std::string_view name_of(Message message);

struct Sample final {
    Sample();
    Sample(const Sample&) = delete;
    Sample& operator=(const Sample&) = delete;

    GetattrCall getattr_call;
    Reply<GetattrRes> getattr_reply;
    Reply<ReadRes> read_reply;
    Reply<ReaddirplusRes> readdirplus_reply;

    // The input of decoding; set once all sides have encoded the same bytes.
    std::array<Bytes, kMessages.size()> wire;
    ByteView bytes(Message message) const { return wire[static_cast<std::size_t>(message)]; }

 private:
    void fill_entries();

    std::vector<std::uint32_t> gids_;
    Bytes handle_;
    Bytes payload_;
    std::deque<std::string> names_;  // a deque: views of its elements survive growth
    std::deque<Bytes> handles_;
    std::vector<EntryPlus> entries_;
};

}  // namespace bench
