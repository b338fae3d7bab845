// A relay between any client and any daemon. It forwards only complete messages, and none that its
// rules deny, even if the client lies or sends pieces.
//
// The input is a list of pieces: sender and kind, size, and bytes. Some are sent unchanged; others
// become a message, because few random bytes get past the header.
#include <cstdint>

#include "helio/base/assert.h"
#include "testing/virt/relay.h"

using namespace helio;
using namespace helio::virt::relay;
using namespace helio::virt::relay::testing;

namespace {

VirnetHeader header_of(std::uint8_t what, std::uint8_t more) {
    constexpr std::uint32_t kNumbers[] = {kConnectOpen,  kDomainDestroy, kDomainGetXmlDesc,
                                          kLookupByName, kLookupByUuid,  kGetAllDomainStats,
                                          193,           9999,           kDomainDefineXml};
    VirnetHeader out = head(kNumbers[more % std::size(kNumbers)], what >> 4);
    out.type = static_cast<VirnetType>(what % 8);
    out.status = static_cast<VirnetStatus>((what >> 3) % 2);
    return out;
}

// Every domain whose UUID begins with an odd byte is prod.
void answer(Talk& talk, const Message& question) {
    const bool odd = (static_cast<unsigned>(question.payload[0]) & 1) != 0;
    talk.daemon(reply(kLookupByUuid, question.header.serial, domain(odd ? "prod" : "test", 2)));
}

void check_passed(const Message& message, bool honest) {
    HELIO_ASSERT(message.header.procedure != 9999);
    HELIO_ASSERT(message.header.procedure != kDomainGetXmlDesc);
    if (message.header.procedure != kDomainDestroy) return;
    ByteView bytes{message.payload};
    if (message.header.type == VirnetType::call_with_fds) bytes = bytes.subspan(4);
    HELIO_ASSERT(bytes.size() >= 24);
    const std::size_t size = xdr::load_u32(bytes.data());
    const std::size_t uuid_at = 4 + (size + 3) / 4 * 4;
    HELIO_ASSERT(uuid_at + 16 <= bytes.size());
    HELIO_ASSERT(size < 4 || std::memcmp(bytes.data() + 4, "prod", 4) != 0);
    HELIO_ASSERT(!honest || (static_cast<unsigned>(bytes[uuid_at]) & 1) == 0);
}

// Serials in the range of the relay's own are left out here.
void look(Talk& talk, bool answers, bool honest) {
    for (const Message& one : talk.at_client()) HELIO_ASSERT(one.header.type != VirnetType::call);
    for (const Message& one : talk.at_daemon()) {
        const bool is_call = one.header.type == VirnetType::call;
        if (is_call && one.header.serial >= 0x80000000 && one.payload.size() == 16) {
            if (answers) answer(talk, one);
        } else if (is_call || one.header.type == VirnetType::call_with_fds) {
            check_passed(one, honest);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::shared_ptr<const Policy> policy =
        std::move(*try_policy({"deny *:domain=prod*", "deny DomainGetXmlDesc"}));
    Talk talk(policy, {.watch_messages = true});
    bool honest = true;  // the daemon has answered questions only through answer()
    while (size >= 4) {
        const std::size_t length = std::min<std::size_t>(data[3], size - 4);
        const auto* const begin = reinterpret_cast<const std::byte*>(data) + 4;
        const Bytes bytes(begin, begin + length);
        const std::uint8_t action = data[0];
        VirnetHeader header = header_of(data[1], data[2]);
        const bool from_client = action % 2 == 0;
        const bool raw = action % 8 < 2;
        if (action % 16 == 15) header.serial = 0x80000000 + data[2] % 4;
        honest = honest && (from_client || (!raw && action % 16 != 15));
        const Bytes said = raw ? bytes : frame::make_virnet_message(header, bytes);
        if (from_client)
            talk.client(said);
        else
            talk.daemon(said);
        if (action % 32 < 24) look(talk, action % 4 != 1, honest);
        data += 4 + length;
        size -= 4 + length;
    }
    look(talk, true, honest);
    talk.session().finish();
    return 0;
}
