#include "helio/virt/client/connect/uri.h"

#include <gtest/gtest.h>

#include "helio/virt/client/events.h"
#include "helio/virt/client/objects.h"
#include "helio/virt/wire/programs.h"
#include "testing/virt/scripted_daemon.h"

namespace helio::virt::uri_test {
namespace {

struct UriCase {
    const char* text;
    Uri::Transport transport;
    const char* host;
    std::uint16_t port;
    const char* name;
    const char* socket;
};

TEST(Uri, Parts) {
    using Transport = Uri::Transport;
    const UriCase cases[] = {
        {"qemu:///system", Transport::unix_socket, "", 0, "qemu:///system", ""},
        {"test+unix:///default?socket=/tmp/a%20b", Transport::unix_socket, "", 0, "test:///default",
         "/tmp/a b"},
        {"test+unix:///a/node.xml?socket=/s&x=1&mode=legacy&y=2", Transport::unix_socket, "", 0,
         "test:///a/node.xml?x=1&y=2", "/s"},
        {"qemu+tcp://host/system", Transport::tcp, "host", 16509, "qemu:///system", ""},
        {"qemu+tcp://[::1]:99/system", Transport::tcp, "::1", 99, "qemu:///system", ""},
        {"qemu+ssh://me@host:22/session?name=qemu:///other", Transport::ssh, "host", 22,
         "qemu:///other", ""},
        {"remote+tcp://host", Transport::tcp, "host", 16509, "", ""},
        {"qemu://host/system", Transport::tls, "host", 16514, "qemu:///system", ""},
        {"test+tls://host:9/default?pkipath=/p&no_verify=1&tls_priority=NORMAL&z=1", Transport::tls,
         "host", 9, "test:///default?z=1", ""},
        {"qemu+tls:///system", Transport::tls, "localhost", 16514, "qemu:///system", ""},
    };
    for (const UriCase& one : cases) {
        const auto uri = parse_uri(one.text);
        ASSERT_TRUE(uri) << one.text << ": " << uri.error();
        EXPECT_EQ(uri->transport, one.transport) << one.text;
        EXPECT_EQ(uri->host, one.host) << one.text;
        EXPECT_EQ(uri->port, one.port) << one.text;
        EXPECT_EQ(uri->name, one.name) << one.text;
        EXPECT_EQ(uri->socket, one.socket) << one.text;
    }
    EXPECT_EQ(parse_uri("qemu+ssh://me@host/system")->user, "me");
    const auto tls =
        parse_uri("qemu+tls://host/system?pkipath=/p%20q&no_verify=1&tls_priority=A:-B");
    EXPECT_EQ(tls->pki_folder, "/p q");
    EXPECT_EQ(tls->tls_priority, "A:-B");
    EXPECT_TRUE(tls->no_verify);
    EXPECT_FALSE(parse_uri("qemu+tls://host/system?no_verify=0")->no_verify);
}

TEST(Uri, Refused) {
    for (const char* const text :
         {"", "qemu", "://x", "qemu+telepathy://host/system", "qemu+ssh://-oProxyCommand=x/system",
          "qemu+ssh://-l@host/", "qemu+tcp://host:99999/"})
        EXPECT_FALSE(parse_uri(text)) << text;
}

TEST(Uuid, TextAndBack) {
    Uuid uuid;
    const std::string text = "6695eb01-f6a4-8304-79aa-97f2502e193f";
    ASSERT_TRUE(parse_uuid(text, uuid));
    EXPECT_EQ(to_text(uuid), text);
    ASSERT_TRUE(parse_uuid("6695EB01f6a4830479aa97f2502e193f", uuid));
    EXPECT_EQ(to_text(uuid), text);
    EXPECT_FALSE(parse_uuid("6695eb01-f6a4-8304-79aa-97f2502e193", uuid));
    EXPECT_FALSE(parse_uuid("6695eb01-f6a4-8304-79aa-97f2502e193f0", uuid));
    EXPECT_FALSE(parse_uuid("test", uuid));
}

// REMOTE_PROC_DOMAIN_EVENT_CALLBACK_LIFECYCLE: callback 3, domain "vm" 7, started, booted.
TEST(Events, Lifecycle) {
    Event event;
    event.program = kRemoteProgram;
    event.procedure = 318;
    event.payload =
        words({3, 2, 0x766d0000, 0x6695eb01, 0xf6a48304, 0x79aa97f2, 0x502e193f, 7, 2, 0});
    const auto change = lifecycle_of(event);
    ASSERT_TRUE(change);
    EXPECT_EQ(change->callback, 3);
    EXPECT_EQ(change->domain.name, "vm");
    EXPECT_EQ(to_text(change->domain.uuid), "6695eb01-f6a4-8304-79aa-97f2502e193f");
    EXPECT_EQ(lifecycle_name(change->event), "Started");
    EXPECT_EQ(lifecycle_detail(change->event, change->detail), "Booted");
    event.payload.resize(20);
    EXPECT_FALSE(lifecycle_of(event));
    EXPECT_EQ(lifecycle_detail(2, 99), "unknown");
    EXPECT_EQ(lifecycle_name(-1), "unknown");
}

}  // namespace
}  // namespace helio::virt::uri_test
