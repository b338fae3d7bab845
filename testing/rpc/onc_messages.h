// Hand-written messages of RFC 5531 §9, one field per line, for tests of both sides.
#pragma once

#include <memory>
#include <string>

#include "helio/rpc/onc/onc_envelope.h"
#include "testing/xdr/bytes.h"

namespace helio::rpc {

inline const std::string kFixedCall =
    "0000abcd"   // xid
    "00000000"   // CALL
    "00000002"   // rpcvers
    "000186a3"   // prog: 100003
    "00000003"   // vers
    "00000006";  // proc
inline const std::string kNone =
    "00000000"   // AUTH_NONE
    "00000000";  // no body
// RFC 5531 appendix A.
inline const std::string kSysBody =
    "00000007"          // stamp
    "00000005"          // machinename: five bytes,
    "686f737431000000"  // "host1" and padding
    "000003e8"          // uid 1000
    "00000064"          // gid 100
    "00000003"          // three gids:
    "00000001"
    "00000002"
    "ffffffff";
inline const std::string kSys =
    "00000001"
    "00000028" +
    kSysBody;  // AUTH_SYS, 40 bytes

inline const std::string kReplyHead =
    "0000abcd"   // xid
    "00000001";  // REPLY
inline const std::string kAccepted = kReplyHead +
                                     "00000000"              // MSG_ACCEPTED
                                     "00000000"              // verifier: AUTH_NONE
                                     "00000000";             // its body: none
inline const std::string kDenied = kReplyHead + "00000001";  // MSG_DENIED

struct Opened {
    xdr::Arena arena;
    Call call{arena};
    ByteView arguments;
    Refusal refusal;
    xdr::Bytes bytes;
};

inline std::unique_ptr<Opened> opened(xdr::Bytes bytes) {
    auto out = std::make_unique<Opened>();
    out->bytes = std::move(bytes);
    out->bytes.shrink_to_fit();  // so that a sanitizer detects reads past the end
    out->refusal = OncEnvelope{}.open(out->bytes, out->call, out->arguments);
    return out;
}
inline std::unique_ptr<Opened> opened(const std::string& text) { return opened(xdr::hex(text)); }

}  // namespace helio::rpc
