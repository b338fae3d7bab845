// Feeder: feeds a RecordMark like a connection does, for tests: keeps the bytes that were not
// consumed, passes them again with the next ones, and collects messages.
#pragma once

#include <string>
#include <vector>

#include "helio/base/assert.h"
#include "helio/frame/record_mark.h"

namespace helio::frame {

class Feeder final {
 public:
    explicit Feeder(RecordLimits limits = {}) : framer_(limits) {}

    // False once the stream is broken.
    bool feed(ByteView more) {
        if (broken_) return false;
        pending_.insert(pending_.end(), more.begin(), more.end());
        for (;;) {
            last_ = framer_.cut(pending_);
            HELIO_ASSERT(last_.consumed <= pending_.size());
            if (last_.kind == CutKind::broken) return !(broken_ = true);
            if (last_.kind == CutKind::message)
                messages_.emplace_back(last_.message.begin(), last_.message.end());
            pending_.erase(pending_.begin(),
                           pending_.begin() + static_cast<std::ptrdiff_t>(last_.consumed));
            if (last_.kind == CutKind::more) {
                // It must not wait for bytes that are already there, or it would wait forever.
                HELIO_ASSERT(last_.wanted > pending_.size());
                return true;
            }
        }
    }

    const RecordMark& framer() const { return framer_; }
    const Cut& last() const { return last_; }
    const std::vector<std::vector<std::byte>>& messages() const { return messages_; }
    std::size_t pending() const { return pending_.size(); }

 private:
    RecordMark framer_;
    Cut last_;
    bool broken_ = false;
    std::vector<std::byte> pending_;
    std::vector<std::vector<std::byte>> messages_;
};

}  // namespace helio::frame
