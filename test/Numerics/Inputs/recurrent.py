"""Layers along time against PyTorch's numbers: two layers of both directions, with sequences of several lengths and
first states, by their outputs, last states and all gradients.

usage: recurrent.py FOLDER    compiles, trains a step, and compares with recurrent.json
       recurrent.py --torch   prints recurrent.json, by PyTorch in f64

Of each tensor the file has three numbers: sums of its elements times cosines.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np

STEPS, BATCH, FEATURES, WIDTH, LAYERS = 6, 3, 4, 5, 2
LENGTHS = np.array([6, 2, 4], np.int32)
GATES = {"rnn": 1, "relu": 1, "lstm": 4, "gru": 3}


def pattern(*shape, seed):
    index = np.arange(np.prod(shape), dtype=np.float64)
    return (np.sin(1.7 * index + seed) + 0.3 * np.cos(0.9 * index * seed)).reshape(shape) * 0.6


def sums(tensor):
    flat = np.asarray(tensor, np.float64).ravel()
    return [float((flat * np.cos(k * np.arange(flat.size) + k)).sum()) for k in (1, 2, 3)]


def tensors(kind):
    """All that is trained, by PyTorch's names, and the input."""
    rows, made = GATES[kind] * WIDTH, {"x": pattern(STEPS, BATCH, FEATURES, seed=1)}
    for layer in range(LAYERS):
        width = 2 * WIDTH if layer else FEATURES
        for direction, suffix in enumerate(("", "_reverse")):
            at, seed = f"_l{layer}{suffix}", 10 * layer + 5 * direction
            made["weight_ih" + at] = pattern(rows, width, seed=2 + seed)
            made["weight_hh" + at] = pattern(rows, WIDTH, seed=3 + seed)
            made["bias_ih" + at] = pattern(rows, seed=4 + seed)
            made["bias_hh" + at] = pattern(rows, seed=5 + seed)
            made["h" + at] = pattern(BATCH, WIDTH, seed=6 + seed)
            if kind == "lstm":
                made["c" + at] = pattern(BATCH, WIDTH, seed=7 + seed)
    return made


def factors(kind):
    """What outputs are multiplied by in the loss, which is the sum of that."""
    made = {"y": pattern(STEPS, BATCH, 2 * WIDTH, seed=8)}
    for name in tensors(kind):
        if name[0] in "hc":
            made["last_" + name] = pattern(BATCH, WIDTH, seed=9 + len(made))
    return made


def torch_numbers(kind):
    import torch

    given = {name: torch.tensor(value, requires_grad=True) for name, value in tensors(kind).items()}
    options = {"rnn": (torch.nn.RNN, {}), "relu": (torch.nn.RNN, {"nonlinearity": "relu"}),
               "lstm": (torch.nn.LSTM, {}), "gru": (torch.nn.GRU, {})}
    make, words = options[kind]
    net = make(FEATURES, WIDTH, LAYERS, bidirectional=True, **words).double()
    weights = {name: given[name] for name, _ in net.named_parameters()}
    states = [torch.stack([value for name, value in given.items() if name.startswith(letter + "_")]) for letter in "hc"
              if kind == "lstm" or letter == "h"]
    packed = torch.nn.utils.rnn.pack_padded_sequence(given["x"], torch.tensor(LENGTHS), enforce_sorted=False)
    output, last = torch.func.functional_call(net, weights, (packed, tuple(states) if kind == "lstm" else states[0]))
    output, _ = torch.nn.utils.rnn.pad_packed_sequence(output, total_length=STEPS)
    results = {"y": output}
    for letter, ends in zip("hc", last if kind == "lstm" else [last]):
        names = [name for name in given if name.startswith(letter + "_")]
        results |= {"last_" + name: end for name, end in zip(names, ends)}
    loss = sum((results[name] * torch.tensor(factor)).sum() for name, factor in factors(kind).items())
    loss.backward()
    return {"results": {name: sums(value.detach()) for name, value in results.items()},
            "gradients": {name: sums(value.grad) for name, value in given.items()}}


