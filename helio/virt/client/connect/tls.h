// TLS for clients, by GnuTLS, which libvirt's own programs use: the same files, the same words for
// priorities. It knows no sockets: bytes that came go in, bytes to send come out. Once the daemon
// has taken our certificate it is the Layer of a connection. Where the library was built without
// it, make() says so.
//
//     client                                            daemon
//       |  <-- handshake, with the certificates of both -->  |
//       |  <-- one byte, 1: it has taken ours -------------  |
//       |  --- AUTH_LIST ... ----------------------------->  |
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "helio/base/fd.h"
#include "helio/base/result.h"
#include "helio/base/task.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/transport/socket/socket.h"
#include "helio/transport/stream/layer.h"
#include "helio/virt/client/failure.h"

namespace helio::virt {

// PEM, where libvirt has them. Only the authority has to be there.
struct TlsFiles {
    std::string authority;    // cacert.pem
    std::string revoked;      // cacrl.pem, or empty
    std::string certificate;  // clientcert.pem, or empty: many daemons then say no
    std::string key;          // clientkey.pem
};
// In this folder, if one is named. Else of the user (~/.pki/libvirt, not for the superuser), and
// what is not there of the system (/etc/pki).
TlsFiles find_tls_files(const std::string& folder);

class Tls : public transport::Layer {
 public:
    struct Options {
        TlsFiles files;
        std::string host;      // whom the daemon's certificate has to be for
        bool verifies = true;  // else any certificate will do
        std::string priority;  // GnuTLS's words for versions and ciphers; empty: its own choice
    };
    static Result<std::unique_ptr<Tls>, std::string> make(const Options& options);

    // The next step of the handshake. `out` is to be sent in any case; true when it is done.
    virtual Result<bool, std::string> shake_hands(ByteView wire, std::vector<std::byte>& out) = 0;
    // After decode() said no.
    virtual std::string why() const = 0;
};

struct TlsStream {
    Fd socket;
    std::unique_ptr<transport::Layer> layer;
};
// Connects to the first of these that answers, and waits until the daemon has taken our
// certificate. All of it has to happen within `timeout`; a task that is let go closes the socket.
Task<Result<TlsStream, Failure>> connect_tls(transport::EventLoop& loop,
                                             std::vector<transport::Endpoint> servers,
                                             Tls::Options options,
                                             std::chrono::milliseconds timeout);

}  // namespace helio::virt
