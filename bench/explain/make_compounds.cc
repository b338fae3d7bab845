// Makes a capture of NFS version 4.1 over TCP, and beside it a JSON file with its contents, so that
// programs that read the capture can be checked. The same arguments make the same bytes.
//
//   explain_make_compounds FILE PAIRS    COMPOUNDs as Linux's client sends them; FILE.json holds
//   the
//                                        truth
//
// Each client looks up directories and files before it uses them, with the attributes that Linux
// asks for. Calls overlap: a client has up to four under way.
#include <deque>
#include <initializer_list>
#include <map>

#include "bench/explain/nfs_calls.h"

namespace bench {
namespace {

constexpr std::uint32_t kClients = 8;
constexpr std::size_t kUnderWay = 4 * kClients;
constexpr std::uint32_t kObjects = 4096;  // the root, 63 directories, and files
constexpr std::uint32_t kDirectories = 64;
constexpr std::uint64_t kSeed = 18;

// RFC 8881 §16.2 and schema/nfs4.x.
enum Operation : std::uint32_t {
    kAccess = 3,
    kClose = 4,
    kGetattr = 9,
    kGetfh = 10,
    kLookup = 15,
    kOpen = 18,
    kPutfh = 22,
    kPutrootfh = 24,
    kRead = 25,
    kWrite = 38,
    kSequence = 53,
};
const std::map<Operation, const char*> kNames{
    {kAccess, "ACCESS"}, {kClose, "CLOSE"}, {kGetattr, "GETATTR"},  {kGetfh, "GETFH"},
    {kLookup, "LOOKUP"}, {kOpen, "OPEN"},   {kPutfh, "PUTFH"},      {kPutrootfh, "PUTROOTFH"},
    {kRead, "READ"},     {kWrite, "WRITE"}, {kSequence, "SEQUENCE"}};

using Compound = std::vector<Operation>;
const Compound kMount{kSequence, kPutrootfh, kGetfh, kGetattr};
const Compound kFind{kSequence, kPutfh, kLookup, kGetfh, kGetattr};
// With weights, in percent.
const std::pair<unsigned, Compound> kMix[] = {
    {40, {kSequence, kPutfh, kGetattr}},
    {20, kFind},
    {15, {kSequence, kPutfh, kAccess, kGetattr}},
    {8, {kSequence, kPutfh, kOpen, kGetfh, kAccess, kGetattr}},
    {7, {kSequence, kPutfh, kClose, kGetattr}},
    {7, {kSequence, kPutfh, kRead}},
    {3, {kSequence, kPutfh, kWrite, kGetattr}},
};

struct Client {
    Connection tcp;
    Words credential;
    std::uint32_t xid = 0;
    std::uint32_t sequence = 0;
    std::uint64_t calls = 0;
};

struct Pending {
    const Compound* compound = nullptr;
    std::uint32_t client = 0;
    std::uint32_t xid = 0;
    std::uint32_t sequence = 0;
    std::uint32_t object = 0;
    std::uint32_t size = 0;  // of data
    bool absent = false;     // LOOKUP fails
};

class Generator {
 public:
    Generator(std::string path, std::uint64_t pairs)
        : path_(std::move(path)), amount_(pairs), file_(path_), noise_(4096, 'n') {
        for (std::uint32_t i = 0; i < kClients; ++i) add_client(i);
    }

    void run() {
        for (Client& client : clients_) file_.handshake(client.tcp, now_us_ += 50);
        while (pairs_ < amount_ || !under_way_.empty()) {
            now_us_ += 1 + random_.below(6);
            if (pairs_ < amount_ && under_way_.size() < kUnderWay)
                call();
            else
                answer();
        }
        file_.close();
        write_truth();
    }

 private:
    void add_client(std::uint32_t i) {
        Client client;
        client.tcp = connection_of(i, static_cast<std::uint16_t>(712 + 12 * i), 2049, random_);
        client.xid = static_cast<std::uint32_t>(random_.next());
        client.credential = credential_of(i, 2);
        clients_.push_back(std::move(client));
    }

