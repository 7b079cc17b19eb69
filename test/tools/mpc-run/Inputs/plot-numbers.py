"""Draws metrics of any numbers, as text too, and looks at the picture: it is XML, it has no
number that is none, every curve lies in its panel, and an axis has a few ticks.
Arguments: a folder, the command."""
import json
import random
import re
import subprocess
import sys
import xml.dom.minidom

folder, command = sys.argv[1], sys.argv[2:]
largest, least = 1.7976931348623157e308, 5e-324


def steps(losses, **more):
    return [dict(step=i + 1, loss=loss, **more) for i, loss in enumerate(losses)]


generator = random.Random(7)
CASES = {
    "one point": steps([0.5]),
    "one point at zero": steps([0.0]),
    "one huge point": steps([1e308]),
    "the largest": steps([largest]),
    "one tiny point": steps([least]),
    "subnormals": steps([least, 1e-310, 2e-320]),
    "equal and huge": steps([1e300] * 3),
    "neighbours": steps([1e16, 1e16 + 2, 1e16 + 4, -1.0]),
    "both ends": steps([-largest, largest]),
    "all magnitudes": steps([10.0 ** e for e in range(-320, 309)]),
    "negative, tiny and huge": steps([-least, 1e308, -1e-300]),
    "huge for the mean": steps([1e308] * 300),
    "no loss in a row": steps([None, 1.0, None, 2.0]),
    "scales": steps([1.0] * 4, scale=2.0**127) + steps([1.0], scale=2.0**-149),
    "scale zero": steps([1.0] * 2, scale=0.0),
    "negative scale": steps([1.0] * 2, scale=-3e38),
    "huge steps": [dict(step=s, loss=1.0) for s in (1e300, 1.5e300, largest)],
    "equal steps": [dict(step=1e18, loss=float(i)) for i in range(5)],
    "steps beside each other": [dict(step=2**53 + 2 * i, loss=1.0) for i in range(3)],
    "steps at both ends": [dict(step=-largest, loss=1.0), dict(step=largest, loss=2.0)],
    "skips without loss": [dict(step=1, loss=1.0)] +
                          [dict(step=i, loss=None, found_inf=True) for i in (5, 10**15, largest)],
    "other panels": [dict(step=i + 1, loss=1.0, grad_norm=n, lr=n, eval_accuracy=n, **{"g.lr": -n, "<g>.grad_norm": n})
                     for i, n in enumerate((largest, 0.0, -1e308, least))],
    "tests only": [dict(step=3, eval_loss=1e-320), dict(step=4, eval_loss=1e308)],
    "random bits": steps([generator.choice([-1, 1]) * 10.0 ** generator.uniform(-323, 308)
                          for _ in range(500)], scale=1e-300),
}


def check(name, lines):
    with open(folder + "/numbers.jsonl", "w") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))
    subprocess.run([*command, folder + "/numbers.jsonl", "-o", folder + "/numbers.svg"], check=True,
                   timeout=60)  # it used not to end
    picture = xml.dom.minidom.parse(folder + "/numbers.svg")
    root = picture.documentElement
    height = float(root.getAttribute("height"))
    texts = picture.getElementsByTagName("text")
    panels = sum(text.getAttribute("class") == "title" for text in texts)
    assert len(texts) <= 40 * panels, f"{name}: {len(texts)} texts"
    for element in picture.getElementsByTagName("*"):
        for key, value in element.attributes.items():
            assert not re.search(r"\b(nan|inf)\b", value), f"{name}: {key}={value[:80]}"
    for text in texts:
        assert text.firstChild.data not in ("nan", "inf", "-inf"), name
    text = subprocess.run([*command, folder + "/numbers.jsonl"], check=True, timeout=60, stdout=subprocess.PIPE).stdout
    assert text.count(b"step +") == panels, name
    for line in text.decode("ascii").splitlines():
        assert len(line) <= 80 and not re.search(r"\b(nan|inf)\b", line), f"{name}: {line}"
    for curve in picture.getElementsByTagName("polyline"):
        for point in curve.getAttribute("points").split():
            x, y = map(float, point.split(","))
            assert 72 <= x <= 800 and 0 <= y <= height, f"{name}: {point}"


for name, lines in CASES.items():
    check(name, lines)
print(len(CASES), "pictures")
