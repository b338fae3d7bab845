// The steps of explaining, shared by the files that do it.
#pragma once

#include <optional>

#include "helio/inspect/explain/explain.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {

struct ExplainTypes {
    std::unique_ptr<const idl::Schema> own;  // the words that no schema has: see explain.cc
    const idl::Type* record_mark = nullptr;
    const idl::Type* message_length = nullptr;
    const idl::Type* descriptors = nullptr;
    // Null where the catalogue does not hold their schema.
    const idl::Type* rpc_msg = nullptr;
    const idl::Type* rpc_msg_body = nullptr;
    const idl::Type* call_body = nullptr;
    const idl::Type* sys_call = nullptr;
    const idl::Type* rdma_msg = nullptr;
    const idl::Type* virnet_header = nullptr;
    const idl::Type* virnet_error = nullptr;
    const idl::Type* virnet_hole = nullptr;
};

// What bytes seem to be.
struct Guess {
    enum class Around : std::uint8_t { nothing, record_mark, rdma, virnet_length, body_only };
    bool found = false;
    Around around = Around::nothing;
    Shape shape = Shape::onc;
    std::size_t skip = 0;  // bytes before it that nobody understands, or packet headers
    std::string before;    // what those are
    bool unread = false;   // nothing that anybody knows
    std::size_t size = 0;  // of the message with what is around it, as far as it is here
    bool whole = false;    // `size` is known, not just what is there
    std::string why;
};

inline std::uint32_t word_at(ByteView bytes, std::size_t index) {
    return xdr::load_u32(bytes.data() + 4 * index);
}

// By content. `deep`: look inside packets, and behind bytes that are nothing for the first that are
// something. Otherwise only for what is beyond doubt, here or further on.
Guess recognise(ByteView bytes, const Catalogue& catalogue, const idl::Type* rdma_msg,
                bool headless, bool deep);

// Explains one message into `out`, whose `bytes` are set.
class MessageExplainer {
 public:
    MessageExplainer(const Catalogue& catalogue, const ExplainTypes& types, Explanation& out)
        : catalogue_(catalogue), types_(types), out_(out) {}

    bool cut = false;                  // the end of the bytes need not be the message's
    bool wordy = true;                 // say what and why; captures say it in their own way
    const Procedure* hint = nullptr;   // what a reply answers
    const Procedure* found = nullptr;  // the procedure, once known

    // Both from `at` to `end` of the bytes.
    void onc(std::uint32_t at, std::uint32_t end, const CallBook* calls);
    void virnet(std::uint32_t at, std::uint32_t end, const CallBook* calls);
    // A call without xid and direction, or a reply without xid.
    void headless(std::uint32_t end, const CallBook& calls);
    // A word before the message. Returns where it ends.
    std::uint32_t single(std::uint32_t at, const idl::Type& type, std::string_view title);

    // One value from `at` on, as the next part. Returns where it ends; stopped(): not all of it
    // could be read.
    std::uint32_t value(std::uint32_t at, std::uint32_t end, const idl::Type& type,
                        std::string_view title, std::string_view root);
    // Bytes without a type.
    void rest(std::uint32_t at, std::uint32_t end, std::string_view title,
              std::string_view problem);
    bool stopped() const { return stopped_; }

 private:
    std::uint32_t onc_header(std::uint32_t at, std::uint32_t end, bool call);
    void body(std::uint32_t at, std::uint32_t end, const idl::Type* type, std::string_view of,
              bool arguments);
    void virnet_payload(std::uint32_t at, std::uint32_t end, std::uint32_t type,
                        std::uint32_t status);
    bool decode_past_wrong_words(Part& part, const idl::Type& type);

    const Catalogue& catalogue_;
    const ExplainTypes& types_;
    Explanation& out_;
    bool stopped_ = false;
    std::vector<std::byte> patched_;
};

// "the word at byte 88 (args.file) is 72; at most 64 bytes (NFS3_FHSIZE) are allowed. …"
std::string describe_fault(const Part& part, const xdr::DecodeError& error, bool cut);

// The last part is an RPC-over-RDMA header: draws in its note where its chunks belong, and makes
// room in the bytes of the message for those that were moved apart.
void put_back_chunks(Explanation& out, std::uint32_t header_end, const Procedure* procedure);

// Bytes of link, IP and TCP or UDP headers before the payload of a packet; 0: it is none.
struct PacketHeaders {
    std::size_t size = 0;
    std::size_t payload = 0;
    bool cut = false;
    std::string text;  // "IP and UDP headers, 192.0.2.1:801 to 192.0.2.2:2049"
};
PacketHeaders packet_headers(ByteView bytes);

}  // namespace helio::inspect
