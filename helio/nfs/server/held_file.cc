#include "helio/nfs/server/held_file.h"

#include <utility>

namespace helio::nfs {

namespace {

class Closer final {
 public:
    Closer(std::shared_ptr<vfs::OpenFile> file, const Access& access)
        : files_(access.where().files),
          file_(std::move(file)),
          pool_(access.request().pool()),
          order_(access.pool_order()) {}

    void operator()(vfs::OpenFile*) {
        if (pool_ == nullptr || file_->closes_at_once()) return file_.reset();
        // A file system may end with the last of its files.
        pool_->run_detached(
            [files = std::move(files_), file = std::move(file_)]() mutable { file.reset(); },
            order_);
    }
    const vfs::FileSystem* files() const { return files_.get(); }

 private:
    std::shared_ptr<vfs::FileSystem> files_;
    std::shared_ptr<vfs::OpenFile> file_;
    transport::Pool* pool_;
    transport::PoolOrder order_;
};

}  // namespace

std::shared_ptr<vfs::OpenFile> hold(std::shared_ptr<vfs::OpenFile> file, const Access& access) {
    vfs::OpenFile* const raw = file.get();
    return {raw, Closer{std::move(file), access}};
}

bool belongs_to(const std::shared_ptr<vfs::OpenFile>& held, const vfs::FileSystem& files) {
    const auto* const closer = std::get_deleter<Closer>(held);
    return closer != nullptr && closer->files() == &files;
}

}  // namespace helio::nfs