class Model:
    """The text of a model, line by line."""

    def __init__(self, kind):
        self.kind, self.rows, self.lines, self.types = kind, GATES[kind] * WIDTH, [], {}

    def typed(self, name, *shape):
        self.types[name] = "tensor<" + "x".join(map(str, shape)) + "xf32>"
        return self.types[name]

    def layer(self, x, at):
        op = "rnn" if self.kind == "relu" else self.kind
        operands = [x, "weight_ih" + at, "weight_hh" + at, "bias_ih" + at, "bias_hh" + at, "h" + at]
        text = "graph.{} %{}, %{}, %{} bias %{}, %{} initial %{}".format(op, *operands)
        if op == "lstm":
            operands.append("c" + at)
            text += " cell %c" + at
        text += " relu" if self.kind == "relu" else ""
        sequence, state = f"tensor<{STEPS}x{BATCH}x{WIDTH}xf32>", f"tensor<{BATCH}x{WIDTH}xf32>"
        kept = f"tensor<{STEPS}x{BATCH}x{4 * WIDTH}xf32>"
        results = {"rnn": [sequence, state, sequence], "gru": [sequence, state, sequence, kept],
                   "lstm": [sequence, state, state, sequence, sequence, kept]}[op]
        taken = ", ".join([self.types[name] for name in operands] + [f"tensor<{BATCH}xi32>"])
        self.lines.append(f"  %r{at}:{len(results)} = {text} lengths %lengths" + (" reverse" if "reverse" in at else "") +
                          f" : ({taken}) -> ({', '.join(results)})")

    def write(self):
        arguments = [f'%lengths: tensor<{BATCH}xi32> {{graph.input = "lengths"}}']
        for name, value in tensors(self.kind).items():
            arguments.append(f'%{name}: {self.typed(name, *value.shape)} {{graph.parameter = "{name}", '
                             "graph.init = #graph.zeros}")
        x = "x"
        for layer in range(LAYERS):
            for suffix in ("", "_reverse"):
                self.layer(x, f"_l{layer}{suffix}")
            one, x = f"tensor<{STEPS}x{BATCH}x{WIDTH}xf32>", f"y{layer}"
            both = self.typed(x, STEPS, BATCH, 2 * WIDTH)
            self.lines.append(f"  %{x} = graph.concat %r_l{layer}#0, %r_l{layer}_reverse#0 dim = 2 : ({one}, {one}) -> {both}")
        results = {"y": "%" + x}
        for name in factors(self.kind):
            if name != "y":
                letter, at = name.removeprefix("last_")[0], name.removeprefix("last_")[1:]
                results[name] = f"%r{at}#{'_hc'.index(letter)}"
        parts = []
        for number, (name, value) in enumerate(results.items()):
            shape = factors(self.kind)[name].shape
            kind, dims = self.typed("p" + name, *shape), ", ".join(map(str, range(len(shape))))
            arguments.append(f'%f{number}: {kind} {{graph.input = "factor.{name}"}}')
            self.lines += [f"  %p{number} = graph.mul {value}, %f{number} : ({kind}, {kind}) -> {kind}",
                           f"  %s{number} = graph.sum %p{number} dims = [{dims}] : ({kind}) -> tensor<f32>"]
            parts.append(f"%s{number}")
        total = parts[0]
        for number, part in enumerate(parts[1:]):
            self.lines.append(f"  %t{number} = graph.add {total}, {part} : (tensor<f32>, tensor<f32>) -> tensor<f32>")
            total = f"%t{number}"
        outputs = "".join(f', {self.types["p" + name]} {{graph.output = "{name}"}}' for name in results)
        types = "".join(f', {self.types["p" + name]}' for name in results)
        return (f"func.func @model({', '.join(arguments)})\n    -> (tensor<f32> {{graph.loss}}{outputs}) {{\n" +
                "\n".join(self.lines) + f"\n  return {', '.join([total, *results.values()])} : tensor<f32>{types}\n}}\n")


def save_weights(path, weights):
    header, data = {}, b""
    for name, value in weights.items():
        part = np.ascontiguousarray(value, np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def run(kind, folder, threads):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.mlir").write_text(Model(kind).write())
    weights = tensors(kind)
    save_weights(folder / "weights.safetensors", weights)
    inputs = {"lengths": LENGTHS} | {"factor." + name: value.astype(np.float32) for name, value in factors(kind).items()}
    words = []
    for name, value in inputs.items():
        np.save(folder / f"{name}.npy", value)
        words += ["--input", f"{name}={folder / name}.npy"]
    names = {name: name for name in factors(kind)} | {"gradient." + name: name for name in weights}
    for name in names:
        words += ["--output", f"{name}={folder / name}.npy"]
    subprocess.run(["mpc-compile", folder / "model.mlir", "-o", folder / "model.mpcx", "--optimizer=sgd", "--lr=1",
                    "--output-gradients=.*"], check=True)
    subprocess.run(["mpc-run", "train", folder / "model.mpcx", "--weights", folder / "weights.safetensors", "--steps=1",
                    "--no-shuffle", f"--threads={threads}", *words], check=True, stdout=subprocess.DEVNULL)
    return {name: np.load(folder / f"{name}.npy") for name in names}


def main():
    expected = pathlib.Path(__file__).with_suffix(".json")
    if sys.argv[1] == "--torch":
        kinds = [f'"{kind}": {{\n' + ",\n".join(
            f'  "{part}": {{\n' + ",\n".join(f'    "{name}": [{", ".join(f"{number:.10g}" for number in numbers)}]'
                                           for name, numbers in rows.items()) + "\n  }"
            for part, rows in torch_numbers(kind).items()) + "\n}" for kind in GATES]
        print("{" + ",\n".join(kinds) + "}")
        return
    for kind, numbers in json.loads(expected.read_text()).items():
        got = run(kind, pathlib.Path(sys.argv[1]) / kind, threads=1)
        again = run(kind, pathlib.Path(sys.argv[1]) / f"{kind}-threads", threads=3)
        assert all(np.array_equal(value, again[name]) for name, value in got.items()), "bits depend on threads"
        wanted = numbers["results"] | {"gradient." + name: value for name, value in numbers["gradients"].items()}
        assert wanted.keys() == got.keys(), wanted.keys() ^ got.keys()
        for name, value in got.items():
            np.testing.assert_allclose(sums(value), wanted[name], rtol=2e-5, atol=2e-5, err_msg=f"{kind}: {name}")
        print(f"{kind}: {len(got)} tensors are PyTorch's")


if __name__ == "__main__":
    main()
