#include "helio/rpc/file_payload.h"

#include <sys/mman.h>

#include <array>
#include <mutex>
#include <new>
#include <vector>

#include "helio/rpc/call.h"

namespace helio::rpc {

namespace file_payload_detail {
constinit std::atomic<std::uintptr_t> region_begin = 0;
constinit std::atomic<std::uintptr_t> region_size = 0;
}  // namespace file_payload_detail

namespace {

// The region is cut into as many places as there may be views.
class Region final {
 public:
    Region() {
        void* const begin = mmap(nullptr, kFilePayloadBytesMax * kFilePayloadsMax, PROT_NONE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (begin == MAP_FAILED) return;  // a limit on addresses: then there are no such views
        file_payload_detail::region_begin = reinterpret_cast<std::uintptr_t>(begin);
        file_payload_detail::region_size = kFilePayloadBytesMax * kFilePayloadsMax;
        free_.reserve(kFilePayloadsMax);
        for (std::size_t i = kFilePayloadsMax; i-- > 0;)
            free_.push_back(static_cast<std::uint16_t>(i));
    }

    // The number of a place, or kFilePayloadsMax.
    std::size_t take(const FilePayload& file) {
        const std::lock_guard lock{mutex_};
        if (free_.empty()) return kFilePayloadsMax;
        const std::size_t place = free_.back();
        free_.pop_back();
        files_[place] = file;
        return place;
    }
    void give_back(std::size_t place) {
        const std::lock_guard lock{mutex_};
        free_.push_back(static_cast<std::uint16_t>(place));
    }
    // The view is held by who asks, and was handed over by whatever made the reply known to it.
    const FilePayload& at(std::size_t place) const { return files_[place]; }

 private:
    std::mutex mutex_;
    std::vector<std::uint16_t> free_;
    std::array<FilePayload, kFilePayloadsMax> files_;
};

Region& region() {
    static Region only;
    return only;
}

// The place of a view, until the last who needs it lets go.
struct Place {
    std::size_t number;
    std::shared_ptr<const void> owner;

    Place(std::size_t place, std::shared_ptr<const void> file)
        : number(place), owner(std::move(file)) {}
    ~Place() { region().give_back(number); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
};

}  // namespace

FilePayload file_payload_detail::find(const std::byte* at) {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(at) - region_begin;
    FilePayload file = region().at(offset / kFilePayloadBytesMax);
    file.offset += offset % kFilePayloadBytesMax;
    return file;
}

FileView make_file_view(int descriptor, std::uint64_t offset, std::size_t size,
                        std::shared_ptr<const void> owner) {
    if (size < kFilePayloadBytesMin || size > kFilePayloadBytesMax) return {};
    const std::size_t place = region().take({descriptor, offset});
    if (place == kFilePayloadsMax) return {};
    FileView made;
    try {
        made.release = std::make_shared<Place>(place, std::move(owner));
    } catch (const std::bad_alloc&) {
        region().give_back(place);
        return {};
    }
    const std::uintptr_t begin = file_payload_detail::region_begin + place * kFilePayloadBytesMax;
    made.view = {reinterpret_cast<const std::byte*>(begin), size};
    return made;
}

ByteView Call::file_payload(int descriptor, std::uint64_t offset, std::size_t size,
                            std::shared_ptr<const void> owner) {
    if (!carries_files) return {};
    FileView made = make_file_view(descriptor, offset, size, std::move(owner));
    if (made.view.empty()) return {};
    hold(std::move(made.release));
    return made.view;
}

}  // namespace helio::rpc
