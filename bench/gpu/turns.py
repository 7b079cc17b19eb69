"""Times several peers in turns, so that their ratios come from one run.

A peer is a function of seconds that runs for about that long and returns the
seconds of one run of what it times. A program that answers 'run NAME SECONDS'
(program-steps, program-kernels, kernels-check) is a source of peers.
"""
import json
import math
import random
import statistics
import subprocess
import sys


class Served:
    """A program that takes turns with this one."""

    def __init__(self, command):
        self.command = command
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        text = self.process.stdout.readline()
        if not text:
            code = self.process.wait()
            print(f"{self.command[0]} ended with exit code {code}", file=sys.stderr)
            sys.exit(3 if code == 3 else 1)
        reply = json.loads(text)
        if "error" in reply:
            sys.exit(f"{self.command[0]}: {reply['error']}")
        return reply

    def names(self):
        return self.ask("list")["names"]

    def peer(self, name):
        return lambda seconds: self.ask(f"run {name} {seconds}")["seconds"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ratio_interval(slow, fast, confidence=0.95, draws=1000):
    """Bootstrap interval of median(slow) / median(fast)."""
    generator = random.Random(1)

    def median(samples):
        return statistics.median(generator.choices(samples, k=len(samples)))

    ratios = sorted(median(slow) / median(fast) for _ in range(draws))
    edge = (1 - confidence) / 2
    return ratios[int(edge * draws)], ratios[math.ceil((1 - edge) * draws) - 1]


def take_turns(peers, rounds, seconds):
    """Samples of each peer: {name: [seconds of a run]}. One round warms up."""
    samples = {name: [] for name in peers}
    for number in range(-1, rounds):
        for name, peer in peers.items():
            sample = peer(seconds)
            if number >= 0:
                samples[name].append(sample)
    return samples


def compare(title, peers, rounds=10, seconds=0.3, more=None):
    """Prints a line of JSON: the median of each peer in microseconds, and how
    many times the first peer is faster than each other one, with the interval.
    A peer called "copy" is a measure, not a rival.
    """
    samples = take_turns(peers, rounds, seconds)
    first = next(iter(peers))
    row = {"benchmark": title}
    for name in peers:
        row[f"{name} us"] = round(1e6 * statistics.median(samples[name]), 3)
    for name in list(peers)[1:]:
        if name == "copy":
            continue
        low, high = ratio_interval(samples[name], samples[first])
        ratio = statistics.median(samples[name]) / statistics.median(samples[first])
        row[f"over {name}"] = f"{ratio:.2f} [{low:.2f}, {high:.2f}]"
    row |= more(samples) if more else {}
    print(json.dumps(row), flush=True)
    return samples


def add_peer(peers, name, make):
    """peers[name] = make(), which has run once then; or a line that says why
    there is no such peer: the others are compared all the same."""
    try:
        peer = make()
        peer(0.0)
        peers[name] = peer
    except Exception as error:  # whatever a library of the peer may throw
        why = (str(error).strip().splitlines() or [type(error).__name__])[0]
        print(json.dumps({"missing peer": name, "why": why[:200]}), flush=True)


def add_options(parser, rounds=10, seconds=0.3):
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--seconds", type=float, default=seconds, help="of each sample")
