"""What is drawn in evaluation, and what in training alone, beside PyTorch."""
import pathlib
import tempfile
import unittest
import warnings

import mpc
from models import installed


@unittest.skipUnless(installed("torch") and installed("onnxscript"), "PyTorch and onnxscript are not installed")
class Draws(unittest.TestCase):
    def setUp(self):
        import torch
        warnings.simplefilter("ignore")  # of the exporter
        torch.manual_seed(0)
        self.x = torch.randn(4, 8)

    def net(self, drops):
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = torch.nn.Linear(8, 8)
                self.drop = torch.nn.Dropout(0.5)

            def forward(self, x):
                return drops(self, self.fc(x))

        return Net()

    def moments(self, run):
        """The mean and the deviation of each element, of 1000 runs."""
        import torch
        found = torch.stack([run() for _ in range(1000)])
        return found.mean(0), found.std(0)

    def test_what_the_module_draws_in_evaluation(self):
        import torch
        from torch.nn import functional

        def without_gradients(net, h):
            with torch.no_grad():
                mask = (torch.rand_like(h) < 0.75).to(h.dtype) / 0.75
            return h * mask

        kinds = {
            "mask without gradients": without_gradients,
            "monte-carlo dropout": lambda net, h: functional.dropout(net.drop(h), 0.25, training=True),
            "mask": lambda net, h: h * ((torch.rand_like(h) < 0.75).to(h.dtype) / 0.75),
            "noise": lambda net, h: h * torch.rand_like(h),
            "attention": lambda net, h: functional.scaled_dot_product_attention(
                h[None, None], h[None, None], h[None, None], dropout_p=0.25)[0, 0],
        }
        options = dict(loss="mse", optimizer="sgd", lr=0.1, precision="fp32")
        for name, drops in kinds.items():
            net = self.net(drops).eval()
            with torch.no_grad():
                mean, deviation = self.moments(lambda: net(self.x))
            for trained in (options, {}):
                with self.subTest(name, trained=bool(trained)), mpc.from_torch(net, self.x, **trained) as trainer:
                    found = self.moments(lambda: trainer.predict(self.x)["output"])
                    # Of 1000 draws a mean is 3 % of a deviation from its own, and a deviation is 3 %: five times that.
                    torch.testing.assert_close(found[0], mean, rtol=0, atol=0.2 * deviation.max().item())
                    torch.testing.assert_close(found[1], deviation, rtol=0.2, atol=1e-3)

    def test_what_it_draws_in_training_alone(self):
        import torch
        from torch.nn import functional
        kinds = {
            "module": lambda net, h: net.drop(h),
            "function": lambda net, h: functional.dropout(h, 0.5, training=net.training),
            "mask": lambda net, h: h * ((torch.rand_like(h) < 0.5).to(h.dtype) / 0.5) if net.training else h,
            "attention": lambda net, h: functional.scaled_dot_product_attention(
                h[None, None], h[None, None], h[None, None], dropout_p=0.5 if net.training else 0)[0, 0],
        }
        for name, drops in kinds.items():
            net = self.net(drops)
            with self.subTest(name), mpc.from_torch(net, self.x, loss="mse", optimizer="sgd", lr=0.1,
                                                    precision="fp32") as trainer:
                torch.testing.assert_close(trainer.predict(self.x)["output"], net.eval()(self.x).detach())

    def test_predictions_leave_the_training_as_it_is(self):
        import torch
        from torch.nn import functional
        losses = []
        for predicts in (False, True):
            net = self.net(lambda net, h: functional.dropout(h, 0.5, training=True))
            with torch.no_grad():
                net.fc.weight.fill_(0.125), net.fc.bias.zero_()
            with mpc.from_torch(net, self.x, loss="mse", optimizer="sgd", lr=0.1, precision="fp32") as trainer:
                losses.append([])
                for _ in range(5):
                    if predicts:
                        trainer.predict(self.x)
                    losses[-1].append(trainer.step(self.x, self.x).loss)
        self.assertEqual(*losses)
        self.assertEqual(len(set(losses[0])), 5)

    def test_a_call_that_draws_now_and_then_is_told(self):
        from torch.nn import functional

        def drops(net, h):
            for training in (True, net.training):
                h = functional.dropout(h, 0.5, training=training)
            return h

        with tempfile.TemporaryDirectory() as folder, self.assertWarnsRegex(
                mpc.CompileWarning, r"of 2 calls that draw random numbers, PyTorch makes 1 .*test_draws.py:\d+\)"):
            mpc.torch.export(self.net(drops), self.x, pathlib.Path(folder) / "m.onnx")

    @unittest.skipUnless(installed("onnxruntime"), "onnxruntime is not installed")
    def test_masks_of_the_exported_module(self):
        import onnxruntime
        import torch
        from torch import nn

        class DropPath(nn.Module):  # stochastic depth, as vision models have it
            def forward(self, x):
                if not self.training:
                    return x
                return x * x.new_empty((x.shape[0], 1, 1, 1)).bernoulli_(0.75).div_(0.75)

        x = torch.randn(4, 2, 3, 3)
        for drop in (nn.Dropout(0.25, inplace=True), nn.Dropout2d(0.25), DropPath()):
            net = nn.Sequential(nn.Conv2d(2, 3, 1), drop)
            with self.subTest(type(drop).__name__), tempfile.TemporaryDirectory() as folder, \
                    mpc.from_torch(net, x, loss="mse", optimizer="sgd", lr=0.1, input_names=["x"]) as trainer:
                path = pathlib.Path(folder) / "m.onnx"
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    trainer.export_onnx(path)
                self.assertFalse([each for each in told if issubclass(each.category, mpc.CompileWarning)])
                runs = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
                found = torch.from_numpy(runs.run(["output"], {"x": x.numpy()})[0])
                torch.testing.assert_close(found, net.eval()(x).detach())


if __name__ == "__main__":
    unittest.main()
