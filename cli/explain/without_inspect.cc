// Replaces explain.cc and message_words.cc with HELIO_INSPECT=OFF.
#include <stdexcept>

#include "cli/command.h"
#include "cli/explain/message_words.h"

namespace helio::cli {
namespace {

[[noreturn]] void fail(const char* what) {
    throw std::runtime_error(std::string{what} +
                             ": not available: helio was built without it (HELIO_INSPECT=OFF)");
}

}  // namespace

struct MessageWords::Impl {};
MessageWords::MessageWords(std::function<void(std::string_view)>, const std::vector<std::string>&) {
    fail("words of messages");
}
MessageWords::~MessageWords() = default;
void MessageWords::append(std::uint64_t, std::string_view, ByteView) {}
void MessageWords::forget(std::uint64_t) {}

void add_explain(Command& app, int&) {
    Command* const verb = app.add_subcommand("explain", "Not available in this build");
    verb->prefix_command();  // takes any arguments
    verb->callback([] { fail("explain"); });
}

}  // namespace helio::cli
