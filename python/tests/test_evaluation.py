"""Modules that compute something else in evaluation than in training without dropout, beside PyTorch."""
import copy
import pathlib
import random
import tempfile
import unittest
import warnings

import numpy as np

import mpc
from models import installed

OPTIONS = dict(loss="mse", optimizer="sgd", lr=0.1, precision="fp32")


def branch(trains, evaluates=lambda net, h: h):
    return lambda net, h: (trains if net.training else evaluates)(net, h)


def by_hand():
    """Dropout as people write it."""
    import torch
    return {
        "compared": branch(lambda net, h: h * (torch.rand_like(h) > 0.25) / 0.75),
        "where": branch(lambda net, h: torch.where(torch.rand_like(h) > 0.25, h / 0.75, 0.0)),
        "masked_fill": branch(lambda net, h: h.masked_fill(torch.rand_like(h) < 0.25, 0.0) / 0.75),
        "not": branch(lambda net, h: h * (~(torch.rand_like(h) < 0.25)).float() / 0.75),
        "bernoulli": branch(lambda net, h: h * torch.bernoulli(torch.full_like(h, 0.75)) / 0.75),
        "floor": branch(lambda net, h: h / 0.75 * torch.floor(0.75 + torch.rand(4, 1))),
        "alpha": lambda net, h: torch.nn.functional.alpha_dropout(h, 0.25, net.training),
        "noise": branch(lambda net, h: h + torch.randn_like(h)),
    }


def branches():
    from torch.nn import functional
    return {
        "softmax": branch(lambda net, h: h, lambda net, h: h.softmax(1)),
        "another rate": lambda net, h: functional.dropout(h, 0.5 if net.training else 0.0, training=True),
        "other parameters": branch(lambda net, h: h, lambda net, h: net.other(h)),
        "other outputs": branch(lambda net, h: (h, net.other(h)), lambda net, h: h),
        "other names": branch(lambda net, h: {"logits": h}, lambda net, h: {"classes": h.softmax(1), "more": h}),
        "no logits": branch(lambda net, h: h, lambda net, h: h.argmax(1)),
        "in place": branch(lambda net, h: (h[:, :4].mul_(2), h)[1]),
        "in no_grad": branch(lambda net, h: h + h.detach(), lambda net, h: h + 1),
    }


def draws():
    """What evaluation draws alone, or more often."""
    from torch.nn import functional

    def loop(net, h):
        for training in (True, net.training):
            h = functional.dropout(h, 0.5, training=training)
        return h

    def mean(net, h):
        times = 1 if net.training else 4
        return sum(functional.dropout(h, 0.5, training=True) for _ in range(times)) / times

    return {"alone": branch(lambda net, h: h, lambda net, h: functional.dropout(h, 0.5, training=True)),
            "another rate": lambda net, h: functional.dropout(h, 0.5 if net.training else 0.2, training=True),
            "of two": loop, "of many": mean}


