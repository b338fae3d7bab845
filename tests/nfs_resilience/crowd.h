// A crowd of NFS clients that work concurrently in the same directories, and what must be true
// whatever the others do. A Guest is one of them, with its own thread and connection; it
// immediately checks what it knows for sure. Facts that only all of them together know are counted
// on the Stage and checked at the end. The first error ends the test for all.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "helio/nfs/wire/handle.h"
#include "helio/transport/client/client.h"

namespace helio::tests {

using Bytes = std::vector<std::byte>;

// Names that everybody tries to create, once.
inline constexpr std::size_t kFirstNames = 2'000;
// Names that everybody creates and removes all the time.
inline constexpr std::size_t kContestedNames = 8;
// Files in the directory that is listed which stay there throughout.
inline constexpr std::size_t kStayingFiles = 300;
// Every file's content begins with its first name, so that a handle that leads to another file is
// noticed.
inline constexpr std::size_t kLabelSize = 32;
std::string label_of(const std::string& name);

// A file as others see it.
struct Shown {
    Bytes handle;
    std::string label;
    std::atomic<bool> going = false;  // it may be removed by now
    std::atomic<bool> gone = false;   // it is
};

struct Stage {
    // Directories that everybody may change.
    std::array<Bytes, 2> shared;
    Bytes listed, contest, locks;
    std::map<std::string, Bytes> staying;  // the files in `listed`, with their handles
    Bytes counter;                         // a file in `locks`: eight bytes

    std::atomic<bool> stopping = false;
    std::atomic<std::uint64_t> steps = 0;

    std::array<std::atomic<int>, kFirstNames> winners{};
    std::array<std::atomic<int>, kContestedNames> balance{};  // created, less removed
    std::atomic<int> holder{-1};                              // of the lock
    std::atomic<std::uint64_t> counted = 0;

    void show(const std::shared_ptr<Shown>& file);
    std::shared_ptr<Shown> pick(std::uint32_t random);
    void fail(const std::string& what);
    std::string failures();

 private:
    std::mutex mutex_;
    std::vector<std::shared_ptr<Shown>> shown_;
    std::size_t next_shown_ = 0;
    std::string failures_;
};

class Guest {
 public:
    struct Who {
        unsigned number = 0;
        std::uint32_t uid = 0;
        bool udp = false;
    };
    Guest(Stage& stage, const std::string& server, const Who& who);
    virtual ~Guest() = default;
    // Until the stage ends it; then removes everything that belongs to this guest.
    void run();

 protected:
    struct Wrong : std::runtime_error {
        using std::runtime_error::runtime_error;
    };
    virtual void step() = 0;
    virtual void leave() = 0;

    [[noreturn]] void wrong(const std::string& what) const;
    void check(bool good, const std::string& what) const {
        if (!good) wrong(what);
    }
    // Views of the reply, which the next call invalidates.
    template <class Answer>
    Answer answered(const Result<Answer, xdr::CallError>& result, const char* what) const {
        if (!result) wrong(std::string(what) + ": " + rpc::to_text(result.error()));
        return *result;
    }
    std::uint32_t random(std::uint32_t below) {
        return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random_);
    }
    std::string fresh_name(const char* kind);
    std::string random_text(std::size_t size);

    Stage& stage_;
    const Who who_;
    transport::Client client_;
    std::mt19937 random_;

 private:
    std::uint64_t names_ = 0;
};

std::unique_ptr<Guest> make_guest_of_version_3(Stage& stage, const std::string& server,
                                               const Guest::Who& who);
std::unique_ptr<Guest> make_guest_of_version_2(Stage& stage, const std::string& server,
                                               const Guest::Who& who);

}  // namespace helio::tests
