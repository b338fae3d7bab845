// Steps of explaining, shared by the source files.
#pragma once

#include <optional>

#include "helio/inspect/explain/explain.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {

struct ExplainTypes {
    std::unique_ptr<const idl::Schema> own;  // types that no schema has: see explain.cc
    const idl::Type* record_mark = nullptr;
    const idl::Type* message_length = nullptr;
    const idl::Type* descriptors = nullptr;
    // Null if the catalogue lacks their schema.
    const idl::Type* rpc_msg = nullptr;
    const idl::Type* rpc_msg_body = nullptr;
    const idl::Type* call_body = nullptr;
    const idl::Type* sys_call = nullptr;
    const idl::Type* rdma_msg = nullptr;
    const idl::Type* virnet_header = nullptr;
    const idl::Type* virnet_error = nullptr;
    const idl::Type* virnet_hole = nullptr;
};

// What the bytes seem to be.
struct Guess {
    enum class Around : std::uint8_t { nothing, record_mark, rdma, virnet_length, body_only };
    bool found = false;
    Around around = Around::nothing;
    Shape shape = Shape::onc;
    std::size_t skip = 0;  // unrecognised bytes or packet headers before it
    std::string before;    // what those are
    bool unread = false;   // not recognised at all
    std::size_t size = 0;  // of the message with its framing, as far as available
    bool whole = false;    // `size` is the real size, not just what is available
    std::string why;
};

inline std::uint32_t word_at(ByteView bytes, std::size_t index) {
    return xdr::load_u32(bytes.data() + 4 * index);
}

// Recognises bytes by content. `deep`: look inside packets, and skip unrecognised bytes to find the
// first message. Otherwise accept only what is beyond doubt.
Guess recognise(ByteView bytes, const Catalogue& catalogue, const idl::Type* rdma_msg,
                bool headless, bool deep);

// Explains one message into `out`, whose `bytes` must be set.
class MessageExplainer {
 public:
    MessageExplainer(const Catalogue& catalogue, const ExplainTypes& types, Explanation& out)
        : catalogue_(catalogue), types_(types), out_(out) {}

    bool cut = false;                  // the bytes may end before the message does
    bool wordy = true;                 // fill in `what` and `why`; captures have their own wording
    const Procedure* hint = nullptr;   // what a reply answers
    const Procedure* found = nullptr;  // the procedure, once known

    // Both explain bytes [at, end).
    void onc(std::uint32_t at, std::uint32_t end, const CallBook* calls);
    void virnet(std::uint32_t at, std::uint32_t end, const CallBook* calls);
    // A call without xid and direction, or a reply without xid.
    void headless(std::uint32_t end, const CallBook& calls);
    // A single word before the message. Returns where it ends.
    std::uint32_t single(std::uint32_t at, const idl::Type& type, std::string_view title);

    // Decodes one value at `at` as the next part. Returns where it ends; stopped() tells if it
    // could not be decoded completely.
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

// For an RPC-over-RDMA header in the last part: notes where its chunks belong, and makes room in
// the message for those that were moved separately.
void put_back_chunks(Explanation& out, std::uint32_t header_end, const Procedure* procedure);

// Size of link, IP and TCP or UDP headers before a packet's payload; 0: not a packet.
struct PacketHeaders {
    std::size_t size = 0;
    std::size_t payload = 0;
    bool cut = false;
    std::string text;  // "IP and UDP headers, 192.0.2.1:801 to 192.0.2.2:2049"
};
PacketHeaders packet_headers(ByteView bytes);
// A whole TCP or UDP packet that carries nothing, such as a SYN or an acknowledgement.
bool is_empty_packet(ByteView bytes);

}  // namespace helio::inspect
