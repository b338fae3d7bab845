#include "tests/vfs/backends.h"

#include "helio/backend/memory/memory_fs.h"

namespace helio::tests {

namespace {

class MemoryInstance final : public Instance {
 public:
    vfs::FileSystem& fs() override { return *fs_; }

 private:
    std::shared_ptr<vfs::FileSystem> fs_ = backend::make_memory_fs();
};

std::vector<Backend> make_list() {
    std::vector<Backend> list;
    list.push_back({"memory", {}, [] { return std::make_unique<MemoryInstance>(); }});
    return list;
}

}  // namespace

const std::vector<Backend>& backends() {
    static const std::vector<Backend> list = make_list();
    return list;
}

}  // namespace helio::tests
