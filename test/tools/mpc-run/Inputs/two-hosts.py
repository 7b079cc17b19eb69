"""usage: two-hosts.py FOLDER MPC_RUN train PROGRAM OPTION...

Four ranks on two hosts, started as torchrun does it. The hosts are namespaces
of the network with two cables between them; each has its own name, which stands
for its address at the first cable.
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

FOLDER = pathlib.Path(sys.argv[1])
COMMAND = sys.argv[2:]
TIMEOUT = 4
CABLES = {"cable": "10.77.0", "spare": "10.78.0"}


class Host:
    """Goes, with its network, when nobody is there any more."""

    def __init__(self, number):
        self.number, self.name = number, f"mpc-host-{number}"
        script = (f"hostname {self.name} && mount --bind {FOLDER}/hosts /etc/hosts && ip link set lo up && echo up && "
                  "exec sleep 600")
        self.process = subprocess.Popen(["unshare", "--net", "--uts", "--mount", "sh", "-c", script],
                                        stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == b"up\n"

    def enter(self, *command):
        return ["nsenter", "--net", "--uts", "--mount", f"--target={self.process.pid}", *command]

    def ip(self, *words):
        subprocess.run(self.enter("ip", *words), check=True)

    def received(self, cable):
        text = subprocess.run(self.enter("ip", "-s", "link", "show", cable), check=True, capture_output=True,
                              text=True).stdout.splitlines()
        return int(text[next(i for i, line in enumerate(text) if "RX:" in line) + 1].split()[0])

    def start(self, rank, port, *options, **variables):
        environment = os.environ | {"RANK": str(rank), "WORLD_SIZE": "4", "LOCAL_RANK": str(rank % 2),
                                    "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": hosts[0].name,
                                    "MASTER_PORT": str(port)} | variables
        return subprocess.Popen(self.enter(*COMMAND, "--log-every=1", *options),
                                env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lay(cable, network):
    hosts[0].ip("link", "add", cable, "type", "veth", "peer", "name", cable, "netns", str(hosts[1].process.pid))
    for host in hosts:
        host.ip("address", "add", f"{network}.{host.number + 1}/24", "dev", cable)
        host.ip("link", "set", cable, "up")


def start_all(port, *options, **variables):
    return [hosts[rank // 2].start(rank, port, *options, **variables) for rank in range(4)]


def run_all(name, port, **variables):
    before = {cable: hosts[1].received(cable) for cable in CABLES}
    ranks = start_all(port, "--timeout=60", "--steps=50", f"--save={FOLDER / name}", **variables)
    ends = [(rank.communicate(timeout=120)[1], rank.returncode) for rank in ranks]
    same = (FOLDER / name).exists() and (FOLDER / name).read_bytes() == (FOLDER / "one").read_bytes()
    bytes = {cable: hosts[1].received(cable) - before[cable] for cable in CABLES}
    print(f"{name}: exit codes {[code for _, code in ends]}, same: {same}, most bytes by: {max(bytes, key=bytes.get)}",
          flush=True)
    if not same:
        print(ends)


def cut(port):
    ranks = start_all(port, f"--timeout={TIMEOUT}", "--steps=100000000")
    for line in ranks[0].stdout:
        if line.startswith("step 20/"):
            break
    begin = time.monotonic()
    hosts[0].ip("link", "set", "cable", "down")
    errors = [rank.communicate(timeout=60)[1] for rank in ranks]
    soon = time.monotonic() - begin < TIMEOUT + 5
    print(f"cut: exit codes {[rank.returncode for rank in ranks]}, soon: {soon}")
    for text in errors:
        print(text.strip())


if os.geteuid() != 0:  # Who is root of his own users may do the rest.
    os.execvp("unshare", ["unshare", "--user", "--map-root-user", sys.executable, *sys.argv])
(FOLDER / "hosts").write_text("127.0.0.1 localhost\n" + "".join(
    f"{CABLES['cable']}.{number + 1} mpc-host-{number}\n" for number in range(2)))
subprocess.run([*COMMAND, "--ranks=4", "--timeout=60", "--steps=50", f"--save={FOLDER / 'one'}"], check=True,
               stdout=subprocess.DEVNULL)
hosts = []
try:
    hosts += [Host(0), Host(1)]
    for cable, network in CABLES.items():
        lay(cable, network)
    run_all("two", 29500)
    run_all("spare", 29600, MPC_RANKS_INTERFACE="spare")
    cut(29700)
finally:
    for host in hosts:
        host.process.send_signal(signal.SIGKILL)
