#!/usr/bin/env python3
"""helio template: JSON that is valid as it stands.

Usage: template_test.py PATH_TO_HELIO
"""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from peer_server import SCHEMA, PeerServer, run  # noqa: E402
from serve_server import Server  # noqa: E402

HELIO = ""


class Template(unittest.TestCase):
    def test_arguments_to_fill_in(self):
        code, out, err = run(HELIO, "template", "nfs3.READ")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out), {"file": {"data": ""}, "offset": 0, "count": 0})
        self.assertEqual(run(HELIO, "template", "nfs3.NULL")[:2], (0, "null\n"))

    def test_it_can_be_sent(self):
        with PeerServer(HELIO) as peer:
            for name in ("peer.TURN", "peer.ADD", "peer.ECHO", "peer.WHO"):
                _, template, _ = run(HELIO, "template", "--schema", SCHEMA, name)
                code, _, err = run(HELIO, "call", "--schema", SCHEMA, peer.tcp, name, template)
                self.assertEqual((code, err), (0, ""), name)

    def test_operations(self):
        code, out, err = run(HELIO, "template", "nfs4.COMPOUND", "SEQUENCE", "putrootfh", "OP_GETATTR")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual([one["argop"] for one in json.loads(out)["argarray"]],
                         ["OP_SEQUENCE", "OP_PUTROOTFH", "OP_GETATTR"])
        for name in ("nfs4.ACCESS", "ACCESS4args"):
            self.assertEqual(run(HELIO, "template", name)[0], 0, name)
        self.assertEqual(json.loads(run(HELIO, "template", "nfs4.ACCESS")[1]),
                         {"argop": "OP_ACCESS", "opaccess": {"access": ["ACCESS4_READ"]}})
        for name in ("nfs4_cb.RECALL", "nfs4_cb.CB_RECALL"):
            self.assertEqual(json.loads(run(HELIO, "template", name)[1])["argop"], "OP_CB_RECALL")

    def test_a_session_from_templates(self):
        """Only what the server and the session decide is filled in: minorversion and sizes are suggested."""
        def filled_in(number, *operations, **fields):
            arguments = json.loads(run(HELIO, "template", "nfs4.COMPOUND", *operations)[1])
            next(value for key, value in arguments["argarray"][0].items() if key != "argop").update(fields)
            code, out, err = run(HELIO, "call", f"127.0.0.1:{number}", "nfs4.COMPOUND", json.dumps(arguments))
            self.assertEqual((code, err), (0, ""), operations)
            result = json.loads(out)
            self.assertEqual(result["status"], "NFS4_OK", operations)
            return result["resarray"]

        with Server(HELIO, "memory:") as server:
            client = filled_in(server.port, "EXCHANGE_ID",
                               eia_clientowner={"co_verifier": "00" * 8, "co_ownerid": "6d65"})
            client = client[0]["opexchange_id"]["eir_resok4"]
            made = filled_in(server.port, "CREATE_SESSION", csa_clientid=client["eir_clientid"],
                             csa_sequence=client["eir_sequenceid"])
            session = made[0]["opcreate_session"]["csr_resok4"]["csr_sessionid"]
            done = filled_in(server.port, "SEQUENCE", "PUTROOTFH", "GETATTR", sa_sessionid=session)
            self.assertEqual([one["resop"] for one in done], ["OP_SEQUENCE", "OP_PUTROOTFH", "OP_GETATTR"])

    def test_misuse_of_operations(self):
        for arguments, says in ((("nfs4.COMPOUND", "SEQUENC"), "did you mean 'SEQUENCE'?"),
                                (("nfs3.READ", "SEQUENCE"), "nfs3.READ carries no operations"),
                                (("nfs4.OPEM",), "has no procedure 'OPEM'")):
            code, out, err = run(HELIO, "template", *arguments)
            self.assertEqual((code, out), (2, ""), arguments)
            self.assertIn(says, err)

    def test_misuse(self):
        code, out, err = run(HELIO, "template", "nfs3.REED")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("did you mean 'READ'?", err)
        self.assertEqual(run(HELIO, "template")[0], 2)


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
