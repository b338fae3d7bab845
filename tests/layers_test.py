#!/usr/bin/env python3
"""tools/draw_layers.py on small trees made for it: what it must let pass and what it must catch."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent.parent / "tools" / "draw_layers.py"


def check(files, *words):
    """Runs the tool over a tree of {path: text}; returns (exit status, stdout, stderr)."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            file = Path(root) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        run = subprocess.run([sys.executable, TOOL, "--root", root, *(words or ["--check"])],
                             capture_output=True, text=True)
        return run.returncode, run.stdout, run.stderr


class Layers(unittest.TestCase):
    def assert_caught(self, files, words):
        status, _, errors = check(files)
        self.assertEqual(status, 1, files)
        self.assertIn(words, errors)

    def test_arrows_of_the_table_pass(self):
        status, drawn, errors = check({
            "helio/xdr/reader.h": '#include <vector>\n#include "helio/base/bytes.h"\n',
            "helio/reflect/decode.cc": '#include "helio/idl/schema.h"\n#include "helio/xdr/reader.h"\n',
            "cli/schema/xdr.cc": '#include "helio/reflect/decode.h"\n#include "schema/nfs3.h"\n',
        })
        self.assertEqual((status, errors), (0, ""))
        self.assertRegex(drawn, r"reflect +-> xdr \(1\), idl \(1\)")

    def test_a_reversed_arrow_is_named_with_its_line(self):
        self.assert_caught({"helio/base/bytes.h": '\n#include "helio/xdr/reader.h"\n'},
                           "helio/base/bytes.h:2: base must not reach xdr; the arrow is xdr -> base")

    def test_the_parser_stays_free_of_the_wire(self):
        self.assert_caught({"helio/idl/parse.cc": '#include "helio/xdr/reader.h"\n'}, "idl must not reach xdr")

    def test_nothing_includes_the_command_line_not_even_a_test(self):
        self.assert_caught({"helio/gen/cpp_test.cc": '#include "cli/command.h"\n'}, "nothing includes")

    def test_a_test_beside_the_code_may_reach_further(self):
        status, _, _ = check({"helio/xdr/reader_test.cc": '#include "schema/nfs3.h"\n'})
        self.assertEqual(status, 0)

    def test_generated_code_needs_the_wire_only(self):
        self.assert_caught({"tests/generated_code/golden/a.h": '#include "helio/reflect/tree.h"\n'},
                           "schema must not reach reflect")

    def test_a_link_counts_as_an_arrow(self):
        self.assert_caught(
            {"helio/xdr/CMakeLists.txt": "helio_library(xdr SOURCES a.cc\n  DEPS helio::base helio::idl)\n"},
            "xdr must not reach idl")

    def test_a_new_folder_asks_for_its_line(self):
        self.assert_caught({"helio/lock/manager.cc": "\n"}, "helio/lock: a new layer")

    def test_libraries_of_others_stay_where_they_are_known(self):
        self.assert_caught({"helio/xdr/reader.cc": "#include <boost/json.hpp>\n"}, "not for xdr")
        self.assert_caught({"helio/reflect/json/json.h": "#include <boost/json.hpp>\n"}, "public header")

    def test_only_transport_knows_sockets(self):
        for header in ("sys/socket.h", "sys/un.h", "sys/epoll.h", "sys/eventfd.h", "sys/signalfd.h", "sys/timerfd.h",
                       "netinet/in.h", "netinet/tcp.h", "netdb.h", "ifaddrs.h", "net/if.h"):
            text = f"#include <{header}>\n"
            for place in ("helio/serve/notify.cc", "helio/rpc/call.cc", "helio/base/fd.h", "cli/ping.cc"):
                self.assert_caught({place: text}, f"{place}:1: <{header}> is for transport")
            status, _, errors = check({"helio/transport/stream/stream.cc": text, "helio/transport/rdma/link.cc": text,
                                       "helio/serve/monitor/http_test.cc": text, "testing/virt/scripted_daemon.h": text,
                                       "helio/virt/client/connection_fuzz.cc": text})
            self.assertEqual((status, errors), (0, ""))
        self.assert_caught({"helio/transport/stream/stream.h": "#include <sys/epoll.h>\n"}, "public header")

    def test_text_of_addresses_has_one_home(self):
        for place in ("helio/transport/socket/endpoint.cc", "helio/nfs/server/network.cc"):
            self.assert_caught({place: "#include <arpa/inet.h>\n"}, "<arpa/inet.h> is for base")

    def test_mermaid(self):
        _, drawn, _ = check({"helio/xdr/reader.h": '#include "helio/base/bytes.h"\n'}, "--mermaid")
        self.assertIn("xdr --> base", drawn)


if __name__ == "__main__":
    unittest.main()
