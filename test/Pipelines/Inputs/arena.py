"""Fails if the arena of a model exceeds 1.05 times its largest live set."""
import re
import subprocess
import sys


def main():
    failed = False
    for model in sys.argv[1:]:
        for precision in ("fp32", "bf16", "fp16"):
            command = ["mpc-opt", model, "--mpc-train=precision=" + precision, "--mpc-print-memory",
                       "-o", "/dev/null"]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stderr
            arena, live = (int(number.replace(",", "")) for number in re.search(
                r"arena of step: ([\d,]+), largest live set: ([\d,]+)", text).groups())
            print(f"{model} {precision}: arena {arena}, largest live set {live}")
            failed |= arena > 1.05 * live
    return failed


if __name__ == "__main__":
    sys.exit(main())
