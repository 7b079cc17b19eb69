"""Pipes that mpc-run writes to, and who reads them: CASE FOLDER, with the toy program and data in FOLDER."""
import os
import signal
import socket
import subprocess
import sys
import threading

case, folder = sys.argv[1:]
os.chdir(folder)
FILES = ["--input", "x=x.npy", "--input", "label=label.npy"]
TRAIN = ["train", "toy.mpcx", *FILES]


def whole_batches():
    """20 of the 22 samples, 3 f32 and an i32 each, as bare values."""
    for name, size in (("x", 12), ("label", 4)):
        with open(name + ".npy", "rb") as source, open(name + ".raw", "wb") as file:
            file.write(source.read()[-22 * size :][: 20 * size])
    return ["--input", "x=x.raw", "--input", "label=label.raw"]


def start(arguments):
    return subprocess.Popen(["mpc-run", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def pipe(name):
    os.mkfifo(name)
    return name


def report(run):
    output, errors = run.communicate()
    print("exit code", run.returncode)
    print(output, errors, sep="")


def read_all(name, contents):
    with open(name, "rb") as file:
        contents[name] = file.read()


def unread():
    """Of all at once: each waits for its reader. Nothing has happened then, but that files were read."""
    options = {
        "save": [*TRAIN, "--metrics", "lines-1", "--save"],
        "summary": [*TRAIN, "--metrics", "lines-2", "--summary"],
        "output": [*TRAIN, "--metrics", "lines-3", "--output", "loss="],
        "predict": ["predict", "toy.mpcx", *whole_batches(), "--weights", "w", "--output", "logits="],
        "eval": ["eval", "toy.mpcx", *FILES, "--ignore", "label", "--weights", "w", "--metrics"],
    }
    runs = {}
    for name, arguments in options.items():
        *front, last = arguments
        path = pipe("unread-" + name)
        runs[name] = start([*front, last + path] if last.endswith("=") else [*arguments, path])
    for name, run in runs.items():
        print("==", name)
        report(run)
    print("metrics:", [name for name in os.listdir() if name.startswith("lines-")])


def sockets():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("socket")
    report(start([*TRAIN, "--metrics", "none.jsonl", "--save", "socket"]))
    print("metrics:", os.path.exists("none.jsonl"))


def leaving():
    """The reader of the state goes while training goes on: it cannot end before its metrics are read, which are
    more than a pipe holds."""
    state, lines = pipe("leaving"), pipe("lines")
    run = start([*TRAIN, "--steps", "2000", "--save", state, "--metrics", lines])
    reader = os.open(state, os.O_RDONLY)
    with open(lines) as metrics:
        metrics.readline()
        os.close(reader)
        count = len(metrics.readlines())
    report(run)
    print("lines after the first:", count)


def folder_gone():
    """The folder of the state goes after the first save, which is done when a line of a later step is there."""
    lines = pipe("more-lines")
    os.mkdir("before")
    run = start([*TRAIN, "--steps", "2000", "--save", "before/w", "--save-every", "100", "--metrics", lines])
    with open(lines) as metrics:
        for line in metrics:
            if '"step":101,' in line:
                os.rename("before", "after")
    report(run)


def unnamed():
    """Nobody needs the name of a pipe that is open."""
    state, output, lines = pipe("state"), pipe("output"), pipe("steps")
    run = start([*TRAIN, "--steps", "2000", "--save", state, "--output", "loss=" + output, "--metrics", lines])
    contents = {}
    readers = [threading.Thread(target=read_all, args=(name, contents)) for name in (state, output)]
    for reader in readers:
        reader.start()
    with open(lines) as metrics:
        metrics.readline()
        os.remove(state)
        os.remove(output)
        metrics.read()
    for reader in readers:
        reader.join()
    run.communicate()
    with open("plain", "rb") as file:
        print("same state:", contents[state] == file.read())
    print("an array:", contents[output].startswith(b"\x93NUMPY"))
    print("files made:", os.path.exists(state) or os.path.exists(output))


def taking_turns():
    """One program writes the data, and reads the result afterwards."""
    data, result = pipe("data.npy"), pipe("result.npy")
    inputs = ["--input", "x=" + data, "--input", "label=label.npy", "--ignore", "label"]
    run = start(["eval", "toy.mpcx", *inputs, "--weights", "w", "--output", "logits=" + result])
    with open("x.npy", "rb") as source, open(data, "wb") as file:
        file.write(source.read())
    contents = {}
    read_all(result, contents)
    report(run)
    with open("logits.npy", "rb") as file:
        print("same logits:", contents[result] == file.read())


def shared():
    """Two options, one pipe: one after the other."""
    name = pipe("shared")
    run = start([*TRAIN, "--steps", "3", "--save", name, "--summary", name])
    contents = {}
    read_all(name, contents)
    report(run)
    with open("w", "rb") as file:
        state = file.read()
    print("state, then summary:", contents[name].startswith(state), b'"steps": 3' in contents[name][len(state) :])


signal.alarm(120)  # who waits for ever for the other end of a pipe fails
globals()[case]()
