// LiveCapture: captures packets from a network interface, through libpcap, until Ctrl-C.
#pragma once

#include <memory>
#include <string>

#include "cli/interrupt.h"
#include "helio/inspect/pipeline/pipeline.h"

namespace helio::cli {

class LiveCapture final : public inspect::PacketSource {
 public:
    // Throws std::runtime_error if the interface cannot be opened.
    LiveCapture(const std::string& interface, inspect::PipelineOutput& output);
    ~LiveCapture() override;

    bool next(inspect::Packet& packet) override;
    // Tells the output how many packets the kernel dropped, if it did.
    void note_drops();

 private:
    struct Handle;
    const std::string interface_;
    inspect::PipelineOutput& output_;
    const Interrupt interrupt_;
    std::unique_ptr<Handle> handle_;
    std::uint64_t packets_ = 0;
    bool idle_ = false;  // no packet is waiting, and the reader has been told
};

}  // namespace helio::cli
