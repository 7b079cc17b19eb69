"""Groups of parameters with settings of their own: PyTorch's param_groups."""
import pathlib
import tempfile
import unittest
import warnings

import mpc
import numpy as np
from models import installed
from test_onnx import B, W, linear


class Groups(unittest.TestCase):
    def test_groups_are_a_mapping(self):
        options = {"dim": {"batch": 4}, "loss": "mse:y,t", "optimizer": "sgd", "lr": 0.1, "precision": "fp32"}
        program = mpc.compile(linear(), groups={"slow": {"pattern": "b", "lr": 0.01}}, **options)
        x, t = np.ones((4, 3), np.float32), np.zeros((4, 2), np.float32)
        with program.session() as session:
            session.step(x=x, t=t)
            y = x @ W.T + B
            np.testing.assert_allclose(session.get_state("b"), B - 0.01 * 0.25 * y.sum(0), rtol=1e-5)
            np.testing.assert_allclose(session.get_state("w"), W - 0.1 * 0.25 * y.T @ x, rtol=1e-5)
        for pattern, expected in [("b|x;[;]", "b|x;[;]"), (r"b|x\;y", "b|x;y"), (r"b|x\\;|\\", r"b|x\\;|\\")]:
            with self.subTest(pattern):
                both = {"slow": {"pattern": pattern, "lr": 0.01}, "fast": {"pattern": "w", "lr": 0.2}}
                settings = mpc.compile(linear(), groups=both, **options).settings
                self.assertEqual((settings["slow.pattern"], settings["fast.pattern"]), (expected, "w"))
        for groups, error, message in [({"slow": {"lr": 0.01}}, TypeError, "'pattern' for group 'slow'"),
                                       ("slow", mpc.CompileError, "expected NAME:SETTING=VALUE"),
                                       ([{"params": ["b"], "lr": 0.01}], TypeError, "a mapping of groups by .* got list"),
                                       ({"slow": {"pattern": "b", "learning_rate": 1}}, mpc.CompileError,
                                        "'slow' has no setting 'learning_rate': did you mean 'lr'"),
                                       ({"slow": {"pattern": "c", "lr": 0.01}}, mpc.CompileError,
                                        "'c' matches the whole name of no parameter"),
                                       ({"slow": {"pattern": "b", "beta3": 0.5}}, mpc.CompileError,
                                        "got 'beta3=0.5', did you mean 'beta1'"),
                                       ({"slow": {"pattern": "b", "beta1": 0.5}}, mpc.CompileError, "beta1"),
                                       ({"slow": {"pattern": "(", "lr": 0.5}}, mpc.CompileError, "parenthes")]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                mpc.compile(linear(), groups=groups, **options)
        self.assertEqual(mpc.compile(linear(), groups={}, **options).data, mpc.compile(linear(), **options).data)

    def test_checkpoints_are_of_the_same_groups(self):
        options = {"dim": {"batch": 4}, "loss": "mse:y,t", "optimizer": "sgd", "lr": 0.1, "precision": "fp32"}
        programs = {(pattern, lr): mpc.compile(linear(), groups={"g": {"pattern": pattern, "lr": lr}}, **options)
                    for pattern, lr in [("b", 0.01), ("w", 0.01), ("b", 0.02)]}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "c.safetensors"
            with programs["b", 0.01].session() as session:
                session.step(x=np.ones((4, 3), np.float32), t=np.zeros((4, 2), np.float32))
                session.save(path)
                expected = session.get_state("b")
            with programs["w", 0.01].session() as session:
                before = session.get_state("b")
                with self.assertRaisesRegex(mpc.InvalidArgumentError, "expected g=w, but got g=b; its parameters fit"):
                    session.load(path)
                np.testing.assert_array_equal(session.get_state("b"), before)
                session.load(path, parameters_only=True)
                np.testing.assert_array_equal(session.get_state("b"), expected)
            with programs["b", 0.02].session() as session:
                self.assertEqual(session.load(path)["parameter_groups"], "g=b")
                self.assertEqual(session.get_state("g.lr"), np.float32(0.01))  # rates are states, which the file has

    @unittest.skipUnless(installed("torch") and installed("onnxscript"), "PyTorch and onnxscript are not installed")
    def test_parameter_groups(self):
        """PyTorch's param_groups: another rate for one layer, no weight decay on what is no matrix."""
        import torch
        torch.manual_seed(0)
        warnings.simplefilter("ignore")  # of the exporter
        net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 3))
        x, label = torch.randn(32, 8), torch.randint(0, 3, (32,))
        groups = {"head": {"pattern": "3\\..*", "lr": 1e-3, "weight_decay": 0.05},
                  "no_decay": {"pattern": ".*bias|2\\.weight", "weight_decay": 0}}
        parameters = dict(net.named_parameters())
        theirs = torch.optim.AdamW([{"params": [parameters[f"3.{name}"] for name in ("weight", "bias")], "lr": 1e-3,
                                     "weight_decay": 0.05},
                                    {"params": [parameters[name] for name in ("0.bias", "2.bias", "2.weight")],
                                     "weight_decay": 0.0},
                                    {"params": [parameters["0.weight"]]}], lr=1e-2, weight_decay=0.1)
        schedule = torch.optim.lr_scheduler.LambdaLR(theirs, lambda step: 1 - min(step, 20) / 20)
        with mpc.from_torch(net, x, loss="cross_entropy", precision="fp32", optimizer="adamw", lr=1e-2,
                            weight_decay=0.1, schedule="linear", total_steps=20, groups=groups) as trainer:
            self.assertEqual(trainer.program.settings["head.lr"], "0.001")
            for _ in range(10):
                told = trainer.step(x, label).loss
                loss = torch.nn.functional.cross_entropy(net(x), label)
                theirs.zero_grad()
                loss.backward()
                theirs.step()
                schedule.step()
                self.assertAlmostEqual(told, loss.item(), places=4)
            trained = trainer.state_dict()
        for name, value in net.named_parameters():
            torch.testing.assert_close(trained[name], value.detach(), rtol=1e-3, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