    void call() {
        Pending made;
        made.client = static_cast<std::uint32_t>(pairs_ % kClients);
        Client& client = clients_[made.client];
        made.xid = client.xid++;
        made.sequence = ++client.sequence;
        choose(made);
        begin_call(out_, made.xid, kNfsProgram, 4, 1, client.credential);
        out_.text("");
        out_.word(1);  // minor version
        out_.word(static_cast<std::uint32_t>(made.compound->size()));
        for (const Operation one : *made.compound) arguments(made, one);
        out_.end_record();
        file_.send(client.tcp, 0, now_us_, out_);
        ++client.calls;
        ++pairs_;
        under_way_.push_back(made);
    }

    void choose(Pending& made) {
        if (pairs_ < kClients) {
            made.compound = &kMount;
            return;
        }
        if (named_ < kObjects && pairs_ % 3 == 0) {
            made.compound = &kFind;
            made.object = named_++;
            return;
        }
        std::uint64_t roll = random_.below(100);
        const auto* one = std::begin(kMix);
        while (roll >= one->first) roll -= (one++)->first;
        made.compound = &one->second;
        made.object = 1 + static_cast<std::uint32_t>(random_.below(named_));
        made.absent = made.compound == &kMix[1].second && random_.below(50) == 0;
        for (const Operation each : *made.compound)
            if (each == kRead || each == kWrite)
                made.size = 64 + 4 * static_cast<std::uint32_t>(random_.below(100));
    }

    static std::uint32_t parent_of(std::uint32_t object) {
        return object < kDirectories ? 0 : 1 + object % (kDirectories - 1);
    }

    void arguments(const Pending& made, Operation one) {
        out_.word(one);
        const bool by_name = (*made.compound)[2] == kLookup || (*made.compound)[2] == kOpen;
        switch (one) {
            case kSequence:
                session(made);
                for (const std::uint32_t word : {made.sequence, made.client, 3u, 0u})
                    out_.word(word);
                break;
            case kPutfh:
                put_handle(out_, by_name ? parent_of(made.object) : made.object);
                break;
            case kGetattr:
                for (const std::uint32_t word : {2u, 0x0010011au, 0x00b0a23au}) out_.word(word);
                break;
            case kAccess:
                out_.word(0x1f);
                break;
            case kLookup:
                out_.text(name_of(made));
                break;
            case kOpen:
                for (const std::uint32_t word : {0u, 1u, 0u}) out_.word(word);
                out_.hyper(made.client);
                out_.text("open id: " + std::to_string(made.client));
                out_.word(0);  // OPEN4_NOCREATE
                out_.word(0);  // CLAIM_NULL
                out_.text(name_of(made));
                break;
            case kClose:
                out_.word(0);
                stateid(made);
                break;
            case kRead:
                stateid(made);
                out_.hyper(0);
                out_.word(made.size);
                break;
            case kWrite:
                stateid(made);
                out_.hyper(0);
                out_.word(0);  // UNSTABLE4
                out_.opaque(noise_.data(), made.size);
                break;
            case kGetfh:
            case kPutrootfh:
                break;
        }
    }

    void answer() {
        const Pending made = under_way_.front();
        under_way_.pop_front();
        std::size_t count = made.compound->size();
        if (made.absent) count = 3;  // it ends at LOOKUP
        begin_reply(out_, made.xid);
        out_.word(made.absent ? kNoEntry : 0);
        out_.text("");
        out_.word(static_cast<std::uint32_t>(count));
        for (std::size_t i = 0; i < count; ++i) {
            const Operation one = (*made.compound)[i];
            Counts& counts = counts_[one];
            ++counts.calls;
            if (one == kRead || one == kWrite) counts.bytes += made.size;
            const bool failed = made.absent && one == kLookup;
            counts.errors += failed;
            out_.word(one);
            out_.word(failed ? kNoEntry : 0);
            if (!failed) result(made, one);
        }
        out_.end_record();
        Client& client = clients_[made.client];
        file_.send(client.tcp, 1, now_us_, out_);
        if (made.xid % 8 == 0) file_.acknowledge(client.tcp, 0, now_us_ + 1);
        compounds_.errors += made.absent;
        ++compounds_.calls;
        compounds_.bytes += made.size;
    }

