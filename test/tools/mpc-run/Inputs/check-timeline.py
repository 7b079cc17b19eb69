"""Compares a timeline with the facts of its program (mpc-run info --json).

usage: check-timeline.py TIMELINE FACTS [COPY-RATE PRODUCT-RATE]: the rates that predictions are of, if they were given.
"""
import json
import sys

timeline = json.load(open(sys.argv[1]))
events = timeline["traceEvents"]
if len(sys.argv) > 3:
    copy, product = map(float, sys.argv[3:])
else:  # as it says itself
    copy = timeline["otherData"]["copy_gb_per_s"]
    product = timeline["otherData"]["product_gflop_per_s_f32"]
    assert "measured at the start" in timeline["otherData"]["rates"], timeline["otherData"]
facts = json.load(open(sys.argv[2]))
records = {e["name"]: e["records"] for e in facts["entries"]}["step"]
timed = [e for e in events if e["ph"] == "X"]
runs = [e for e in timed if e["cat"] == "run"]
for run in runs:
    first = timed.index(run) + 1
    own = timed[first:first + len(records)]
    assert [e["args"]["record"] for e in own] == list(range(len(records)))
    end = run["ts"]
    for event, record in zip(own, records):
        assert event["cat"] == record["kind"] and event["name"] == record["name"], event
        assert event["args"].get("kernel") == record.get("kernel"), event
        assert abs(event["ts"] - end) < 0.01 and event["dur"] >= 0, event
        end = event["ts"] + event["dur"]
        moves = not record["kind"].startswith("all_reduce")  # which is the ranks' matter
        assert (event["args"]["bytes_written"] > 0) == ("gb_per_s" in event["args"]) == moves, event
        bytes_moved = event["args"]["bytes_read"] + event["args"]["bytes_written"]
        expected = max(bytes_moved / copy, event["args"].get("flops", 0) / product) * 1e-3
        assert ("predicted_us" in event["args"]) == moves, event
        if moves:
            assert abs(event["args"]["predicted_us"] / expected - 1) < 1e-6, event
            assert abs(event["args"]["ratio"] * expected - max(event["dur"], 1e-3)) < 1e-6 * max(1, event["dur"]), event
        assert ("flops" in event["args"]) == (record["kind"] == "matmul"), event
        assert event["args"].get("line", "").startswith("overflow.mlir:") or " at " not in event["name"], event
    assert abs(end - (run["ts"] + run["dur"])) < 0.01
assert len(timed) == len(runs) * (len(records) + 1)
print(", ".join(run["name"] for run in runs) + ": every record, in turn, within its step")
