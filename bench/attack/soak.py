"""bench/attack/run --soak: attackers in random mixtures at a moderate rate, for an hour or so. Does the server keep its size?

Every ten seconds the server's memory and descriptors and the victim's p99 are written to soak.csv; soak.svg is a curve of each.
"""
import contextlib
import csv
import random
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "attack"), str(ROOT / "tests")]
import export  # noqa: E402
import frozen  # noqa: E402
import measure  # noqa: E402
import targets  # noqa: E402
import victims  # noqa: E402
from attackers import ATTACKS  # noqa: E402
from process import Attacker, descriptors, resident_bytes  # noqa: E402

MIB = 1 << 20
SAMPLE_S = 10
RATE = 500  # calls or connections per second, of each attacker
MIXTURE_S = (5, 30)
ATTACKERS_MAX = 3
WARM_UP_SHARE = 0.1  # caches fill, and that is no leak
GROWTH_MAX = 1.1
SAMPLES_MIN = 15  # fewer depend on which attackers came first
COLUMNS = ("seconds", "rss_mib", "descriptors", "victim_p99_ms", "attackers")
CURVES = (("rss_mib", "memory, MiB", "#1f5fa8"), ("descriptors", "descriptors", "#2f8f4e"),
          ("victim_p99_ms", "p99 of the victim, ms", "#b3541e"))
WIDTH, HEIGHT, MARGIN = 900, 180, 60


class Mixtures:
    """The attackers of the moment, chosen anew every few seconds."""

    def __init__(self, server, second, seed):
        self.server, self.second, self.random = server, second, random.Random(seed)
        self.names = [name for name in ATTACKS if second or name != "frozen_export"]
        self.running, self.until = [], 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        if self.second and self.second.frozen:
            self.second.thaw()
        for attacker in self.running:
            attacker.quit()
            attacker.__exit__()
        self.running = []

    def turn(self):
        if time.monotonic() < self.until:
            return
        self.end()
        for name in self.random.sample(self.names, self.random.randint(0, ATTACKERS_MAX)):
            attacker = Attacker(name, self.server.port, export=self.server.path, second=self.server.second or "/", rate=RATE,
                                seed=self.random.getrandbits(31), niceness=measure.attacker_niceness())
            self.running.append(attacker.__enter__())
        if any(one.name == "frozen_export" for one in self.running):
            self.second.freeze()
        for attacker in self.running:
            attacker.go()
        self.until = time.monotonic() + self.random.uniform(*MIXTURE_S)


def sample(server, probe, mixtures, began, since):
    now = time.monotonic()
    p99 = probe.figures(since, now)["p99_ms"]
    return {"seconds": round(now - began), "rss_mib": round(resident_bytes(server.pid) / MIB, 1),
            "descriptors": descriptors(server.pid), "victim_p99_ms": round(p99, 2) if p99 is not None else None,
            "attackers": " ".join(one.name for one in mixtures.running)}


def curve(samples, column, title, color, top):
    points = [(one["seconds"], one[column]) for one in samples if one[column] is not None]
    end = max(samples[-1]["seconds"], 1)
    most = max((value for _, value in points), default=0) or 1
    line = " ".join(f"{MARGIN + x / end * (WIDTH - 2 * MARGIN):.1f},{top + HEIGHT - 30 - y / most * (HEIGHT - 60):.1f}"
                    for x, y in points)
    return (f'<text x="{MARGIN}" y="{top + 18}">{title}; highest {most:,.1f}</text>'
            f'<line x1="{MARGIN}" y1="{top + HEIGHT - 30}" x2="{WIDTH - MARGIN}" y2="{top + HEIGHT - 30}" stroke="#999"/>'
            f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.5"/>'
            f'<text x="{WIDTH - MARGIN}" y="{top + HEIGHT - 12}" text-anchor="end">{end / 60:.0f} min</text>')


def draw(samples):
    parts = [curve(samples, column, title, color, i * HEIGHT) for i, (column, title, color) in enumerate(CURVES)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT * len(CURVES)}" font-family="sans-serif" '
            f'font-size="13"><rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n')


def growth(samples):
    """Median of the last third over that of the first, after the caches have filled, while nobody attacks: what an attack takes
    depends on which one it is, what it leaves behind must not add up."""
    kept = [one["rss_mib"] for one in samples[int(len(samples) * WARM_UP_SHARE):] if not one["attackers"]]
    third = len(kept) // 3
    return statistics.median(kept[-third:]) / statistics.median(kept[:third]) if len(kept) >= SAMPLES_MIN else None


def collect(server, probe, mixtures, options, rows):
    samples, began = [], time.monotonic()
    last = began
    while time.monotonic() < began + options.soak * 60:
        mixtures.turn()
        time.sleep(0.2)
        if time.monotonic() >= last + SAMPLE_S:
            samples.append(sample(server, probe, mixtures, began, last))
            rows.writerow(samples[-1])
            last = time.monotonic()
            probe.calls = [call for call in probe.calls if call[0] >= last - SAMPLE_S]
    return samples


def run(options, folder):
    options.output.mkdir(parents=True, exist_ok=True)
    print(f"soak, {options.soak:g} minutes, seed {options.seed}", flush=True)
    with contextlib.ExitStack() as stack:
        second = None
        try:
            second = stack.enter_context(frozen.FileSystem())
        except frozen.NoFrozenFileSystem as why:
            print(f"without frozen_export: {why}")
        server = stack.enter_context(targets.helio(options.helio, folder, second and second.folder))
        stack.enter_context(export.KeptCold(folder))
        probe = stack.enter_context(victims.Probe(server))
        mixtures = stack.enter_context(Mixtures(server, second, options.seed))
        with open(options.output / "soak.csv", "w", newline="", buffering=1) as file:
            rows = csv.DictWriter(file, COLUMNS)
            rows.writeheader()
            samples = collect(server, probe, mixtures, options, rows)
        errors = list(probe.errors)
    if samples:
        (options.output / "soak.svg").write_text(draw(samples))
    ratio = growth(samples)
    flat = ratio is None or ratio <= GROWTH_MAX
    print(f"{len(samples)} samples in {options.output}/soak.csv, curves in soak.svg")
    print("too short to say whether memory grows" if ratio is None else
          f"{'PASS' if flat else 'MISS'}  memory between attacks, last third / first third {ratio:.2f}, allowed ≤ {GROWTH_MAX}")
    for error in errors:
        print(f"victim: {error}")
    return 0 if flat and not errors else 1
