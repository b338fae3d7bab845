#!/usr/bin/env python3
"""draw_layers.py [--mermaid | --check] [--root DIR]: the real #include graph between folders.

Without arguments, a table: each layer, what it includes, how many includes make the arrow. --mermaid is the
same as a diagram. --check exits 1 when an include, or a DEPS of a helio_library(), goes where
ALLOWED has no arrow, and says at which line.

Tests, fuzz targets and benchmarks beside the code are in no library and may include what they like
(sockets too), except the command line; only they include testing/. Generated code is included as "schema/NAME.h"; what it includes itself is
read from the golden files.
"""

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path

# The one-way rule. An arrow that is not here does not exist; a new folder starts with a line here.
# Order is bottom to top.
ALLOWED = {
    "base": [],
    "xdr": ["base"],
    "idl": ["base"],
    "gen": ["base", "idl"],
    "schema": ["base", "xdr"],  # generated code: its users link only the wire's helpers
    "builtin": ["base", "idl"],  # schema/builtin: the texts of our own schemas, for run time
    "reflect": ["base", "idl", "xdr"],
    "frame": ["base", "xdr"],  # bytes to messages, no I/O
    "rpc": ["base", "xdr", "frame", "schema"],  # envelopes, sessions, the server core; no I/O
    "transport": ["base", "xdr", "frame", "rpc", "schema"],  # the only one that uses sockets
    "portmap": ["base", "xdr", "rpc", "transport", "schema"],
    "load": ["base", "xdr", "frame", "rpc", "transport", "portmap", "idl", "reflect", "schema"],
    # captures and dumps; schemas are passed in, and only its pipeline knows the built-in ones
    "inspect": ["base", "xdr", "idl", "builtin", "reflect", "frame", "rpc", "schema"],
    "vfs": ["base"],  # file systems, independent of any protocol
    "backend": ["base", "vfs"],  # the file systems: strangers to each other and to NFS
    "nfs": ["base", "xdr", "rpc", "transport", "portmap", "vfs", "schema"],
    "serve": ["base", "xdr", "rpc", "transport", "portmap", "vfs", "backend", "nfs", "schema"],  # helio serve
    "virt": ["base", "xdr", "frame", "rpc", "transport", "schema", "reflect"],  # libvirt: client, host, daemon, relay
    "cli": ["base", "xdr", "idl", "gen", "schema", "builtin", "reflect", "frame", "rpc", "transport", "portmap",
            "load", "inspect", "vfs", "nfs", "serve", "virt"],  # everything; nothing includes cli
}

