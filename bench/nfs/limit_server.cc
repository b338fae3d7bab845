// The limit: the cost of NFS calls for a server that does only what the wire demands. One thread,
// epoll; it receives what the socket has, cuts records, answers each call from a table in memory,
// and sends all replies at once. READ is sendfile from a file, or pread and send with --copy; WRITE
// is pwrite. A handle is enough to use a file: no rights, no names, no budgets, no checks of the
// input. Everything beyond this is the cost of a real server.
//
//   limit_server [--copy] [--directory DIR]     where files with data lie, unnamed; default /tmp
//
// It knows MNT, NULL, GETATTR, LOOKUP, ACCESS, READ, WRITE, FSINFO and COMMIT, and as much of
// CREATE, MKDIR, REMOVE, RMDIR and READDIR as `helio load nfs` needs to prepare its files: of
// names, only the number in them is kept. Prints `listening tcp PORT`, then serves until killed.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/rpc/wire.h"

namespace bench {
namespace {

constexpr std::size_t kEventsMax = 64;
// A call with 1 MiB of data, and some room.
constexpr std::size_t kReceiveSize = 2u << 20;
constexpr std::uint32_t kTransferMax = 1u << 20;
constexpr std::uint32_t kHandleSize = 32;  // as ours
constexpr std::uint32_t kMountProgram = 100005;

enum : std::uint32_t { kRegular = 1, kDirectory = 2 };

struct File {
    std::uint32_t type = kRegular;
    std::uint64_t size = 0;
    int fd = -1;  // once it was written to
};

// A part of the output: from the connection's bytes, or from a file.
struct Piece {
    int fd;  // -1: bytes
    off_t offset;
    std::size_t size;
};

// Bytes to be sent. A vector would write zeros over bytes that are about to be read from a file.
class Bytes {
 public:
    std::size_t size() const { return size_; }
    char* data() { return bytes_.get(); }
    void clear() { size_ = 0; }
    // Room for this many more bytes; the next call may move it.
    char* more(std::size_t size) {
        if (size_ + size > room_) {
            const std::size_t room = std::max(2 * room_, size_ + size);
            std::unique_ptr<char[]> bytes{new char[room]};
            if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
            bytes_ = std::move(bytes);
            room_ = room;
        }
        size_ += size;
        return bytes_.get() + size_ - size;
    }

 private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0, room_ = 0;
};

struct Connection {
    explicit Connection(int connected) : socket(connected), in(kReceiveSize) {}
    ~Connection() { close(socket); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    const int socket;
    std::size_t received = 0;
    std::vector<char> in;
    Bytes out;
    std::size_t out_pieced = 0;  // bytes of `out` that are in pieces already
    std::vector<Piece> pieces;
    std::size_t next = 0;  // of the pieces
};

// Writes a reply to the buffer it is sent from.
class Reply {
 public:
    Reply(Connection& connection, std::uint32_t xid) : out_(connection.out), begin_(out_.size()) {
        for (const std::uint32_t one : {0u, xid, 1u, 0u, 0u, 0u, 0u}) word(one);
    }
    void word(std::uint32_t value) { put_word(more(4), value); }
    void words(std::initializer_list<std::uint32_t> values) {
        for (const std::uint32_t one : values) word(one);
    }
    void two(std::uint64_t value) {
        word(static_cast<std::uint32_t>(value >> 32));
        word(static_cast<std::uint32_t>(value));
    }
    char* more(std::size_t size) { return out_.more(size); }
    void handle(std::uint32_t number) {
        word(kHandleSize);
        std::memset(more(kHandleSize), 0, kHandleSize);
        put_word(out_.data() + out_.size() - 4, number);
    }
    void attributes(std::uint32_t number, const File& file) {
        words({file.type, 0644, 1, 0, 0});
        two(file.size);
        two(file.size);
        words({0, 0});
        two(1);
        two(number);
        words({1, 0, 1, 0, 1, 0});
    }
    // `behind`: bytes of a file that follow.
    void finish(std::size_t behind = 0) {
        const std::size_t size = out_.size() - begin_ - kMarkSize + behind;
        put_word(out_.data() + begin_, kLastFragment | static_cast<std::uint32_t>(size));
    }

 private:
    Bytes& out_;
    const std::size_t begin_;
};

class Server {
 public:
    Server(bool copy, std::string directory) : copy_(copy), directory_(std::move(directory)) {
        files_.resize(2);  // number 0 is nobody, 1 is the root
        files_[1].type = kDirectory;
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        insist(listener_, "socket");
        insist(bind(listener_, generic(address), size), "bind");
        insist(listen(listener_, SOMAXCONN), "listen");
        insist(getsockname(listener_, generic(address), &size), "getsockname");
        watch(EPOLL_CTL_ADD, listener_, nullptr, EPOLLIN);
        std::printf("listening tcp %u\n", ntohs(address.sin_port));
        std::fflush(stdout);
    }