@unittest.skipUnless(installed("torch") and installed("onnxscript"), "PyTorch and onnxscript are not installed")
class Evaluation(unittest.TestCase):
    def setUp(self):
        import torch
        warnings.simplefilter("ignore")  # of the exporter
        torch.manual_seed(0)
        self.x = torch.randn(4, 8)

    def net(self, function, **parts):
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc, self.other = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
                for name, part in parts.items():
                    setattr(self, name, part)

            def forward(self, x):
                return function(self, self.fc(x))

        return Net()

    def told(self, makes):
        """What is warned of, of the compiler's."""
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            made = makes()
        return made, [str(each.message) for each in told if issubclass(each.category, mpc.CompileWarning)
                      and "do not reach the loss" not in str(each.message)]

    def evaluated(self, net, x=None):
        import torch
        modes = [part.training for part in net.modules()]
        with torch.no_grad():
            made = torch.utils._pytree.tree_leaves(net.eval()(self.x if x is None else x))
        for part, mode in zip(net.modules(), modes):
            part.training = mode
        return made

    def test_predictions_are_those_of_eval_mode(self):
        import torch
        for name, function in {**by_hand(), **branches()}.items():
            net = self.net(function)
            with self.subTest(name):
                trainer, told = self.told(lambda: mpc.from_torch(net, self.x, **OPTIONS))
                self.assertFalse(told)
                with trainer:
                    for _ in range(2):  # before and behind a step
                        torch.testing.assert_close(list(trainer.predict(self.x).values()), self.evaluated(net))
                        trainer.step(self.x, self.x)
                        trainer.update_module()
                    torch.testing.assert_close(list(trainer.predict(self.x[:3]).values()), self.evaluated(net, self.x[:3]))

    def test_what_evaluation_draws(self):
        import torch
        for name, function in draws().items():
            net = self.net(function)
            with self.subTest(name):
                trainer, told = self.told(lambda: mpc.from_torch(net, self.x, **OPTIONS))
                self.assertFalse(told)
                with trainer:
                    found = torch.stack([trainer.predict(self.x)["output"] for _ in range(1000)])
                theirs = torch.stack([self.evaluated(net)[0] for _ in range(1000)])
                # Of 1000 draws a mean is 3 % of a deviation from its own, and a deviation is 3 %: five times that.
                most = theirs.std(0).max().item()
                torch.testing.assert_close(found.mean(0), theirs.mean(0), rtol=0, atol=0.2 * most)
                torch.testing.assert_close(found.std(0), theirs.std(0), rtol=0.2, atol=0.05 * most)

    def test_modules_that_ask_for_nothing_else_have_one_program(self):
        import torch
        from torch import nn

        class Frozen(nn.BatchNorm1d):  # as people freeze batch norms
            def train(self, mode=True):
                return super().train(False)

        class Average(nn.Module):  # of which nothing comes
            def __init__(self):
                super().__init__()
                self.register_buffer("mean", torch.zeros(8))
                self.register_buffer("count", torch.zeros(()))

            def forward(self, h):
                if self.training:
                    self.count += 1
                    self.mean.mul_(0.9).add_(h.detach().mean(0) * 0.1)
                return h

        parts = [Average(), nn.Dropout(0.5), nn.BatchNorm1d(8), Frozen(8).eval(), nn.LSTM(8, 8, 2, dropout=0.5),
                 nn.GRU(8, 8, 2, dropout=0.5), nn.TransformerEncoderLayer(8, 2, 16, dropout=0.5)]
        for part in parts:
            net = self.net(lambda net, h: net.other(net.part(h)[0] if isinstance(net.part, nn.RNNBase) else net.part(h)),
                           part=part)
            net.part.requires_grad_(False)  # attention has another way in evaluation where nothing of it is trained
            with self.subTest(type(part).__name__), mpc.from_torch(net, self.x, **OPTIONS) as trainer:
                self.assertIsNone(trainer._evaluation)
                torch.testing.assert_close(trainer.predict(self.x)["output"], self.evaluated(net)[0], rtol=1e-5, atol=1e-5)

    def test_the_training_reaches_what_predicts(self):
        import torch
        net = self.net(branch(lambda net, h: net.norm(h), lambda net, h: net.norm(h).softmax(1)),
                       norm=torch.nn.BatchNorm1d(8))
        with tempfile.TemporaryDirectory() as folder, mpc.from_torch(
                net, self.x, **{**OPTIONS, "precision": "bf16", "clip_norm": 1.0, "accumulate": 2,
                                "groups": {"norms": {"pattern": "norm.*", "lr": 0.01}}}) as trainer:
            first = trainer.predict(self.x)["output"]
            trainer.session.save(pathlib.Path(folder) / "first.safetensors")
            for _ in range(3):
                trainer.accumulate(self.x, self.x)
                trainer.step(self.x, self.x)
            later = trainer.predict(self.x, self.x)  # with its loss
            trainer.update_module()
            theirs, = self.evaluated(net)
            torch.testing.assert_close(later["output"], theirs, rtol=0.02, atol=0.02)
            self.assertAlmostEqual(later["loss"].item(), (theirs - self.x).square().mean().item(), delta=0.02)
            self.assertGreater((later["output"] - first).abs().max().item(), 0.02)
            trainer.session.load(pathlib.Path(folder) / "first.safetensors")
            torch.testing.assert_close(trainer.predict(self.x)["output"], first, rtol=0, atol=0)
            trainer.session.set_state("norm.bias", np.arange(8, dtype=np.float32))
            self.assertEqual(trainer.predict(self.x)["output"].argmax(1).tolist(), [7] * 4)

    def test_modes_weights_and_numbers_stay(self):
        import torch

        class Merged(torch.nn.Linear):  # LoRA: one product where it is evaluated
            def __init__(self):
                super().__init__(8, 8)
                self.a, self.b = torch.nn.Parameter(torch.randn(8, 2)), torch.nn.Parameter(torch.randn(2, 8))
                self.merged = False

            def train(self, mode=True):
                if self.merged == mode:
                    self.weight.data += (self.a @ self.b) * (-1 if mode else 1)
                    self.merged = not mode
                return super().train(mode)

            def forward(self, x):
                return super().forward(x) + (0 if self.merged else x @ (self.a @ self.b).T)

        net = self.net(branch(lambda net, h: net.drop(net.merged(h)) * (1 + random.random()), lambda net, h: net.merged(h) + 1),
                       merged=Merged(), drop=torch.nn.Dropout(0.5).eval())
        own = random.getstate()
        before = {name: value.clone() for name, value in net.state_dict().items()}
        modes, numbers = [part.training for part in net.modules()], torch.get_rng_state()
        with mpc.from_torch(net, self.x, **OPTIONS) as trainer:
            self.assertEqual([part.training for part in net.modules()], modes)
            self.assertTrue(torch.equal(torch.get_rng_state(), numbers))
            self.assertEqual(random.getstate(), own)
            for name, value in net.state_dict().items():
                self.assertTrue(torch.equal(value, before[name]), name)
            self.assertFalse(net.merged.merged)
            trainer.step(self.x, self.x)
            trainer.update_module()
            torch.testing.assert_close(trainer.predict(self.x)["output"], self.evaluated(net)[0], rtol=1e-4, atol=1e-5)

    def test_what_cannot_be_traced_in_evaluation_is_told(self):
        for limit, same in [(1e9, ""), (-1e9, r" \(for the example inputs it gives the same numbers\)")]:
            net = self.net(branch(lambda net, h: h, lambda net, h: h if h.sum() > limit else h + 1))
            trainer, told = self.told(lambda: mpc.from_torch(net, self.x, **OPTIONS))
            self.assertRegex("\n".join(told), f"torch.export does not take .* something else{same}: it is predicted as it trains$")
            trainer.close()

    def test_parts_that_train_swaps_are_told(self):
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.one, self.other = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
                self.now = self.one

            def train(self, mode=True):
                self.now = self.one if mode else self.other
                return super().train(mode)

            def forward(self, x):
                return self.now(x)

        net = Net()
        trainer, told = self.told(lambda: mpc.from_torch(net, self.x, **OPTIONS))
        trainer.close()
        self.assertRegex("\n".join(told), "train.. puts other parameters under a name, .*: it is predicted as it trains$")
        self.assertIs(net.now, net.one)

    def test_statistics_that_evaluation_reads_by_hand(self):
        import torch

        def by_hand(net, h):
            if net.training:
                return net.norm(h)
            scale = net.norm.weight / (net.norm.running_var + net.norm.eps).sqrt()
            return (h - net.norm.running_mean) * scale + net.norm.bias

        net = self.net(by_hand, norm=torch.nn.BatchNorm1d(8))
        trainer, told = self.told(lambda: mpc.from_torch(net, self.x, **OPTIONS))
        self.assertFalse(told)
        with trainer, tempfile.TemporaryDirectory() as folder:
            trainer.step(self.x, self.x)
            found = trainer.predict(self.x)["output"]
            trainer.export_onnx(pathlib.Path(folder) / "net.onnx")
            with mpc.compile(pathlib.Path(folder) / "net.onnx", inference=True, precision="fp32").session() as session:
                copy, = session.run(dict(x=self.x.numpy())).values()
            trainer.update_module()
            for value in (found, torch.from_numpy(copy)):
                torch.testing.assert_close([value], self.evaluated(net))

    def test_what_cannot_be_compiled_in_evaluation_is_told(self):
        import torch

        def evaluates(net, h):
            return h[torch.randperm(4)]  # of which PyTorch's exporter knows nothing

        net = self.net(branch(lambda net, h: h, evaluates))
        trainer, told = self.told(lambda: mpc.from_torch(net, self.x, **OPTIONS))
        self.assertRegex("\n".join(told), r"something else where it is evaluated \(.*test_evaluation.py:\d+ `return function.*`\): it "
                                          "is predicted as it trains, since .*randperm")
        with trainer:
            torch.testing.assert_close(trainer.predict(self.x)["output"], net.fc(self.x).detach())

    def test_an_exported_file_tells(self):
        import torch
        zeros = torch.zeros(4, 8)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.onnx"
            for name, function in branches().items():
                with self.subTest(name):
                    _, told = self.told(lambda: mpc.torch.export(self.net(function), zeros, path))
                    self.assertEqual(len(told), 0 if name == "another rate" else 1)
                    for text in told:
                        self.assertRegex(text, r"where it is evaluated \(.*test_evaluation.py:\d+ `.*train=False")
            for name, function in by_hand().items():
                _, told = self.told(lambda: mpc.torch.export(self.net(function), self.x, path))
                self.assertEqual(bool(told), name in ("alpha", "all", "noise"), name)  # which is no dropout to a program
            for part in (torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(8)):
                _, told = self.told(lambda: mpc.torch.export(self.net(lambda net, h: net.part(h), part=part), self.x, path))
                self.assertFalse(told)

    def test_the_exported_copy_predicts_as_the_module(self):
        import torch
        net = self.net(branch(lambda net, h: torch.nn.functional.dropout(h), lambda net, h: net.other(h).softmax(1)))
        with tempfile.TemporaryDirectory() as folder, mpc.from_torch(net, self.x, **OPTIONS) as trainer:
            trainer.step(self.x, self.x)
            trainer.update_module()
            path = pathlib.Path(folder) / "copy.onnx"
            _, told = self.told(lambda: trainer.export_onnx(path))
            self.assertFalse(told)
            program = mpc.compile(path, inference=True, precision="fp32")
            found, = program.session().run({program.entry("forward").inputs[0].name: self.x}).values()
            torch.testing.assert_close(torch.from_numpy(found), self.evaluated(net)[0])

    def test_statistics_that_are_computed(self):
        import torch
        from torch import nn
        from torch.nn import functional

        class Norm(nn.BatchNorm1d):
            def __init__(self, variance, trains):
                super().__init__(6)
                self.variance, self.trains = variance, trains

            def forward(self, x):
                still = functional.batch_norm(x, self.running_mean, self.variance(self.running_var), None, None, False)
                return super().forward(still if self.trains else x) if self.training else still

        for name, variance in [("clamp", lambda value: value.clamp(min=0.9)), ("clone", lambda value: value.clone())]:
            for trains in (True, False):
                torch.manual_seed(0)
                net, x, target = nn.Sequential(nn.Linear(8, 6), Norm(variance, trains)), torch.randn(16, 8), torch.randn(16, 6)
                theirs = copy.deepcopy(net)
                optimizer = torch.optim.SGD(theirs.parameters(), lr=0.1)
                with self.subTest(name, trains=trains), mpc.from_torch(net, x, **OPTIONS) as trainer:
                    for _ in range(3):
                        optimizer.zero_grad()
                        loss = functional.mse_loss(theirs(x), target)
                        loss.backward()
                        optimizer.step()
                        self.assertAlmostEqual(trainer.step(x, target).loss, loss.item(), places=5)
                    torch.testing.assert_close(trainer.predict(x)["output"], theirs.eval()(x), rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
