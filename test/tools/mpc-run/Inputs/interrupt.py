"""Runs a command on a terminal, sends Ctrl-C once it shows progress, reports."""
import os
import pty
import signal
import sys

pid, terminal = pty.fork()
if pid == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored, if the tests run in the background
    os.execvp(sys.argv[1], sys.argv[1:])
output = b""
sent = False
while True:
    try:
        chunk = os.read(terminal, 4096)
    except OSError:  # the other side is closed
        break
    if not chunk:
        break
    output += chunk
    if not sent and output.count(b"\r\x1b[K") + output.count(b"\rstep") > 1:
        os.kill(pid, signal.SIGINT)
        sent = True
_, status = os.waitpid(pid, 0)
print("first line rewritten:", b"\n" not in output[: output.find(b"\x1b[K") + 10])
print(output.replace(b"\r", b"\n").decode()[-1000:])
print("exit code", os.waitstatus_to_exitcode(status))
