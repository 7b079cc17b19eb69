"""Compares what mpc makes of a model with expected.json.

    check.py begin MODEL FOLDER        writes weights and inputs there
    check.py words MODEL FOLDER        the options of mpc-run that read them, and that keep gradients
    check.py compare MODEL FOLDER TOLERANCE

The tolerance is relative: of the loss, and for each parameter of the norm of its gradient, or a hundredth of the
largest of all: what a key's bias adds to the scores of a query is the same for all keys, so that its gradient is 0.
"""
import json
import pathlib
import sys

import numpy as np

import definitions as d


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, value in tensors.items():
        part = value.tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def begin(model, folder):
    write_safetensors(folder / "weights.safetensors", d.weights(model))
    for name, value in d.inputs(model).items():
        np.save(folder / f"{name}.npy", value)


def words(model, folder):
    yield from ["--weights", folder / "weights.safetensors", "--metrics", folder / "metrics.jsonl", "--steps", 1]
    for name in d.inputs(model):
        yield from ["--input", f"{name}={folder / name}.npy"]
    for name in d.weights(model):
        yield from ["--output", f"gradient.{name}={folder / name}.gradient.npy"]


def compare(model, folder, tolerance):
    expected = json.loads(pathlib.Path(__file__).with_name("expected.json").read_text())[model]
    loss = json.loads((folder / "metrics.jsonl").read_text().splitlines()[0])["loss"]
    worst = abs(loss / expected["loss"] - 1)
    print(f"loss {loss:.7f}, relative error {worst:.1e}")
    least = max(norm for norm, _ in expected["gradients"].values()) / 100
    for name, (norm, product) in expected["gradients"].items():
        gradient = np.load(folder / f"{name}.gradient.npy")
        assert gradient.shape == d.weights(model)[name].shape, name
        found = d.measures(gradient)
        error = max(abs(found[0] - norm), abs(found[1] - product)) / max(norm, least)
        worst = max(worst, error)
        if not error <= tolerance:
            print(f"{name}: norm and product are {found}, not {[norm, product]}")
    print(f"{model}: loss and {len(expected['gradients'])} gradients, worst {worst:.1e}: "
          + ("as expected" if worst <= tolerance else "wrong"))
    return 0 if worst <= tolerance else 1


def main():
    action, model, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    if action == "begin":
        begin(model, folder)
    elif action == "words":
        print(" ".join(map(str, words(model, folder))))
    else:
        sys.exit(compare(model, folder, float(sys.argv[4])))


if __name__ == "__main__":
    main()