    [[noreturn]] void run() {
        std::array<epoll_event, kEventsMax> events;
        for (;;) {
            const int count = epoll_wait(epoll_, events.data(), kEventsMax, -1);
            if (count < 0 && errno != EINTR) die("epoll_wait", errno);
            for (int i = 0; i < count; ++i) {
                auto* connection = static_cast<Connection*>(events[i].data.ptr);
                if (connection == nullptr)
                    accept_one();
                else if (!serve(*connection))
                    delete connection;
            }
        }
    }

 private:
    void watch(int operation, int socket, Connection* connection, std::uint32_t what) {
        epoll_event event{};
        event.events = what;
        event.data.ptr = connection;
        insist(epoll_ctl(epoll_, operation, socket, &event), "epoll_ctl");
    }

    void accept_one() {
        const int socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0) return;
        send_at_once(socket);
        auto connection = std::make_unique<Connection>(socket);
        watch(EPOLL_CTL_ADD, socket, connection.get(), EPOLLIN);
        static_cast<void>(connection.release());  // run() deletes it
    }

    // False: the peer is gone, or speaks another protocol.
    bool serve(Connection& connection) {
        if (connection.next < connection.pieces.size()) {
            if (!flush(connection)) return false;
            if (connection.pieces.empty())
                watch(EPOLL_CTL_MOD, connection.socket, &connection, EPOLLIN);
            return true;
        }
        const ssize_t size = recv(connection.socket, connection.in.data() + connection.received,
                                  kReceiveSize - connection.received, 0);
        if (size <= 0) return size < 0 && (errno == EAGAIN || errno == EINTR);
        connection.received += static_cast<std::size_t>(size);
        if (!answer_all(connection)) return false;
        end_bytes(connection);
        if (!flush(connection)) return false;
        if (!connection.pieces.empty())
            watch(EPOLL_CTL_MOD, connection.socket, &connection, EPOLLOUT);
        return true;
    }

    static void end_bytes(Connection& connection) {
        const std::size_t size = connection.out.size() - connection.out_pieced;
        if (size == 0) return;
        connection.pieces.push_back({-1, static_cast<off_t>(connection.out_pieced), size});
        connection.out_pieced += size;
    }

    static bool flush(Connection& connection) {
        for (; connection.next < connection.pieces.size(); ++connection.next) {
            Piece& piece = connection.pieces[connection.next];
            const int more = connection.next + 1 < connection.pieces.size() ? MSG_MORE : 0;
            while (piece.size > 0) {
                const ssize_t size =
                    piece.fd < 0 ? send(connection.socket, connection.out.data() + piece.offset,
                                        piece.size, MSG_NOSIGNAL | more)
                                 : sendfile(connection.socket, piece.fd, &piece.offset, piece.size);
                if (size < 0) return errno == EAGAIN || errno == EINTR;
                if (size == 0) return false;
                if (piece.fd < 0) piece.offset += size;
                piece.size -= static_cast<std::size_t>(size);
            }
        }
        connection.pieces.clear();
        connection.next = 0;
        connection.out.clear();
        connection.out_pieced = 0;
        return true;
    }

    bool answer_all(Connection& connection) {
        const char* const in = connection.in.data();
        std::size_t at = 0;
        while (connection.received - at >= kMarkSize + kCallSize) {
            const std::uint32_t mark = get_word(in + at);
            const std::size_t size = mark & ~kLastFragment;
            if (mark < kLastFragment || size < kCallSize || size > kReceiveSize - kMarkSize)
                return false;
            if (connection.received - at < kMarkSize + size) break;
            answer(connection, in + at + kMarkSize);
            at += kMarkSize + size;
        }
        connection.received -= at;
        if (connection.received > 0)
            std::memmove(connection.in.data(), in + at, connection.received);
        return true;
    }

    static std::uint64_t two_words(const char* at) {
        return std::uint64_t{get_word(at)} << 32 | get_word(at + 4);
    }

    void answer(Connection& connection, const char* call) {
        const std::uint32_t program = get_word(call + 12), procedure = get_word(call + 20);
        const char* at = call + 24;
        at += 8 + (get_word(at + 4) + 3) / 4 * 4;  // credential
        at += 8 + (get_word(at + 4) + 3) / 4 * 4;  // verifier
        Reply reply{connection, get_word(call)};
        if (program == kMountProgram) return answer_mount(reply, procedure);
        if (procedure == 0) return reply.finish();
        // Every other procedure begins with a handle; its last word is the number.
        const std::uint32_t size = get_word(at);
        std::uint32_t number = size == kHandleSize ? get_word(at + size) : 0;
        if (number >= files_.size()) number = 0;
        at += 4 + size;
        switch (procedure) {
            case 1:
                reply.word(0);
                reply.attributes(number, files_[number]);
                break;
            case 3:
                return look_up(reply, at);
            case 4:
                reply.words({0, 1});
                reply.attributes(number, files_[number]);
                reply.word(get_word(at));
                break;
            case 6:
                return read(connection, reply, number, at);
            case 7:
                return write(reply, number, at);
            case 8:
            case 9:
                return make(reply, at, procedure == 8 ? kRegular : kDirectory);
            case 12:
            case 13:
                reply.words({0, 0, 0});
                break;  // REMOVE, RMDIR
            case 16:
                reply.words({0, 0, 0, 0, 0, 1});
                break;  // READDIR: nothing, and the end
            case 19:
                fs_info(reply);
                break;
            case 21:
                reply.words({0, 0, 0, 1, 1});
                break;  // COMMIT
            default:
                reply.word(10004);
                break;  // NFS3ERR_NOTSUPP, near enough
        }
        reply.finish();
    }

