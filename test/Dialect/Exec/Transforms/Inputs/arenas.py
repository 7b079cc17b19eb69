"""Reads what mpc-opt plans for models: the bytes of the arena, and of the largest live set in it.

usage: arenas.py waste BOUND MODEL... SETTING...    of each model with all combinations of the settings (--target=cpu,cuda
                                                    is two): prints arena / live set where it is not 1, and fails where it
                                                    is above the bound
       arenas.py growth BOUND SHORT LONG SETTING... arena of LONG by that of SHORT
"""
import itertools
import re
import subprocess
import sys

OPTIMIZER = ["--optimizer=adamw", "--lr=1e-3"]  # of a model that names none


def run(*command, text=None):
    process = subprocess.run(command, input=text, capture_output=True, text=True)
    if process.returncode:
        sys.exit(f"{' '.join(command)}\n{process.stderr}")
    return process


def plan(model, settings):
    with open(model) as file:
        if "#graph.optimizer" not in file.read():
            settings = [*settings, *OPTIMIZER]
    text = run("mpc-opt", model, "--compile-to=exec", *settings).stdout
    table = run("mpc-opt", "-", "--mpc-print-memory", "-o", "/dev/null", text=text)
    found = re.search(r"arena of \w+: ([\d,]+), largest live set: ([\d,]+)", table.stdout + table.stderr)
    return [int(number.replace(",", "")) for number in found.groups()]


def alternatives(setting):
    name, _, values = setting.partition("=")
    return [f"{name}={value}" for value in values.split(",")]


def check_waste(bound, models, settings):
    ratios = []
    for model, chosen in itertools.product(models, itertools.product(*map(alternatives, settings))):
        arena, live = plan(model, chosen)
        ratios.append(arena / live if live else 1.0)
        if arena != live:
            print(f"{model} {' '.join(chosen)}: {arena} of {live} bytes, {ratios[-1]:.6f}")
    print(f"{len(ratios)} plans, the worst {max(ratios):.6f}")
    return max(ratios) <= bound


def check_growth(bound, models, settings):
    short, long = (plan(model, settings)[0] for model in models)
    print(f"{short} and {long} bytes, {long / short:.3f}")
    return long <= bound * short


def main():
    what, bound, *rest = sys.argv[1:]
    settings = [word for word in rest if word.startswith("--")]
    models = [word for word in rest if not word.startswith("--")]
    holds = {"waste": check_waste, "growth": check_growth}[what](float(bound), models, settings)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
