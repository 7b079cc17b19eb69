"""Parameters with requires_grad=False: in a module of PyTorch, and in the file that it is exported to."""
import pathlib
import tempfile
import unittest
import warnings

import mpc
import numpy as np
from models import classifier_in_torch, installed

if installed("torch"):
    import torch


@unittest.skipUnless(installed("torch") and installed("onnxscript"), "PyTorch and onnxscript are not installed")
class Frozen(unittest.TestCase):
    def setUp(self):
        self.net, self.x, self.label = classifier_in_torch()
        warnings.simplefilter("ignore")  # of the exporter

    def by_pytorch(self, steps):
        """What PyTorch makes of the net by SGD; the net is as before."""
        before = {name: value.clone() for name, value in self.net.state_dict().items()}
        optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        for _ in range(steps):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(self.net(self.x), self.label).backward()
            optimizer.step()
        made = {name: value.clone() for name, value in self.net.state_dict().items()}
        self.net.load_state_dict(before)
        return before, made

    def check_frozen(self, found, before, expected):
        """The first layer's weight has every bit, and all others are PyTorch's."""
        self.assertEqual(found["0.weight"].numpy().tobytes(), before["0.weight"].numpy().tobytes())
        for name, value in expected.items():
            torch.testing.assert_close(found[name], value, rtol=1e-4, atol=1e-6)
            if name != "0.weight":
                self.assertFalse(torch.equal(found[name], before[name]), name)

    def test_frozen_parameters_stay(self):
        self.net[0].weight.requires_grad_(False)
        before, expected = self.by_pytorch(5)
        how = dict(loss="cross_entropy", precision="fp32", optimizer="sgd", lr=0.1)
        with warnings.catch_warnings():
            warnings.simplefilter("error", mpc.CompileWarning)  # who says requires_grad=False is not warned of it
            trainer = mpc.from_torch(self.net, (self.x,), **how)
        with trainer:
            for _ in range(5):
                trainer.step(self.x, self.label)
            self.check_frozen(trainer.state_dict(), before, expected)
        self.net[0].weight.requires_grad_(True)
        before, expected = self.by_pytorch(2)
        self.net[0].weight.requires_grad_(False)
        with mpc.from_torch(self.net, (self.x,), frozen="train", **how) as trainer:
            for _ in range(2):
                trainer.step(self.x, self.label)
            for name, value in trainer.state_dict().items():
                torch.testing.assert_close(value, expected[name], rtol=1e-4, atol=1e-6)
        self.net.requires_grad_(False)
        with self.assertRaisesRegex(mpc.CompileError, "no parameter requires a gradient"):
            mpc.from_torch(self.net, (self.x,), **how)
        mpc.from_torch(self.net, (self.x,), frozen="train", **how).close()
        mpc.from_torch(self.net, (self.x,)).close()  # predicts

    def test_frozen_parameters_stay_in_files(self):
        self.net[0].weight.requires_grad_(False)
        before, expected = self.by_pytorch(5)
        how = dict(loss="cross_entropy:output,label", precision="fp32", optimizer="sgd", lr=0.1)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            mpc.torch.export(self.net, self.x, folder / "net.onnx", input_names=["x"])
            with self.assertWarnsRegex(mpc.CompileWarning, r"'0\.weight'; --frozen=keep says"):
                program = mpc.compile(folder / "net.onnx", **how)
            with program.session() as session:
                for _ in range(5):
                    session.step(x=self.x, label=self.label)
                self.check_frozen({name: torch.from_numpy(value) for name, value in session.state_dict().items()}, before,
                                  expected)
                program.export_onnx(session, folder / "trained.onnx")
            # The copy says the same.
            again = mpc.compile(folder / "trained.onnx", frozen="keep", **how)
            self.assertEqual([d for d in again.diagnostics if d.severity == mpc.Severity.WARNING], [])
            np.testing.assert_array_equal(again.weights["0.weight"], before["0.weight"].numpy())
            np.testing.assert_allclose(again.weights["3.weight"], expected["3.weight"].numpy(), rtol=1e-4, atol=1e-6)
            self.net.requires_grad_(True)
            mpc.torch.export(self.net, self.x, folder / "net.onnx", input_names=["x"])
            with self.assertRaisesRegex(mpc.CompileError, "--frozen=train: the file says of no parameter"):
                mpc.compile(folder / "net.onnx", frozen="train", **how)


if __name__ == "__main__":
    unittest.main()
