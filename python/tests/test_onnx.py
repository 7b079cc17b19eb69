"""Models in ONNX's format, and of PyTorch where it and onnxscript are installed."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import mpc
import numpy as np
from models import installed

W = np.array([[1, 2, 3], [-1, 0.5, 0]], np.float32)
B = np.array([0.5, -0.25], np.float32)


def message(*fields):
    """The wire format of protobuf: (number, int | bytes | str | message)."""
    data = b""
    for number, value in fields:
        if isinstance(value, int):
            data += varint(number << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            data += varint(number << 3 | 2) + varint(len(value)) + value
    return data


def varint(value):
    data = b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])


def tensor(name, array):
    return message(*((1, size) for size in array.shape), (2, 1), (8, name), (9, array.tobytes()))


def value(name, *dims):
    shape = message(*((1, message((2, dim) if isinstance(dim, str) else (1, dim))) for dim in dims))
    return message((1, name), (2, message((1, message((1, 1), (2, shape))))))


def linear():
    """y = Gemm(x, w, transposed) + b, of onnx.proto by its numbers."""
    transposed = message((1, "transB"), (3, 1), (20, 2))
    node = message((1, "x"), (1, "w"), (1, "b"), (2, "y"), (3, "fc"), (4, "Gemm"), (5, transposed))
    graph = message((1, node), (2, "g"), (5, tensor("w", W)), (5, tensor("b", B)), (11, value("x", "batch", 3)),
                    (12, value("y", "batch", 2)))
    return message((1, 9), (7, graph), (8, message((2, 18))))


class Onnx(unittest.TestCase):
    def test_weights_are_where_sessions_begin(self):
        program = mpc.compile(linear(), dim={"batch": 4}, loss="mse:y,t", optimizer="sgd", lr=0.1, precision="fp32")
        np.testing.assert_array_equal(program.weights["w"], W)
        x = np.arange(12, dtype=np.float32).reshape(4, 3) / 12
        t = np.ones((4, 2), np.float32)
        y = x @ W.T + B
        with program.session() as session:
            np.testing.assert_allclose(session.run(x=x)["y"], y, rtol=1e-6)
            report = session.step(x=x, t=t)
            self.assertAlmostEqual(report.loss, float(np.mean((y - t) ** 2)), places=5)
            # d loss / d w = 2 / 8 (y - t)^T x, by hand.
            np.testing.assert_allclose(session.get_state("w"), W - 0.1 * 0.25 * (y - t).T @ x, rtol=1e-5)
        self.assertEqual(mpc.Program(program.data).weights, {})

    def test_refusals_name_nodes_and_options(self):
        with self.assertRaisesRegex(mpc.CompileError, "give --dim=batch=SIZE"):
            mpc.compile(linear(), loss="mse:y,t")
        with self.assertRaisesRegex(mpc.CompileError, "expected a loss to train"):
            mpc.compile(linear(), dim={"batch": 4})
        with self.assertRaises(mpc.CompileError) as caught:
            mpc.compile(linear().replace(b"Gemm", b"Gemn"), name="m.onnx", dim={"batch": 4}, inference=True)
        self.assertIn("Gemn", str(caught.exception))
        self.assertIn("fc", str(caught.exception))
        for end in range(4, len(linear()), 7):
            with self.assertRaises(mpc.CompileError):
                mpc.compile(linear()[:end], name="m.onnx", dim={"batch": 4}, inference=True)
        with self.assertRaisesRegex(mpc.CompileError, "'--dim' is for a model in ONNX's format"):
            mpc.compile("\nfunc.func @m() { return }", dim={"batch": 4})


@unittest.skipUnless(installed("torch") and installed("onnxscript"), "PyTorch and onnxscript are not installed")
class Torch(unittest.TestCase):
    def setUp(self):
        import torch
        torch.manual_seed(0)
        self.net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.LayerNorm(16),
                                       torch.nn.Linear(16, 3))
        self.x = torch.randn(32, 8)
        self.label = torch.randint(0, 3, (32,))
        warnings.simplefilter("ignore")  # of the exporter

    def test_trains_as_pytorch_does(self):
        import torch
        before = {name: value.clone() for name, value in self.net.state_dict().items()}
        with mpc.from_torch(self.net, (self.x,), loss="cross_entropy", precision="fp32", optimizer="sgd",
                            lr=0.1) as trainer:
            self.assertEqual(set(trainer.state_dict()), set(before))
            torch.testing.assert_close(trainer.predict(self.x)["output"], self.net(self.x).detach())
            optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
            for _ in range(10):
                report = trainer.step(self.x, self.label)
                loss = torch.nn.functional.cross_entropy(self.net(self.x), self.label)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                self.assertAlmostEqual(report.loss, loss.item(), places=5)
            theirs = {name: value.clone() for name, value in self.net.state_dict().items()}
            self.net.load_state_dict(before)
            trainer.update_module()
        for name, value in self.net.state_dict().items():
            torch.testing.assert_close(value, theirs[name], rtol=1e-4, atol=1e-6)

    def test_a_batch_norm_trains(self):
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 3))
        before = {name: value.clone() for name, value in net.state_dict().items()}
        with mpc.from_torch(net, (self.x,), loss="cross_entropy", precision="fp32", optimizer="sgd",
                            lr=0.1) as trainer:
            for name, value in net.state_dict().items():
                torch.testing.assert_close(value, before[name])  # tracing has moved nothing
            net.train()
            loss = torch.nn.functional.cross_entropy(net(self.x), self.label)
            self.assertAlmostEqual(trainer.step(self.x, self.label).loss, loss.item(), places=5)
            for name in ("1.running_mean", "1.running_var"):
                torch.testing.assert_close(trainer.state_dict()[name], net.state_dict()[name], rtol=1e-4, atol=1e-6)

    def test_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "net.py").write_text("import torch\ndef make():\n    return torch.nn.Linear(3, 2), "
                                           "(torch.zeros(4, 3),)\n")
            done = subprocess.run([sys.executable, "-m", "mpc.export", folder / "net.py:make", "-o", folder / "n.onnx"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            program = mpc.compile(folder / "n.onnx", loss="mse:output,target", optimizer="sgd", lr=0.1)
            self.assertEqual(set(program.weights), {"weight", "bias"})
            wrong = subprocess.run([sys.executable, "-m", "mpc.export", folder / "net.py:made", "-o", "n.onnx"],
                                   capture_output=True, text=True)
            self.assertIn("expected a function 'made'", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
