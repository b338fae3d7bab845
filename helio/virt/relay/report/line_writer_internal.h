// LineWriter: buffers lines for a file; those of one loop turn are written together.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "helio/transport/loop/event_loop.h"

namespace helio::virt::relay {

class LineWriter final : transport::EventLoop::Deferred {
 public:
    using Problem = std::function<void(std::string_view)>;

    // `on_problem` is called once if lines are lost.
    LineWriter(transport::EventLoop& loop, int fd, Problem on_problem);
    ~LineWriter() override;
    // Append to it; written at the end of the turn.
    std::string& text();

 private:
    void on_turn_end() override;

    transport::EventLoop& loop_;
    int fd_;
    Problem on_problem_;
    std::string text_;
    bool failed_ = false;
};

}  // namespace helio::virt::relay
