"""Uses bench/gpu/turns.py; as 'serve' and 'absent', what it talks to."""
import random
import sys

if sys.argv[1] == "serve":
    replies = {"list": '{"names": ["a", "b"]}', "run a 0.5": '{"seconds": 0.25}'}
    for line in sys.stdin:
        print(replies.get(line.strip(), '{"error": "no such thing"}'), flush=True)
    sys.exit()
if sys.argv[1] == "absent":
    sys.exit(3)

sys.path.insert(0, sys.argv[1])
import turns

order = []


def peer(name, seconds_of_run):
    def run(seconds):
        order.append(name)
        return seconds_of_run

    return run


peers = {"ours": peer("ours", 2e-6), "peer": peer("peer", 6e-6), "copy": peer("copy", 4e-6)}
turns.compare("line", peers, 3, 0.1, lambda samples: {"of copy": samples["ours"][0] / samples["copy"][0]})
print("order:", *order)

generator = random.Random(3)
slow, fast = ([mean + generator.gauss(0, 0.1) for _ in range(20)] for mean in (4, 2))
low, high = turns.ratio_interval(slow, fast)
print("interval holds 2:", 1.8 < low < 2 < high < 2.2)



def broken():
    raise RuntimeError("no compiler\nat all")


turns.add_peer(peers, "broken", broken)
turns.add_peer(peers, "late", lambda: peer("late", 1e-6))
print("peers:", *peers)

served = turns.Served([sys.executable, __file__, "serve"])
print("served:", served.names(), served.peer("a")(0.5))
try:
    served.peer("c")(0.5)
except SystemExit as error:
    print("exit 1:", str(error).replace(sys.executable, __file__))
served.close()
try:
    turns.Served([sys.executable, __file__, "absent"]).names()
except SystemExit as error:
    print("exit", error.code)