# Third-party headers, and the layers that may include them; in one of our headers only if marked,
# since everyone who includes that would need the library too.
FOREIGN = {
    # The system's: sockets, and what waits for them. Everybody else uses Stream, Listener, Endpoint and
    # EventLoop. poll.h is not among them: pipes and files under /proc are polled too.
    "sys/socket.h": {"layers": ["transport"], "header": True},
    "sys/un.h": {"layers": ["transport"], "header": True},
    "netinet/": {"layers": ["transport"], "header": True},
    "netdb.h": {"layers": ["transport"], "header": False},
    "ifaddrs.h": {"layers": ["transport"], "header": False},
    "net/if.h": {"layers": ["transport"], "header": False},
    "sys/epoll.h": {"layers": ["transport"], "header": False},
    "sys/eventfd.h": {"layers": ["transport"], "header": False},
    "sys/signalfd.h": {"layers": ["transport"], "header": False},
    "sys/timerfd.h": {"layers": ["transport"], "header": False},
    "arpa/": {"layers": ["base"], "header": False},  # base/ip_address.h: addresses as text
    # Libraries.
    "tl/": {"layers": ["base"], "header": True},  # Result<T>
    "fmt/": {"layers": ["base", "xdr", "idl", "gen", "reflect", "frame", "rpc", "transport", "portmap", "load", "inspect",
                        "nfs", "serve", "virt", "cli"],
             "header": False},
    "toml++/": {"layers": ["base"], "header": True},  # base/toml.h: configuration files
    "re2/": {"layers": ["inspect"], "folder": "helio/inspect/view/filter/", "header": False},
    "boost/unordered/": {"layers": ["backend", "inspect"], "header": False},  # hash tables
    "boost/json": {"layers": ["reflect"], "header": False},
    "CLI/": {"layers": ["cli"], "header": True},
    "pcap/": {"layers": ["cli"], "header": False},  # live capture
    "pugixml": {"layers": ["virt"], "folder": "helio/virt/host/", "header": True},  # libvirt's XML
    "sasl/": {"layers": ["virt"], "header": False},
    "gnutls/": {"layers": ["virt"], "folder": "helio/virt/client/", "header": False},
    # RDMA devices: one folder, a separate library, so that others need not link them.
    "rdma/": {"layers": ["transport"], "folder": "helio/transport/rdma/verbs/", "header": False},
    "infiniband/": {"layers": ["transport"], "folder": "helio/transport/rdma/verbs/", "header": False},
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')
LIBRARY = re.compile(r"helio_library\s*\(\s*(\w+)([^)]*)\)")
BESIDE = re.compile(r"_(test|fuzz|bench)\.(cc|h)$")


def layer_of(path):
    """The layer a repository path belongs to, or None: tests/, bench/ and others' headers."""
    parts = path.split("/")
    if parts[0] == "helio" and len(parts) > 2:
        return parts[1]
    if path.startswith("schema/builtin"):
        return "builtin"
    if parts[0] in ("cli", "schema"):
        return parts[0]
    return None


class Graph:
    def __init__(self):
        self.arrows = defaultdict(int)  # (from, to) -> number of includes
        self.layers = set()
        self.faults = []

    def arrow(self, source, target, place):
        self.layers.update((source, target))
        if source == target:
            return
        self.arrows[source, target] += 1
        if source not in ALLOWED:
            self.faults.append(f"{place}: layer '{source}' is not in ALLOWED of {Path(__file__).name}")
        elif target not in ALLOWED[source]:
            self.faults.append(f"{place}: {source} must not reach {target}{hint(source, target)}")


def hint(source, target):
    if target == "cli":
        return "; nothing includes the command line"
    if source in ALLOWED.get(target, []):
        return f"; the arrow is {target} -> {source}, and arrows never turn round"
    allowed = ", ".join(ALLOWED.get(source, [])) or "nothing"
    return f"; it may reach {allowed}"


def read_source(graph, root, path, layer):
    beside = BESIDE.search(path)
    for number, line in enumerate((root / path).read_text("utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        name, place = match[1] or match[2], f"{path}:{number}"
        target = layer_of(name)
        if target == "cli" and layer != "cli":
            graph.faults.append(f"{place}: {layer} must not reach cli; nothing includes the command line")
        elif name.startswith("testing/") and not beside:
            graph.faults.append(f"{place}: {layer} must not reach testing; only tests and fuzz targets do")
        elif target and not beside:
            graph.arrow(layer, target, place)
        elif not beside:
            read_foreign(graph, path, layer, name, place)


def read_foreign(graph, path, layer, name, place):
    for prefix, rule in FOREIGN.items():
        if not name.startswith(prefix):
            continue
        if layer not in rule["layers"]:
            graph.faults.append(f"{place}: <{name}> is for {', '.join(rule['layers'])}, not for {layer}")
        elif not path.startswith(rule.get("folder", "")):
            graph.faults.append(f"{place}: <{name}> is for {rule['folder']} only")
        elif path.endswith(".h") and not rule["header"] and not path.endswith("_internal.h"):
            graph.faults.append(f"{place}: <{name}> must not show in a public header")


def libraries_of(root, path):
    """(name, its text, line) of each helio_library() in a CMakeLists.txt."""
    text = re.sub(r"#.*", "", (root / path).read_text("utf-8"))
    return [(match[1], match[2], text.count("\n", 0, match.start()) + 1) for match in LIBRARY.finditer(text)]


def read_links(graph, root):
    """The link graph is the layer diagram too. A folder may have several libraries."""
    paths = [path.relative_to(root).as_posix() for top in ("helio", "schema")
             for name in ("CMakeLists.txt", "*.cmake") for path in sorted((root / top).rglob(name))]
    layer_of_library = {}
    for path in paths:
        for name, _, _ in libraries_of(root, path):
            layer_of_library[name] = name if name in ALLOWED else layer_of(path)
    for path in paths:
        for name, text, line in libraries_of(root, path):
            for target in re.findall(r"helio::(\w+)", text):
                target = "schema" if target.startswith("schema") else layer_of_library.get(target, target)
                graph.arrow(layer_of_library[name], target, f"{path}:{line}")


def read_tree(root):
    graph = Graph()
    read_links(graph, root)
    for top in ("helio", "schema", "cli", "tests"):
        for file in sorted((root / top).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix not in (".cc", ".h"):
                continue
            elif "/golden/" in path:
                read_source(graph, root, path, "schema")
            elif top != "tests":
                graph.layers.add(layer_of(path))
                read_source(graph, root, path, layer_of(path))
    for layer in sorted(graph.layers - set(ALLOWED)):
        graph.faults.append(f"helio/{layer}: a new layer; give it a line in ALLOWED of tools/draw_layers.py")
    return graph


def in_order(names):
    order = list(ALLOWED)
    return sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name))


def draw_text(graph):
    lines = []
    for layer in in_order(graph.layers):
        targets = in_order(target for source, target in graph.arrows if source == layer)
        drawn = ", ".join(f"{target} ({graph.arrows[layer, target]})" for target in targets)
        lines.append(f"{layer:10} -> {drawn or '(nothing)'}")
    return "\n".join(lines)


def draw_mermaid(graph):
    lines = ["graph BT"]
    for layer in in_order(graph.layers):
        lines.append(f"    {layer}")
        for target in in_order(target for source, target in graph.arrows if source == layer):
            lines.append(f"    {layer} --> {target}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit 1 when an arrow is not allowed")
    parser.add_argument("--mermaid", action="store_true", help="draw a diagram instead of a table")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    graph = read_tree(arguments.root)
    print(draw_mermaid(graph) if arguments.mermaid else draw_text(graph))
    if arguments.check and graph.faults:
        print("\n".join(graph.faults), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
