#include "helio/serve/control/socket.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace helio::serve {
namespace {

// Files that are made meanwhile are for their owner alone: changing the mode of a socket after it
// was made would be too late. For the whole process, so only while it starts.
class OnlyForUs final {
 public:
    OnlyForUs() : before_(umask(0177)) {}
    ~OnlyForUs() { umask(before_); }
    OnlyForUs(const OnlyForUs&) = delete;
    OnlyForUs& operator=(const OnlyForUs&) = delete;

 private:
    const mode_t before_;
};

}  // namespace

std::string control_path(const std::string& directory, std::size_t number) {
    return number == 0 ? directory + "/control.sock"
                       : fmt::format("{}/control-{}.sock", directory, number + 1);
}

std::string runtime_directory() {
    const char* const value = std::getenv("XDG_RUNTIME_DIR");
    return value != nullptr && value[0] == '/' ? value : "";
}

std::string listen_for_control(transport::Server& server, const std::string& directory) {
    for (std::size_t number = 0; number < kControlSocketsMax; ++number) {
        const std::string path = control_path(directory, number);
        try {
            const OnlyForUs restricted;
            server.listen_unix(path);
            return path;
        } catch (const std::runtime_error& error) {
            // Another server has it.
            if (std::string_view{error.what()}.find(std::strerror(EADDRINUSE)) ==
                std::string_view::npos)
                throw;
        }
    }
    throw std::runtime_error(fmt::format("{} servers have control sockets in {} already",
                                         kControlSocketsMax, directory));
}

}  // namespace helio::serve
