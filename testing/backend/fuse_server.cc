#include "testing/backend/fuse_server.h"

#include <fcntl.h>
#include <linux/fuse.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace helio::backend {

namespace {

constexpr std::uint64_t kRootNode = FUSE_ROOT_ID;
constexpr std::uint64_t kFileNode = 2;

fuse_attr attributes_of(std::uint64_t node) {
    fuse_attr out{};
    out.ino = node;
    out.nlink = 1;
    out.mode = node == kRootNode ? S_IFDIR | 0755 : S_IFREG | 0644;
    out.size = node == kRootNode ? 0 : std::strlen(FuseServer::kText);
    return out;
}

class Answer final {
 public:
    Answer(int device, std::uint64_t unique) : device_(device) { head_.unique = unique; }

    void fail(int error) {
        head_.error = -error;
        send(nullptr, 0);
    }
    template <class Body>
    void with(const Body& body) {
        send(&body, sizeof body);
    }
    void send(const void* body, std::size_t size) {
        head_.len = static_cast<std::uint32_t>(sizeof head_ + size);
        const iovec parts[2] = {{&head_, sizeof head_}, {const_cast<void*>(body), size}};
        static_cast<void>(writev(device_, parts, size > 0 ? 2 : 1));
    }

 private:
    int device_;
    fuse_out_header head_{};
};

bool expects_no_answer(std::uint32_t operation) {
    return operation == FUSE_FORGET || operation == FUSE_BATCH_FORGET ||
           operation == FUSE_INTERRUPT;
}
// The kernel sends these for files that were closed, and nothing waits for the answer.
bool is_awaited(std::uint32_t operation) {
    return !expects_no_answer(operation) && operation != FUSE_RELEASE &&
           operation != FUSE_RELEASEDIR;
}

void answer(const fuse_in_header& head, const void* body, Answer to) {
    switch (head.opcode) {
        case FUSE_INIT: {
            fuse_init_out out{};
            out.major = FUSE_KERNEL_VERSION;
            out.minor = 31;
            out.max_write = 4096;
            return to.with(out);
        }
        case FUSE_GETATTR: {
            fuse_attr_out out{};
            out.attr = attributes_of(head.nodeid);
            return to.with(out);
        }
        case FUSE_LOOKUP: {
            if (std::string_view(static_cast<const char*>(body)) != FuseServer::kFile)
                return to.fail(ENOENT);
            fuse_entry_out out{};
            out.nodeid = kFileNode;
            out.generation = 1;
            out.attr = attributes_of(kFileNode);
            return to.with(out);
        }
        case FUSE_OPEN:
        case FUSE_OPENDIR:
            return to.with(fuse_open_out{});
        case FUSE_READDIR:
            return to.send(nullptr, 0);
        case FUSE_READ: {
            const auto& in = *static_cast<const fuse_read_in*>(body);
            std::string_view text = FuseServer::kText;
            text = in.offset < text.size() ? text.substr(in.offset, in.size) : "";
            return to.send(text.data(), text.size());
        }
        case FUSE_STATFS:
            return to.with(fuse_statfs_out{});
        case FUSE_RELEASE:
        case FUSE_RELEASEDIR:
            return to.send(nullptr, 0);
        default:
            return to.fail(ENOSYS);
    }
}

}  // namespace

bool FuseServer::mount(const std::string& directory) {
    device_ = Fd{open("/dev/fuse", O_RDWR | O_CLOEXEC)};
    if (!device_) return false;
    const std::string options =
        "fd=" + std::to_string(device_.get()) + ",rootmode=40000,user_id=0,group_id=0,allow_other";
    if (::mount("helio-test", directory.c_str(), "fuse", 0, options.c_str()) != 0) return false;
    directory_ = directory;
    thread_ = std::thread([this] { serve(); });
    return true;
}

FuseServer::~FuseServer() {
    resume();
    if (!thread_.joinable()) return;
    umount2(directory_.c_str(), MNT_FORCE | MNT_DETACH);  // ends the connection
    thread_.join();
}

void FuseServer::stop() {
    asked_ = false;
    stopped_ = true;
}

void FuseServer::resume() {
    stopped_ = false;
    stopped_.notify_all();
}

void FuseServer::serve() {
    alignas(fuse_in_header) std::array<std::byte, 1u << 16> buffer;
    while (true) {
        const ssize_t got = read(device_.get(), buffer.data(), buffer.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT)) continue;
        if (got < static_cast<ssize_t>(sizeof(fuse_in_header))) return;
        const auto& head = *reinterpret_cast<const fuse_in_header*>(buffer.data());
        if (stopped_ && is_awaited(head.opcode)) {
            asked_ = true;
            stopped_.wait(true);
        }
        if (!expects_no_answer(head.opcode))
            answer(head, buffer.data() + sizeof head, Answer{device_.get(), head.unique});
    }
}

}  // namespace helio::backend
