"""Checks the tracks of ranks in a timeline: check-buckets.py TRACE RANKS BYTES

Every rank has the same buckets in each step, of BYTES together; they travel one after the other, at the same time on
all ranks, and lie in the step, behind where they were ready.
"""
import collections
import json
import sys

path, ranks, total = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
events = json.load(open(path))["traceEvents"]
names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
assert [names[2 + r] for r in range(ranks)] == [f"all-reduces of rank {r}" for r in range(ranks)], names
runs = {int(e["name"].split()[1]): e for e in events if e.get("cat") == "run"}
buckets = collections.defaultdict(list)
for event in events:
    if event.get("tid", 0) > 1 and event["ph"] == "X":
        buckets[event["args"]["step"], event["tid"] - 2].append(event)
assert sorted(buckets) == [(step, rank) for step in sorted(runs) for rank in range(ranks)], sorted(buckets)
for (step, rank), own in buckets.items():
    assert [e["name"] for e in own] == [f"bucket {i + 1}" for i in range(len(own))]
    assert sum(e["args"]["bytes"] for e in own) == total, [e["args"]["bytes"] for e in own]
    for event, first in zip(own, buckets[step, 0]):
        assert event["args"]["bytes"] == first["args"]["bytes"]
        # An all-reduce ends nowhere before it has begun everywhere: clocks agree to what a barrier takes.
        assert event["ts"] + event["dur"] > first["ts"] - 500, (event, first)
    for before, event in zip(own, own[1:]):
        assert event["ts"] >= before["ts"] + before["dur"] - 0.01, (before, event)
    if rank == 0:
        run = runs[step]
        for event in own:
            assert event["args"]["waited_us"] >= 0 and event["args"]["exposed_us"] >= 0
            assert run["ts"] <= event["ts"] - event["args"]["waited_us"] + 0.01, (run, event)
            assert event["ts"] + event["dur"] <= run["ts"] + run["dur"] + 0.01, (run, event)
print(f"{len(runs)} steps, {len(buckets[max(buckets)])} buckets each")
