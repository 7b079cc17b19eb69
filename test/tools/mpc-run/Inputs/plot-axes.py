"""Reads pictures back: by the numbers at an axis, every point of a curve is where its value belongs.

usage: plot-axes.py FOLDER COMMAND...
"""
import json
import math
import subprocess
import sys
import xml.dom.minidom

folder, command = sys.argv[1], sys.argv[2:]


def draw(lines):
    """The panels of a picture: title -> (y axis, curves as lists of (x, y), texts)."""
    with open(folder + "/axes.jsonl", "w") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))
    subprocess.run([*command, folder + "/axes.jsonl", "-o", folder + "/axes.svg"], check=True)
    panels = {}
    for element in xml.dom.minidom.parse(folder + "/axes.svg").getElementsByTagName("*"):
        if element.tagName == "text":
            text, anchor = element.firstChild.data, element.getAttribute("text-anchor")
            if element.getAttribute("class") == "title":
                panel = panels[text] = {"y": [], "x": [], "curves": [], "legend": []}
            elif element.getAttribute("fill"):
                panel["legend"].append(text)
            elif anchor == "end":  # 4 lower than its line
                panel["y"].append((text, float(element.getAttribute("y")) - 4))
            elif text != "step":
                panel["x"].append((text, float(element.getAttribute("x"))))
        elif element.tagName == "polyline":
            panel["curves"].append([tuple(map(float, pair.split(",")))
                                    for pair in element.getAttribute("points").split()])
    return panels


def number(text):
    return 2.0 ** float(text[2:]) if text.startswith("2^") else float(text)


def check_axis(ticks, measure, values, pixels):
    """Two ticks make the scale; the others, and the points, have to follow it."""
    assert 3 <= len(ticks) <= 12, ticks
    assert len({text for text, _ in ticks}) == len(ticks), ticks
    (a, at_a), (b, at_b) = ((measure(number(text)), place) for text, place in (ticks[0], ticks[-1]))
    scale = (at_b - at_a) / (b - a)
    for text, place in ticks:
        # A label of 7 digits, places of one decimal.
        assert abs(at_a + (measure(number(text)) - a) * scale - place) < 0.2, (text, ticks)
    for value, place in zip(values, pixels, strict=True):
        assert abs(at_a + (measure(value) - a) * scale - place) < 0.2, (value, place, ticks)


def check(title, key, measure, values, steps=None):
    steps = steps or [10 * i + 10 for i in range(len(values))]
    lines = [{"step": step, "loss": 1.0, key: value} for step, value in zip(steps, values)]
    panel = draw(lines)[title]
    curve = panel["curves"][0]
    check_axis(panel["y"], measure, values, [y for _, y in curve])
    check_axis(panel["x"], lambda step: step, steps, [x for x, _ in curve])
    return panel


def same(value):
    return value


# Logarithmic axes: within a part of a decade, across some, across many.
for values in ([0.60, 0.65, 0.61], [2.1, 2.9, 4.9], [0.97, 1.02], [0.012, 3.5, 47], [1e-9, 1e3, 1e12], [0.3333, 0.3333]):
    check("loss", "loss", math.log10, values)
    check("gradient norm", "grad_norm", math.log10, values)
# A loss below zero has no logarithm.
check("loss", "loss", same, [0.5, -0.25, -3])
check("learning rate", "lr", same, [0, 0.001, 0.0007, 1e-5])
# What stands still is read at a glance, and so is what is all but zero.
for value in (0.1, 0.05, 1e-9, 3e8):
    texts = [text for text, _ in check("learning rate", "lr", same, [value] * 3)["y"]]
    numbers = [number(text) for text in texts]
    assert 0.1 * value < max(numbers) - min(numbers) < 0.3 * value and max(map(len, texts)) <= 8, texts
check("loss scale", "scale", math.log2, [65536, 32768, 2.0 ** 20])
# Steps are whole numbers, and written out.
panel = check("loss", "loss", math.log10, [1.0, 2.0, 3.0, 5.0], [1, 2, 3, 4])
assert [text for text, _ in panel["x"]] == ["1", "2", "3", "4"], panel["x"]
panel = check("loss", "loss", math.log10, [1.0, 2.0], [200000, 1200000])
assert "1000000" in [text for text, _ in panel["x"]], panel["x"]

# Evaluations and parameter groups, each in its panel; what a run has not has none.
lines = [dict(step=i, loss=1 / i, lr=0.1, grad_norm=2.0, **{"a&b.lr": 0.2, "a&b.grad_norm": 1.0}) for i in range(1, 9)]
lines += [dict(step=8, eval_loss=0.2, eval_accuracy=0.875)]
panels = draw(lines)
assert list(panels) == ["loss", "accuracy, %", "gradient norm", "learning rate"], list(panels)
assert panels["loss"]["legend"] == ["test", "training"]
assert panels["gradient norm"]["legend"] == ["a&b", "all gradients"]
assert panels["learning rate"]["legend"] == ["a&b", "learning rate"]
check_axis(panels["accuracy, %"]["y"], same, [87.5], [panels["accuracy, %"]["curves"][0][0][1]])
# A single evaluation is seen: as a dot.
with open(folder + "/axes.svg") as file:
    assert file.read().count("<circle") == 8 + 1 + 1 + 2 * 8 + 2 * 8

# In characters: 10 rows from 1 to 0, 70 columns from step 0 to 100.
lines = [{"step": step, "loss": 1.0, "lr": step / 100} for step in (0, 25, 50, 100)]
with open(folder + "/axes.jsonl", "w") as file:
    file.write("".join(json.dumps(line) + "\n" for line in lines))
text = subprocess.run([*command, folder + "/axes.jsonl"], check=True, stdout=subprocess.PIPE, text=True).stdout
rows = text.splitlines()
rows = [row.ljust(80) for row in rows[rows.index("learning rate"):]][1:]
labels = [(float(row[:8]), i) for i, row in enumerate(rows[:10]) if row[:8].strip()]
assert len(labels) >= 3 and all(abs((1 - value) * 9 - i) <= 0.5 for value, i in labels), text
for column in range(70):  # a straight line
    marked = [i for i in range(10) if rows[i][10 + column] == "*"]
    assert len(marked) == 1 and abs((1 - column / 69) * 9 - marked[0]) <= 1.01, (column, marked, text)
assert rows[10].startswith("    step +") and rows[11].split() == ["0", "20", "40", "60", "80", "100"], text
for step in (20, 40, 60, 80):
    middle = rows[11].index(str(step)) + 1
    assert abs(10 + step / 100 * 69 - middle) <= 1 and rows[10][middle] == "+", text
print("axes are right")
