"""Models in ONNX's format, and of PyTorch where it and onnxscript are installed."""
import errno
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import mpc
import numpy as np
from models import classifier_in_torch, installed, wire

W = np.array([[1, 2, 3], [-1, 0.5, 0]], np.float32)
B = np.array([0.5, -0.25], np.float32)


def value(name, *dims):
    return wire.value(name, dims, np.float32)


def linear(w=("w", W)):
    """y = Gemm(x, w, transposed) + b."""
    node = wire.node("Gemm", ["x", "w", "b"], ["y"], name="fc", transB=1)
    return wire.model([node], [value("x", "batch", 3)], [value("y", "batch", 2)], [w, ("b", B)], opset=18)


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

    def test_weights_of_a_file_are_the_programs_too(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "w.safetensors"
            program = mpc.compile(linear(), dim={"batch": 4}, inference=True, weights=path)
            np.testing.assert_array_equal(program.weights["b"], B)
            self.assertTrue(path.exists())

    def test_weights_that_only_the_loss_reads_go_with_it(self):
        nodes = [wire.node("Mul", ["x", "w"], ["y"]), wire.node("Mul", ["y", "s"], ["h"]),
                 wire.node("ReduceSum", ["h"], ["loss"], keepdims=0)]
        model = wire.model(nodes, [value("x", 4, 2)], [value("y", 4, 2), value("loss")], [("w", B), ("s", B)], opset=18)
        program = mpc.compile(model, loss="loss", inference=True, drop_loss=True)
        self.assertEqual(set(program.weights), {"w"})
        program.session().close()

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
        self.net, self.x, self.label = classifier_in_torch()
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

    def test_modes_are_left_as_they_were(self):
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 4),
                                  torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 3))
        net[1].running_mean.fill_(0.5)
        net[1].eval()  # frozen, as of a trained backbone
        modes = [part.training for part in net.modules()]
        with mpc.from_torch(net, self.x, loss="cross_entropy", precision="fp32", optimizer="sgd", lr=0.1) as trainer:
            self.assertEqual([part.training for part in net.modules()], modes)
            loss = torch.nn.functional.cross_entropy(net(self.x), self.label)
            for step in range(3):
                told = trainer.step(self.x, self.label).loss
                if not step:
                    self.assertAlmostEqual(told, loss.item(), places=5)
            trained = trainer.state_dict()
            torch.testing.assert_close(trained["1.running_mean"], torch.full((4,), 0.5))
            self.assertFalse(torch.equal(trained["3.running_mean"], net[3].running_mean))
            counted = net[3].num_batches_tracked.item()
            trainer.update_module()
            self.assertEqual(net[3].num_batches_tracked.item(), counted + 3)
        torch.testing.assert_close(net[3].running_mean, trained["3.running_mean"])
        net.eval()
        with mpc.from_torch(net, self.x, loss="cross_entropy", optimizer="sgd", lr=0.1):
            self.assertFalse(any(part.training for part in net.modules()))

    def test_classes_are_where_pytorch_has_them(self):
        import torch
        net = torch.nn.Conv2d(2, 4, 1)
        x, label = torch.randn(3, 2, 4, 4), torch.randint(0, 4, (3, 4, 4))  # as many columns as classes
        with mpc.from_torch(net, (x,), loss="cross_entropy,label_smoothing=0.1", precision="fp32", optimizer="sgd",
                            lr=0.1) as trainer:
            loss = torch.nn.functional.cross_entropy(net(x), label, label_smoothing=0.1)
            loss.backward()
            self.assertAlmostEqual(trainer.step(x, label).loss, loss.item(), places=5)
            torch.testing.assert_close(trainer.state_dict()["weight"], net.weight.detach() - 0.1 * net.weight.grad,
                                       rtol=1e-4, atol=1e-6)

    def test_micro_batches(self):
        import torch
        with mpc.from_torch(self.net, (self.x[:16],), loss="cross_entropy", precision="fp32", optimizer="sgd", lr=0.1,
                            accumulate=2) as trainer:
            trainer.accumulate(self.x[:16], self.label[:16])
            trainer.step(self.x[16:], target=self.label[16:])
            torch.nn.functional.cross_entropy(self.net(self.x), self.label).backward()
            torch.testing.assert_close(trainer.state_dict()["3.weight"],
                                       self.net[3].weight.detach() - 0.1 * self.net[3].weight.grad,
                                       rtol=1e-4, atol=1e-6)
            for given, named, message in [((self.x, self.label, self.x), {}, "at most 2 inputs"),
                                          ((self.x, self.label), {"target": self.label}, "'target' is given twice")]:
                with self.assertRaisesRegex(TypeError, message):
                    trainer.step(*given, **named)

    def test_what_pytorch_users_write_first(self):
        import torch
        for loss in (torch.nn.CrossEntropyLoss(), torch.nn.functional.cross_entropy):
            with self.assertRaisesRegex(TypeError, "loss: expected the name of a loss"):
                mpc.from_torch(self.net, (self.x,), loss=loss)
        with self.assertRaisesRegex(TypeError, "option 'precision': expected a str"):
            mpc.from_torch(self.net, (self.x,), precision=torch.bfloat16)
        net = torch.nn.Sequential(torch.nn.Embedding(5, 3, padding_idx=0), torch.nn.Linear(3, 2))
        with self.assertWarnsRegex(mpc.CompileWarning, "'0.weight' has padding_idx=0") as caught:
            mpc.from_torch(net, (torch.zeros(4, dtype=torch.int64),), loss="cross_entropy", optimizer="sgd", lr=0.1)
        self.assertEqual(caught.filename, __file__)
        with self.assertWarnsRegex(mpc.CompileWarning, "bf16 with loss scaling") as caught:  # of the compiler
            mpc.from_torch(self.net, self.x, loss="cross_entropy", optimizer="sgd", lr=0.1, precision="bf16",
                           loss_scale="dynamic")
        self.assertEqual(caught.filename, __file__)
        with mpc.from_torch(self.net, self.x, loss="cross_entropy", optimizer="sgd", lr=0.1) as trainer:
            with self.assertRaisesRegex(mpc.ShapeMismatchError, r"got \(3, 8\).*drop_last=True"):
                trainer.step(self.x[:3], self.label[:3])
            with self.assertRaisesRegex(mpc.ShapeMismatchError, r"got \(3, 8\).*filled up where no target"):
                trainer.predict(self.x[:3], self.label[:3])
            with self.assertRaisesRegex(mpc.ShapeMismatchError, r"got \(32, 7\)$"):
                trainer.step(self.x[:, :7].contiguous(), self.label)
            with self.assertRaisesRegex(mpc.NotFoundError, "entry 'step' has not been run yet"):
                trainer.session.report()

    def test_what_the_format_cannot_say_is_refused(self):
        import torch

        class Reversed(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1

            @staticmethod
            def backward(ctx, gradient):
                return -gradient

        class Net(torch.nn.Module):
            def __init__(self, forward):
                super().__init__()
                self.a, self.b, self.forwards = torch.nn.Linear(8, 4), torch.nn.Linear(4, 3), forward

            def forward(self, x):
                return self.forwards(self, x)

        with tempfile.TemporaryDirectory() as folder:
            own = Net(lambda net, x: net.b(Reversed.apply(net.a(x))))
            path = pathlib.Path(folder) / "own.onnx"
            with self.assertRaisesRegex(mpc.CompileError, "Reversed' is a torch.autograd.Function"):
                mpc.torch.export(own, self.x, path)
            self.assertFalse(path.exists())
            mpc.torch.export(own, self.x, path, train=False)
        with self.assertRaisesRegex(mpc.CompileError, "Reversed' is a torch.autograd.Function"):
            mpc.from_torch(own, (self.x,), loss="cross_entropy", optimizer="sgd", lr=0.1)

    def test_names_that_meet(self):
        import torch

        class Net(torch.nn.Module):
            def __init__(self, name):
                super().__init__()
                self.name = name
                setattr(self, name, torch.nn.Parameter(torch.ones(8)))

            def forward(self, x):
                return x * torch.relu(getattr(self, self.name)) + 1

        for name in ("relu", "mul", "add"):  # as the exporter calls values
            with self.subTest(name), mpc.from_torch(Net(name), (self.x,), loss="mse", precision="fp32",
                                                    optimizer="sgd", lr=0.1) as trainer:
                self.assertAlmostEqual(trainer.step(self.x, self.x).loss, 1, places=6)
        for name in ("x", "target"):
            with self.subTest(name), self.assertRaisesRegex(mpc.CompileError, f"both called '{name}'"):
                mpc.from_torch(Net(name), (self.x,), loss="mse", optimizer="sgd", lr=0.1)

    def test_buffers_that_move_are_named(self):
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a = torch.nn.Sequential(torch.nn.Linear(8, 3), torch.nn.BatchNorm1d(3))
                self.register_buffer("mean", torch.zeros(3))

            def forward(self, x):
                y = self.a(x)
                self.mean.mul_(0.9).add_(y.mean(0))
                return y + self.mean

        with self.assertWarnsRegex(mpc.CompileWarning, "buffer 'mean' is changed in forward") as caught:
            mpc.from_torch(Net(), (self.x,), loss="cross_entropy", optimizer="sgd", lr=0.1)
        self.assertNotIn("running", str(caught.warning))

    def test_tied_weights_have_all_names(self):
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(8, 8, bias=False), torch.nn.Tanh(), torch.nn.Linear(8, 8, bias=False))
        net[2].weight = net[0].weight
        with mpc.from_torch(net, (self.x,), loss="mse", optimizer="sgd", lr=0.1) as trainer:
            trainer.step(self.x.requires_grad_(), self.x)
            net.load_state_dict(trainer.state_dict())
            torch.testing.assert_close(net[0].weight, trainer.state_dict()["0.weight"], rtol=0, atol=0)

    def test_the_trained_module_in_onnx_format(self):
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.Tanh(),
                                  torch.nn.Dropout(0.5), torch.nn.Linear(16, 3))
        with tempfile.TemporaryDirectory() as folder, \
                mpc.from_torch(net, (self.x,), loss="cross_entropy", precision="fp32", optimizer="sgd", lr=0.1,
                               input_names=["x"]) as trainer:
            path = pathlib.Path(folder) / "trained.onnx"
            for _ in range(5):
                trainer.step(self.x, self.label)
            trainer.export_onnx(path)
            self.assertEqual([file.name for file in pathlib.Path(folder).iterdir()], ["trained.onnx"])
            with self.assertRaisesRegex(mpc.IoError, "is empty"):
                mpc.torch.export(net, (self.x,), "")
            for write in (trainer.export_onnx, lambda there: mpc.torch.export(net, (self.x,), there)):
                with self.assertRaises(mpc.IoError) as caught:
                    write(path.parent / "no" / "t.onnx")
                self.assertEqual((caught.exception.errno, caught.exception.filename),
                                 (errno.ENOENT, str(path.parent / "no" / "t.onnx")))
            trainer.update_module()  # after the export: it has weights of the session's
            expected = net.eval()(self.x).detach()
            if installed("onnxruntime"):
                import onnxruntime
                runs = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
                found = runs.run(["output"], {"x": self.x.numpy()})[0]
            else:
                from onnx.reference import ReferenceEvaluator
                found = ReferenceEvaluator(str(path)).run(["output"], {"x": self.x.numpy()})[0]
            np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-6)
            with self.assertWarnsRegex(mpc.CompileWarning, "run as in training"):
                trainer.export_onnx(path, inference=False)
            with self.assertRaisesRegex(mpc.InvalidArgumentError, "give 'model'"):
                trainer.program.export_onnx(trainer.session, path)
            with self.assertRaisesRegex(mpc.InvalidArgumentError, "that from_torch made"):
                mpc.Trainer(net, trainer.program, trainer.session).export_onnx(path)

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
            with (folder / "net.py").open("a") as file:
                file.write("def padded():\n    return torch.nn.Embedding(5, 3, padding_idx=0), (torch.zeros(4).long(),)\n")
            done = subprocess.run([sys.executable, "-m", "mpc.export", folder / "net.py:padded", "-o", folder / "p.onnx"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, "(?m)^mpc.export: warning: 'weight' has padding_idx=0")
            wrong = subprocess.run([sys.executable, "-m", "mpc.export", folder / "net.py:made", "-o", "n.onnx"],
                                   capture_output=True, text=True)
            self.assertIn("expected a function 'made'", wrong.stderr)
            wrong = subprocess.run([sys.executable, "-m", "mpc.export", folder / "net.py:make", "-o",
                                    folder / "no/n.onnx"], capture_output=True, text=True)
            self.assertRegex(wrong.stderr, "^mpc.export: '.*n.onnx': expected a folder '.*no'")
            self.assertEqual(wrong.returncode, 1)
            with (folder / "net.py").open("a") as file:
                file.write("class Lost(torch.nn.Linear):\n    def forward(self, x):\n"
                           "        with torch.autocast('cpu', enabled=False), torch.no_grad():\n"
                           "            return super().forward(x) + 1\n"
                           "def lost():\n    return Lost(3, 2), (torch.zeros(4, 3),)\n")
            lost = subprocess.run([sys.executable, "-m", "mpc.export", folder / "net.py:lost", "-o", folder / "l.onnx"],
                                  capture_output=True, text=True)
            self.assertRegex(lost.stderr, "(?m)^mpc.export: .*inside of torch.autocast.*net.py:8\\)")
            self.assertEqual(lost.returncode, 1)
            self.assertFalse((folder / "l.onnx").exists())

    def test_data_of_others_stay(self):
        import torch
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "n.onnx"
            beside = pathlib.Path(f"{path}.data")
            beside.write_text("notes")
            with self.assertRaisesRegex(mpc.InvalidArgumentError, r"n.onnx.data' would be overwritten, and no model '.*"
                                        "n.onnx' has its data there"):
                mpc.torch.export(self.net, self.x, path)
            self.assertEqual(beside.read_text(), "notes")
            self.assertFalse(path.exists())
            beside.unlink()
            for _ in range(2):  # what is its own is replaced
                mpc.torch.export(torch.nn.Linear(8, 200), self.x, path)
            self.assertGreater(beside.stat().st_size, 8 * 200 * 4)


if __name__ == "__main__":
    unittest.main()
