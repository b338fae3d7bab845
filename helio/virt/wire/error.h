// VirtError: libvirt's error, the body of a message with status ERROR (virNetMessageError). Its
// minor fields (the object concerned, further strings) are shown by libvirt's clients only, and
// stay empty here.
//
//     return fail_call<remote_domain_get_info_ret>(
//         call, virt_error(VIR_ERR_NO_DOMAIN, VIR_FROM_TEST, "no domain with …"));
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "helio/base/bytes.h"
#include "helio/xdr/writer.h"

namespace helio::virt {

// virErrorNumber, with libvirt's numbers: those that our servers return or our clients test for.
enum VirtErrorCode : int {
    VIR_ERR_OK = 0,
    VIR_ERR_INTERNAL_ERROR = 1,
    VIR_ERR_NO_MEMORY = 2,
    VIR_ERR_NO_SUPPORT = 3,
    VIR_ERR_NO_CONNECT = 5,
    VIR_ERR_INVALID_CONN = 6,
    VIR_ERR_INVALID_DOMAIN = 7,
    VIR_ERR_INVALID_ARG = 8,
    VIR_ERR_OPERATION_FAILED = 9,
    VIR_ERR_XML_ERROR = 27,
    VIR_ERR_DOM_EXIST = 28,
    VIR_ERR_OPERATION_DENIED = 29,
    VIR_ERR_XML_DETAIL = 35,
    VIR_ERR_NETWORK_EXIST = 37,
    VIR_ERR_SYSTEM_ERROR = 38,
    VIR_ERR_RPC = 39,
    VIR_ERR_NO_DOMAIN = 42,
    VIR_ERR_NO_NETWORK = 43,
    VIR_ERR_AUTH_FAILED = 45,
    VIR_ERR_NO_STORAGE_POOL = 49,
    VIR_ERR_NO_STORAGE_VOL = 50,
    VIR_ERR_OPERATION_INVALID = 55,
    VIR_ERR_OPERATION_TIMEOUT = 68,
    VIR_ERR_INVALID_STREAM = 73,
    VIR_ERR_ARGUMENT_UNSUPPORTED = 74,
    VIR_ERR_OPERATION_ABORTED = 78,
    VIR_ERR_AUTH_CANCELLED = 79,
    VIR_ERR_OPERATION_UNSUPPORTED = 84,
    VIR_ERR_ACCESS_DENIED = 88,
    VIR_ERR_STORAGE_VOL_EXIST = 90,
    VIR_ERR_AUTH_UNAVAILABLE = 94,
};

// virErrorDomain: the part of libvirt that reports the error.
enum VirtErrorDomain : int {
    VIR_FROM_NONE = 0,
    VIR_FROM_XML = 5,
    VIR_FROM_DOM = 6,
    VIR_FROM_RPC = 7,
    VIR_FROM_QEMU = 10,
    VIR_FROM_TEST = 12,
    VIR_FROM_REMOTE = 13,
    VIR_FROM_LXC = 17,
    VIR_FROM_STORAGE = 18,
    VIR_FROM_NETWORK = 19,
    VIR_FROM_DOMAIN = 20,
    VIR_FROM_NODEDEV = 22,
    VIR_FROM_INTERFACE = 26,
    VIR_FROM_SECRET = 30,
    VIR_FROM_NWFILTER = 33,
    VIR_FROM_DOMAIN_SNAPSHOT = 35,
    VIR_FROM_STREAMS = 38,
    VIR_FROM_ADMIN = 62,
    VIR_FROM_DOMAIN_CHECKPOINT = 69,
};

// virErrorLevel
enum VirtErrorLevel : int {
    VIR_ERR_NONE = 0,
    VIR_ERR_WARNING = 1,
    VIR_ERR_ERROR = 2,
};

struct VirtError {
    int code = VIR_ERR_INTERNAL_ERROR;
    int domain = VIR_FROM_RPC;
    int level = VIR_ERR_ERROR;
    std::string message;

    friend bool operator==(const VirtError&, const VirtError&) = default;
};

// Makes an error as libvirt does: the meaning of `code`, a colon, and the detail ("Domain not
// found: no domain with …"). With an empty detail it is the meaning alone; for VIR_ERR_RPC and a
// few others it is the detail alone.
VirtError virt_error(int code, int domain, std::string_view detail);
// "Domain not found"; empty for codes without a text, and for unknown ones.
std::string_view meaning_of(int code);

// The domain of an error that a function of libvirt's API ("virDomainCreate") is denied or not
// supported: the part of the library it belongs to.
int domain_of_function(std::string_view function);

// Writes the body; false if there is no memory. A message longer than libvirt accepts is cut.
bool put_error(xdr::Writer& out, const VirtError& error);
// Nothing if the bytes are not a virNetMessageError.
std::optional<VirtError> open_error(ByteView body);

// Whether libvirt's clients take this as "the server is older than I am" and try another call.
bool says_unknown_procedure(const VirtError& error);

}  // namespace helio::virt
