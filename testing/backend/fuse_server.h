// FuseServer: a real FUSE file system with one file, which can be stopped to simulate one that
// hangs. It caches nothing in the kernel, so that every use of it is a request. Needs the right to
// mount.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "helio/base/fd.h"

namespace helio::backend {

class FuseServer final {
 public:
    static constexpr const char* kFile = "file";
    static constexpr const char* kText = "by way of FUSE";

    FuseServer() = default;
    ~FuseServer();
    FuseServer(const FuseServer&) = delete;
    FuseServer& operator=(const FuseServer&) = delete;

    // Mounts it. False with errno if the machine or the user cannot.
    bool mount(const std::string& directory);
    // Requests are received but not answered until resume().
    void stop();
    void resume();
    // Whether a request that expects an answer arrived after stop().
    bool was_asked() const { return asked_; }

 private:
    void serve();

    Fd device_;
    std::string directory_;
    std::atomic<bool> stopped_ = false;
    std::atomic<bool> asked_ = false;
    std::thread thread_;
};

}  // namespace helio::backend
