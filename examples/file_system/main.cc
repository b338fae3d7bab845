// notes_server [PORT]: a directory of two files that exist only in this program, served over NFS.
#include <cstdlib>

#include "helio/nfs/serve.h"
#include "helio/vfs/read_only_file_system.h"

using namespace helio::vfs;

class Notes final : public ReadOnlyFileSystem {
    // Names and contents. A file's id is its place here; the first is the root.
    const std::vector<std::pair<std::string_view, std::string_view>> files_ = {
        {".", ""}, {"hello.txt", "Hello from C++.\n"}, {"empty.txt", ""}};

    static FileId id_of(std::size_t place) { return {{std::byte(place)}, 1}; }
    static std::size_t place_of(const FileId& id) { return std::size_t(id.bytes[0]); }
    FileId root() const override { return id_of(0); }

    Status attributes(const Caller&, const FileId& file, Attributes& out) override {
        const std::size_t place = place_of(file);
        if (place == 0) out.type = FileType::directory;
        out.mode = 0555;
        out.size = out.used = files_.at(place).second.size();
        out.fsid = out.links = 1;
        out.fileid = place + 1;
        return Status::ok;
    }
    Status lookup(const Caller& caller, const FileId& directory, std::string_view name,
                  LookupOut& out) override {
        if (directory != root()) return Status::not_a_directory;
        std::size_t place = 0;
        while (name != ".." && files_[place].first != name)
            if (++place == files_.size()) return Status::not_found;
        return attributes(caller, out.id = id_of(place), out.attributes);
    }
    Status read(const Caller&, const FileId& file, std::uint64_t offset, std::uint32_t count,
                Memory& memory, ReadOut& out) override {
        if (file == root()) return Status::is_a_directory;
        const auto text = std::as_bytes(std::span{files_.at(place_of(file)).second});
        return read_from(text, offset, count, memory, out);
    }
    Status list(const Caller& caller, const FileId& directory, const ListFrom& from,
                EntrySink& sink, ListOut& out) override {
        if (directory != root()) return Status::not_a_directory;
        for (std::size_t at = from.cookie; at <= files_.size();
             ++at) {  // a cookie: entries before it
            const auto name = at < files_.size() ? files_[at].first : "..";
            LookupOut found;
            lookup(caller, directory, name, found);
            if (!sink.add({name, found.attributes.fileid, at + 1, &found.id, &found.attributes}))
                return Status::ok;  // it is full, and asks again
        }
        out.end = true;
        return Status::ok;
    }
};

int main(int count, char** words) {
    const auto port = static_cast<std::uint16_t>(count > 1 ? std::atoi(words[1]) : 12049);
    helio::nfs::serve({{.path = "/notes", .files = std::make_shared<Notes>()}}, {.port = port});
}
