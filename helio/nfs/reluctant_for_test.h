// Reluctant: in front of another file system, it would have to wait for every `one_in`th call, so
// that those are made on the pool.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "helio/vfs/file_system.h"

namespace helio::nfs {

class Reluctant final : public vfs::FileSystem {
 public:
    Reluctant(std::shared_ptr<vfs::FileSystem> inner, unsigned one_in)
        : inner_(std::move(inner)), one_in_(one_in) {}
    std::atomic<std::uint64_t> waited = 0;
    // Set before it is used: cookies have these bits too.
    std::uint64_t cookie_bits = 0;

    vfs::FileId root() const override { return inner_->root(); }
    std::uint64_t write_verifier() const override { return inner_->write_verifier(); }
    vfs::Limits limits() const override { return inner_->limits(); }
    vfs::Status attributes(const vfs::Caller& caller, const vfs::FileId& file,
                           vfs::Attributes& out) override {
        return waits(caller) ? vfs::Status::would_block : inner_->attributes(caller, file, out);
    }
    vfs::Status set_attributes(const vfs::Caller& caller, const vfs::FileId& file,
                               const vfs::Changes& changes, const std::optional<vfs::Time>& guard,
                               vfs::Change& out) override {
        return waits(caller) ? vfs::Status::would_block
                             : inner_->set_attributes(caller, file, changes, guard, out);
    }
    vfs::Status lookup(const vfs::Caller& caller, const vfs::FileId& directory,
                       std::string_view name, vfs::Found& out) override {
        return waits(caller) ? vfs::Status::would_block
                             : inner_->lookup(caller, directory, name, out);
    }
    vfs::Status access(const vfs::Caller& caller, const vfs::FileId& file, std::uint32_t wanted,
                       vfs::AccessOut& out) override {
        return waits(caller) ? vfs::Status::would_block : inner_->access(caller, file, wanted, out);
    }
    vfs::Status read_link(const vfs::Caller& caller, const vfs::FileId& file, vfs::Memory& memory,
                          vfs::LinkText& out) override {
        return waits(caller) ? vfs::Status::would_block
                             : inner_->read_link(caller, file, memory, out);
    }
    vfs::Status read(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                     std::uint32_t count, vfs::Memory& memory, vfs::ReadOut& out) override {
        return waits(caller) ? vfs::Status::would_block
                             : inner_->read(caller, file, offset, count, memory, out);
    }
    vfs::Status write(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                      ByteView data, vfs::Stability stability, vfs::WriteOut& out) override {
        return waits(caller) ? vfs::Status::would_block
                             : inner_->write(caller, file, offset, data, stability, out);
    }
    vfs::Status create(const vfs::Caller& caller, const vfs::FileId& directory,
                       std::string_view name, const vfs::NewFile& how, vfs::Made& out) override {
        return waits(caller) ? vfs::Status::would_block
                             : inner_->create(caller, directory, name, how, out);
    }
    vfs::Status make(const vfs::Caller& caller, const vfs::FileId& directory, std::string_view name,
                     const vfs::NewNode& what, vfs::Made& out) override {
        return waits(caller) ? vfs::Status::would_block
                             : inner_->make(caller, directory, name, what, out);
    }
    vfs::Status remove(const vfs::Caller& caller, const vfs::FileId& directory,
                       std::string_view name, vfs::Change& out) override {
        return waits(caller) ? vfs::Status::would_block
                             : inner_->remove(caller, directory, name, out);
    }
    vfs::Status remove_directory(const vfs::Caller& caller, const vfs::FileId& directory,
                                 std::string_view name, vfs::Change& out) override {
        return waits(caller) ? vfs::Status::would_block
                             : inner_->remove_directory(caller, directory, name, out);
    }
    vfs::Status rename(const vfs::Caller& caller, const vfs::FileId& from,
                       std::string_view from_name, const vfs::FileId& to, std::string_view to_name,
                       vfs::Change& out_from, vfs::Change& out_to) override {
        return waits(caller)
                   ? vfs::Status::would_block
                   : inner_->rename(caller, from, from_name, to, to_name, out_from, out_to);
    }
    vfs::Status link(const vfs::Caller& caller, const vfs::FileId& file,
                     const vfs::FileId& directory, std::string_view name,
                     std::optional<vfs::Attributes>& out_file,
                     vfs::Change& out_directory) override {
        return waits(caller) ? vfs::Status::would_block
                             : inner_->link(caller, file, directory, name, out_file, out_directory);
    }
    vfs::Status list(const vfs::Caller& caller, const vfs::FileId& directory,
                     const vfs::ListFrom& from, vfs::EntrySink& sink, vfs::ListOut& out) override {
        return waits(caller) ? vfs::Status::would_block
                             : list_inner(caller, directory, from, sink, out);
    }
    vfs::Status space(const vfs::Caller& caller, const vfs::FileId& file,
                      vfs::Space& out) override {
        return waits(caller) ? vfs::Status::would_block : inner_->space(caller, file, out);
    }
    vfs::Status commit(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                       std::uint64_t count, vfs::Change& out) override {
        return waits(caller) ? vfs::Status::would_block
                             : inner_->commit(caller, file, offset, count, out);
    }

 private:
    bool waits(const vfs::Caller& caller) {
        if (caller.may_block || ++asked_ % one_in_ != 0) return false;
        ++waited;
        return true;
    }

    struct Masked final : vfs::EntrySink {
        Masked(vfs::EntrySink& to, std::uint64_t with) : sink(to), bits(with) {}
        vfs::EntrySink& sink;
        std::uint64_t bits;
        bool add(const vfs::Entry& entry) override {
            vfs::Entry changed = entry;
            changed.cookie |= bits;
            return sink.add(changed);
        }
    };
    vfs::Status list_inner(const vfs::Caller& caller, const vfs::FileId& directory,
                           vfs::ListFrom from, vfs::EntrySink& sink, vfs::ListOut& out) {
        Masked masked{sink, cookie_bits};
        from.cookie &= ~cookie_bits;
        return inner_->list(caller, directory, from, masked, out);
    }

    std::shared_ptr<vfs::FileSystem> inner_;
    unsigned one_in_;
    std::atomic<std::uint64_t> asked_ = 0;
};

}  // namespace helio::nfs
