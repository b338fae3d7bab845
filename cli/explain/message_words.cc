#include "cli/explain/message_words.h"

#include <map>

#include "helio/inspect/explain/explain.h"
#include "helio/inspect/pipeline/pipeline.h"
#include "helio/inspect/words/words.h"

namespace helio::cli {

struct MessageWords::Impl {
    Impl(std::function<void(std::string_view)> write, const std::vector<std::string>& schema_files)
        : catalogue(inspect::load_catalogue(schema_files).catalogue),
          explainer(*catalogue),
          writer(*catalogue, {}, std::move(write)) {}

    std::unique_ptr<inspect::Catalogue> catalogue;
    inspect::Explainer explainer;
    inspect::WordsWriter writer;
    std::map<std::uint64_t, inspect::CallBook> calls;  // by connection
};

MessageWords::MessageWords(std::function<void(std::string_view)> write,
                           const std::vector<std::string>& schema_files)
    : impl_(std::make_unique<Impl>(std::move(write), schema_files)) {}
MessageWords::~MessageWords() = default;

void MessageWords::append(std::uint64_t connection, std::string_view title, ByteView message) {
    impl_->writer.line(title);
    for (const auto& one : impl_->explainer.explain(message, impl_->calls[connection]))
        impl_->writer.write(one);
    impl_->writer.flush();
}

void MessageWords::forget(std::uint64_t connection) { impl_->calls.erase(connection); }

}  // namespace helio::cli
