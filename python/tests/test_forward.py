"""What a module's forward takes and returns, beside PyTorch."""
import unittest
import warnings

import mpc
from models import classifier_in_torch, installed


@unittest.skipUnless(installed("torch") and installed("onnxscript"), "PyTorch and onnxscript are not installed")
class Forward(unittest.TestCase):
    def setUp(self):
        self.net, self.x, self.label = classifier_in_torch()
        warnings.simplefilter("ignore")  # of the exporter

    def test_a_batch_of_fewer_rows_is_predicted(self):
        import torch
        net = torch.nn.Sequential(self.net, torch.nn.BatchNorm1d(3))
        with mpc.from_torch(net, self.x, loss="cross_entropy", optimizer="sgd", lr=0.1, precision="fp32") as trainer:
            expected = net.eval()(self.x[:5]).detach()
            for given in (self.x[:5], self.x[:5].numpy()):
                torch.testing.assert_close(trainer.predict(given)["output"], expected)
            torch.testing.assert_close(trainer.predict(input=self.x[:1])["output"], expected[:1])
            for given in ((self.x[:5], self.label[:5]), (self.x[:0],)):
                with self.assertRaisesRegex(mpc.ShapeMismatchError, r"expected \(32, 8\)"):
                    trainer.predict(*given)

        class Total(torch.nn.Module):
            def forward(self, x, y):
                return x + y, x.sum()

        with mpc.from_torch(Total(), (self.x, self.x)) as trainer:  # of which no row is apart
            with self.assertRaisesRegex(mpc.ShapeMismatchError, "each output has a row"):
                trainer.predict(self.x[:5], self.x[:5])
        with mpc.from_torch(torch.nn.Bilinear(8, 8, 2), (self.x, self.x)) as trainer:
            with self.assertRaisesRegex(mpc.ShapeMismatchError, r"got \([56], 8\)"):
                trainer.predict(self.x[:5], self.x[:6])

    def test_what_does_not_come_of_a_short_batch_is_whole(self):
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.table = torch.nn.Linear(8, 3), torch.nn.Parameter(torch.randn(32, 2))

            def forward(self, x, y):
                return {"rows": self.a(x), "places": self.table * 2, "weight": self.a.weight * 1, "count": torch.arange(32.0),
                        "other": torch.cat([y, y]) @ self.a.weight.T}

        net, y = Net(), torch.randn(16, 8)
        with mpc.from_torch(net, (self.x, y), precision="fp32") as trainer:
            for count in (32, 5):
                expected = {name: value.detach() for name, value in net(self.x[:count], y).items()}
                torch.testing.assert_close(trainer.predict(self.x[:count], y), expected)

    def test_rows_that_depend_on_others_are_not_filled_up(self):
        import torch

        class Net(torch.nn.Module):
            def __init__(self, function):
                super().__init__()
                self.inner, self.function = torch.nn.Linear(8, 6), function

            def forward(self, x):
                return self.function(self.inner(x))

        encoder = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)  # of sequences first
        for net, x in [(Net(lambda h: h.softmax(0)), self.x), (Net(lambda h: h - h.mean(0, keepdim=True)), self.x),
                       (Net(lambda h: h.flip(0)), self.x), (encoder, self.x.reshape(8, 4, 8))]:
            with self.subTest(net), mpc.from_torch(net, x, precision="fp32") as trainer:
                with self.assertRaisesRegex(mpc.InvalidArgumentError, "5 rows was filled up, but rows of output 'output'"):
                    trainer.predict(x[:5])
                torch.testing.assert_close(trainer.predict(x)["output"], net.eval()(x).detach(), rtol=1e-5, atol=1e-5)
        with mpc.from_torch(Net(lambda h: torch.nn.functional.dropout(h, 0.5, training=True)), self.x) as trainer:
            self.assertEqual(trainer.predict(self.x[:5])["output"].shape, (5, 6))  # by the same numbers both times
        zeros = torch.zeros_like(self.x)
        with mpc.from_torch(Net(lambda h: h.cumsum(0).flip(0)), zeros) as trainer:
            with self.assertRaises(mpc.InvalidArgumentError):
                trainer.predict(zeros[:5])
        with mpc.from_torch(torch.nn.Bilinear(8, 8, 2), (self.x, self.x)) as trainer:
            with self.assertRaisesRegex(mpc.ShapeMismatchError, r"got \(5, 8\)"):
                trainer.predict(self.x[:5], self.x)

    def test_outputs_have_the_names_of_the_module(self):
        import collections

        import torch
        pair = collections.namedtuple("pair", ["mean", "scale"])

        class Net(torch.nn.Module):
            def __init__(self, makes):
                super().__init__()
                self.a, self.b, self.makes = torch.nn.Linear(8, 3), torch.nn.Linear(8, 2), makes

            def forward(self, x):
                return self.makes(self.a(x), self.b(x))

        for makes, names in [(lambda a, b: {"logits": a, "linear": b}, ["logits", "linear"]),
                             (lambda a, b: pair(a, b), ["mean", "output.scale"]),
                             (lambda a, b: {"x": a, "more": (b, {"all": b + 1})}, ["output.x", "more.0", "more.1.all"]),
                             (lambda a, b: {"logits": a, "loss": b.sum()}, ["logits", "output.loss"]),
                             (lambda a, b: {"logits": a, "none": None, "rest": b}, ["logits", "rest"]),
                             (lambda a, b: a, ["output"])]:
            net = Net(makes)
            with self.subTest(names), mpc.from_torch(net, self.x, loss="cross_entropy", optimizer="sgd", lr=0.1,
                                                     precision="fp32") as trainer:
                found = trainer.predict(self.x)
                self.assertEqual(list(found), names)
                torch.testing.assert_close(found[names[0]], net.a(self.x).detach())
                if found[names[-1]].shape == (32, 2):
                    torch.testing.assert_close(found[names[1]], net.b(self.x).detach())
        with mpc.from_torch(Net(lambda a, b: {"logits": a, "rest": b}), self.x, loss="mse:rest,target", optimizer="sgd",
                            lr=0.1) as trainer:
            self.assertEqual(trainer.program.entry("step").inputs[1].shape, (32, 2))
        with mpc.from_torch(Net(lambda a, b: {"logits": a, "loss": b.square().mean()}), self.x, loss="loss",
                            optimizer="sgd", lr=0.1, precision="fp32") as trainer:
            net = trainer.module
            self.assertAlmostEqual(trainer.step(self.x).loss, net.b(self.x).square().mean().item(), places=5)

    def test_a_dataclass_has_names(self):
        import dataclasses

        import torch

        @dataclasses.dataclass
        class Found:
            logits: torch.Tensor
            hidden: torch.Tensor

        class Net(torch.nn.Module):
            def forward(self, x):
                return Found(x + 1, x + 2)

        with self.assertRaisesRegex(mpc.CompileError, "Found.*torch.export.register_dataclass"):
            mpc.from_torch(Net(), self.x)
        torch.export.register_dataclass(Found)
        with mpc.from_torch(Net(), self.x, precision="fp32") as trainer:
            made = trainer.predict(self.x)
        self.assertEqual(list(made), ["logits", "hidden"])
        torch.testing.assert_close(made["hidden"], self.x + 2)

    def test_outputs_of_one_name_are_two(self):
        import torch

        class Net(torch.nn.Module):
            def __init__(self, makes):
                super().__init__()
                self.makes = makes

            def forward(self, x):
                return self.makes(x)

        for makes, names in [(lambda x: {"a.b": x + 1, "a": {"b": x + 2}}, ["a.b", "a.b.1"]),
                             (lambda x: {0: x + 1, "0": x + 2}, ["0", "0.1"]),
                             (lambda x: {"x": x + 1, "output.x": x + 2}, ["output.x", "output.x.1"])]:
            with self.subTest(names), self.assertWarnsRegex(mpc.CompileWarning, f"'{names[0]}': the later is '{names[1]}'"):
                with mpc.from_torch(Net(makes), self.x, precision="fp32") as trainer:
                    made = trainer.predict(self.x)
                self.assertEqual(list(made), names)
                for i, name in enumerate(names):
                    torch.testing.assert_close(made[name], self.x + 1 + i)

    def test_a_key_without_letters_names_nothing(self):
        import torch

        class Net(torch.nn.Module):
            def forward(self, x):
                return {"": x + 1, "a": x + 2}

        with mpc.from_torch(Net(), self.x, precision="fp32") as trainer:
            made = trainer.predict(self.x)
            self.assertNotIn("a", made)
            torch.testing.assert_close(made["output"], self.x + 1)

    def test_one_tensor_is_one_output(self):
        import torch

        class Net(torch.nn.Module):
            def forward(self, x):
                made = x + 1
                return {"z": made, "a": made}

        with self.assertRaisesRegex(mpc.InvalidArgumentError, "returns 2 tensors, but 1 of them twice"):
            mpc.from_torch(Net(), self.x)

    def test_the_mean_over_samples(self):
        import torch
        target = torch.softmax(torch.randn(32, 3), 1)
        net = torch.nn.Sequential(self.net, torch.nn.LogSoftmax(1))
        for loss, reduction in (("kl_div", "mean"), ("kl_div,reduction=batchmean", "batchmean")):
            with self.subTest(loss), mpc.from_torch(net, self.x, loss=loss, optimizer="sgd", lr=0.1,
                                                    precision="fp32") as trainer:
                theirs = torch.nn.functional.kl_div(net(self.x), target, reduction=reduction)
                self.assertAlmostEqual(trainer.step(self.x, target).loss, theirs.item(), places=5)


if __name__ == "__main__":
    unittest.main()