    static void answer_mount(Reply& reply, std::uint32_t procedure) {
        if (procedure == 1) {
            reply.word(0);
            reply.handle(1);
            reply.words({1, 1});
        }
        reply.finish();
    }

    static void fs_info(Reply& reply) {
        reply.words({0, 0});
        reply.words({kTransferMax, kTransferMax, 1, kTransferMax, kTransferMax, 1, 65536});
        reply.two(std::uint64_t{1} << 40);
        reply.words({0, 1, 0x1b});
    }

    // "e0000042" is 42.
    static std::size_t number_in(const char* name, std::uint32_t size) {
        std::size_t out = 0;
        for (std::uint32_t i = 1; i < size; ++i)
            out = out * 10 + static_cast<std::size_t>(name[i] - '0');
        return out;
    }

    // The last file that was made with the same number in its name.
    void look_up(Reply& reply, const char* name) {
        const std::size_t which = number_in(name + 4, get_word(name));
        const std::uint32_t number = which < entries_.size() ? entries_[which] : 0;
        reply.word(0);
        reply.handle(number);
        reply.word(1);
        reply.attributes(number, files_[number]);
        reply.word(0);
        reply.finish();
    }

    void make(Reply& reply, const char* at, std::uint32_t type) {
        const auto number = static_cast<std::uint32_t>(files_.size());
        const std::uint32_t size = get_word(at);
        if (at[4] == 'e' && type == kRegular) {
            const std::size_t which = number_in(at + 4, size);
            if (which >= entries_.size()) entries_.resize(which + 1);
            entries_[which] = number;
        }
        at += 4 + (size + 3) / 4 * 4;
        if (type == kRegular) at += 4;  // the mode of CREATE
        File file;
        file.type = type;
        // sattr3 as `helio load nfs` sends it: mode set, uid and gid not, size perhaps.
        if (get_word(at + 16) == 1) file.size = two_words(at + 20);
        files_.push_back(file);
        reply.words({0, 1});
        reply.handle(number);
        reply.word(1);
        reply.attributes(number, file);
        reply.words({0, 0});
        reply.finish();
    }

    void read(Connection& connection, Reply& reply, std::uint32_t number, const char* at) {
        File& file = files_[number];
        const std::uint64_t offset = std::min(two_words(at), file.size);
        const auto count = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(std::min(get_word(at + 8), kTransferMax), file.size - offset));
        reply.words({0, 1});
        reply.attributes(number, file);
        reply.words({count, offset + count == file.size, count});
        if (copy_) {
            // Sizes here are multiples of four: there is no padding.
            if (pread(file.fd, reply.more(count), count, static_cast<off_t>(offset)) < 0)
                die("pread", errno);
            return reply.finish();
        }
        reply.finish(count);
        end_bytes(connection);
        connection.pieces.push_back({file.fd, static_cast<off_t>(offset), count});
    }

    void write(Reply& reply, std::uint32_t number, const char* at) {
        File& file = files_[number];
        const std::uint64_t offset = two_words(at);
        const std::uint32_t count = get_word(at + 8), stable = get_word(at + 12);
        if (file.fd < 0)
            file.fd = insist(open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600),
                             directory_.c_str());
        if (pwrite(file.fd, at + 20, count, static_cast<off_t>(offset)) < 0) die("pwrite", errno);
        file.size = std::max(file.size, offset + count);
        reply.words({0, 0, 1});
        reply.attributes(number, file);
        reply.words({count, stable, 1, 1});
        reply.finish();
    }

    const bool copy_;
    const std::string directory_;
    std::vector<File> files_;
    std::vector<std::uint32_t> entries_;  // by the number in the name
    const int epoll_ = insist(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    const int listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
    bool copy = false;
    std::string directory = "/tmp";
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--copy") == 0)
            copy = true;
        else if (std::strcmp(argv[i], "--directory") == 0 && i + 1 < argc)
            directory = argv[++i];
        else
            bench::die("options are --copy and --directory DIR");
    }
    bench::Server(copy, directory).run();
}
