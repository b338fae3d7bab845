#include "helio/vfs/backend.h"

namespace helio::vfs {

BackendTable::BackendTable(std::vector<const Backend*> all) : all_(std::move(all)) {
    for (std::size_t i = 0; i < all_.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            HELIO_ASSERT(all_[i]->info().name != all_[j]->info().name &&
                         all_[i]->info().scheme != all_[j]->info().scheme);
}

const Backend* BackendTable::find(std::string_view source) const {
    const Backend* without_scheme = nullptr;
    for (const Backend* const backend : all_) {
        const std::string_view scheme = backend->info().scheme;
        if (scheme.empty())
            without_scheme = backend;
        else if (source.starts_with(scheme))
            return backend;
    }
    return without_scheme;
}

}  // namespace helio::vfs
