// BufferedOutput: collects many short lines into large writes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "helio/inspect/pipeline/options.h"

namespace helio::inspect {

class BufferedOutput final {
 public:
    explicit BufferedOutput(PipelineOutput& output) : output_(output) {}
    ~BufferedOutput() { flush(); }
    BufferedOutput(const BufferedOutput&) = delete;
    BufferedOutput& operator=(const BufferedOutput&) = delete;

    // Append to text(), then call appended().
    std::string& text() { return text_; }
    void appended() {
        if (text_.size() >= kWriteSize) flush();
    }
    // A large piece, written without another copy.
    void write(std::string_view piece) {
        flush();
        output_.write(piece);
    }
    void flush() {
        if (text_.empty()) return;
        output_.write(text_);
        text_.clear();
    }
    void note(std::string_view sentence) { output_.note(sentence); }

 private:
    static constexpr std::size_t kWriteSize = 256u << 10;
    PipelineOutput& output_;
    std::string text_;
};

}  // namespace helio::inspect
