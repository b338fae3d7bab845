#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "helio/virt/relay/report/line_writer_internal.h"

namespace helio::virt::relay {

LineWriter::LineWriter(transport::EventLoop& loop, int fd, Problem on_problem)
    : loop_(loop), fd_(fd), on_problem_(std::move(on_problem)) {}

LineWriter::~LineWriter() { on_turn_end(); }

std::string& LineWriter::text() {
    loop_.defer(*this);
    return text_;
}

void LineWriter::on_turn_end() {
    std::string_view rest = text_;
    while (!rest.empty()) {
        const ssize_t wrote = write(fd_, rest.data(), rest.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) {
            if (!failed_)
                on_problem_(fmt::format("cannot write; lines are lost: {}", std::strerror(errno)));
            failed_ = true;
            break;
        }
        rest.remove_prefix(static_cast<std::size_t>(wrote));
    }
    text_.clear();
}

}  // namespace helio::virt::relay
