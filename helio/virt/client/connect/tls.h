// TLS for clients, by GnuTLS, like libvirt's own programs: the same files and priority strings. It
// does no I/O: received bytes go in, bytes to send come out. Once the daemon has accepted our
// certificate it is the Layer of a connection. In a build without TLS, make() returns an error.
//
//     client                                            daemon
//       |  <-- handshake, with the certificates of both -->  |
//       |  <-- one byte, 1: it has accepted ours ----------  |
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

// PEM files in libvirt's locations. Only the authority is required.
struct TlsFiles {
    std::string authority;    // cacert.pem
    std::string revoked;      // cacrl.pem, or empty
    std::string certificate;  // clientcert.pem, or empty: many daemons then refuse
    std::string key;          // clientkey.pem
};
// In this folder, if given. Otherwise the user's (~/.pki/libvirt, except for root), and the
// system's (/etc/pki) for files missing there.
TlsFiles find_tls_files(const std::string& folder);

class Tls : public transport::Layer {
 public:
    struct Options {
        TlsFiles files;
        std::string host;      // that the daemon's certificate must be for
        bool verifies = true;  // otherwise any certificate is accepted
        std::string priority;  // a GnuTLS priority string; empty: the default
    };
    static Result<std::unique_ptr<Tls>, std::string> make(const Options& options);

    // The next step of the handshake. Always send `out`; true when it is done.
    virtual Result<bool, std::string> shake_hands(ByteView wire, std::vector<std::byte>& out) = 0;
    // After decode() failed.
    virtual std::string why() const = 0;
};

struct TlsStream {
    Fd socket;
    std::unique_ptr<transport::Layer> layer;
};
// Connects to the first server that answers, and waits until the daemon has accepted our
// certificate, all within `timeout`. Destroying the task closes the socket.
Task<Result<TlsStream, Failure>> connect_tls(transport::EventLoop& loop,
                                             std::vector<transport::Endpoint> servers,
                                             Tls::Options options,
                                             std::chrono::milliseconds timeout);

}  // namespace helio::virt
