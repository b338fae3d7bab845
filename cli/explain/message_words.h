// MessageWords: prints the messages of several connections word by word as they pass. Replies are
// matched to calls of the same connection. Needs HELIO_INSPECT.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"

namespace helio::cli {

class MessageWords final {
 public:
    // `write` takes text in pieces; `schema_files` come before the built-in schemas. Throws
    // std::runtime_error without HELIO_INSPECT.
    explicit MessageWords(std::function<void(std::string_view)> write,
                          const std::vector<std::string>& schema_files = {});
    ~MessageWords();
    MessageWords(const MessageWords&) = delete;
    MessageWords& operator=(const MessageWords&) = delete;

    // `title` is a line above the words of the message.
    void append(std::uint64_t connection, std::string_view title, ByteView message);
    // Forgets the calls of a connection that has ended.
    void forget(std::uint64_t connection);

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace helio::cli