    void result(const Pending& made, Operation one) {
        switch (one) {
            case kSequence:
                session(made);
                for (const std::uint32_t word : {made.sequence, made.client, 63u, 63u, 0u})
                    out_.word(word);
                break;
            case kGetattr:
                attributes(made.object);
                break;
            case kGetfh:
                put_handle(out_, made.object);
                break;
            case kAccess:
                out_.word(0x1f);
                out_.word(0x1f);
                break;
            case kOpen:
                stateid(made);
                out_.word(1);  // change_info4
                out_.hyper(7);
                out_.hyper(7);
                for (const std::uint32_t word : {4u, 0u, 0u}) out_.word(word);
                break;
            case kClose:
                stateid(made);
                break;
            case kRead:
                out_.word(1);  // eof
                out_.opaque(noise_.data(), made.size);
                break;
            case kWrite:
                out_.word(made.size);
                out_.word(0);
                out_.hyper(kSeed);
                break;
            case kLookup:
            case kPutfh:
            case kPutrootfh:
                break;
        }
    }

    std::string name_of(const Pending& made) {
        if (made.absent) return "absent-" + std::to_string(made.xid % 100);
        return (made.object < kDirectories ? "project-" : "measurement-") +
               std::to_string(made.object);
    }

    void session(const Pending& made) {
        for (const std::uint32_t word : {1u, 2u, 3u, made.client}) out_.word(word);
    }

    void stateid(const Pending& made) {
        for (const std::uint32_t word : {1u, made.client, made.object, 5u}) out_.word(word);
    }

    // RFC 8881 §5.8, in the order of their numbers.
    void attributes(std::uint32_t object) {
        const bool directory = object < kDirectories;
        for (const std::uint32_t word : {2u, 0x0010011au, 0x00b0a23au}) out_.word(word);
        Words values;
        values.word(directory ? 2 : 1);
        for (const std::uint64_t hyper :
             {std::uint64_t{object} + 7, std::uint64_t{4096}, std::uint64_t{7}, std::uint64_t{0},
              std::uint64_t{object} + 128})
            values.hyper(hyper);  // change, size, fsid, fileid
        values.word(directory ? 0755 : 0644);
        values.word(1);
        values.text("1000");
        values.text("100");
        values.hyper(0);     // rawdev
        values.hyper(4096);  // space_used
        for (int i = 0; i < 3; ++i) {
            values.hyper(kStart_us / 1'000'000 - object);
            values.word(123456789);
        }
        values.hyper(object + 128);  // mounted_on_fileid
        out_.opaque(values.data(), values.size());
    }

    void write_truth() {
        Truth truth{path_, file_, pairs_};
        truth.object("procedures");
        truth.entry("nfs4.COMPOUND", compounds_);
        for (const auto& [operation, counts] : counts_)
            truth.entry(std::string{"nfs4."} + kNames.at(operation), counts);
        truth.object("clients");
        for (std::uint32_t i = 0; i < kClients; ++i)
            truth.entry(dotted(address_of_client(i)), clients_[i].calls);
        truth.object("busiest_files");
    }

    const std::string path_;
    const std::uint64_t amount_;
    CaptureFile file_;
    Random random_{kSeed};
    std::vector<char> noise_;
    std::vector<Client> clients_;
    std::deque<Pending> under_way_;
    std::uint64_t now_us_ = kStart_us;
    std::uint64_t pairs_ = 0;
    std::uint32_t named_ = 1;
    Counts compounds_;
    std::map<Operation, Counts> counts_;
    Words out_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
    if (argc != 3) bench::die("the arguments are FILE PAIRS");
    bench::Generator(argv[1], std::strtoull(argv[2], nullptr, 10)).run();
}
