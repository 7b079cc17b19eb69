"""What a trainer of a module of PyTorch has beside its steps: states by the module's names, of which tied parameters have
several, and inputs that nobody needs."""
import pathlib
import tempfile
import unittest
import warnings

import mpc
import numpy as np
from models import classifier_in_torch, installed


def tied():
    """A head that is the table of an embedding, which a third part has, too; words and what comes next."""
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(11, 8)
            self.mid = nn.Linear(8, 8)
            self.twice = nn.Linear(8, 11, bias=False)
            self.head = nn.Linear(8, 11, bias=False)
            self.twice.weight = self.head.weight = self.embed.weight

        def forward(self, words):
            h = torch.tanh(self.mid(self.embed(words)))
            return self.head(h) - 0.5 * self.twice(h * h)

    torch.manual_seed(0)
    return Net(), torch.arange(12) % 11, torch.arange(1, 13) % 11


@unittest.skipUnless(installed("torch") and installed("onnxscript"), "PyTorch and onnxscript are not installed")
class Ties(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")  # of the exporter

    def test_a_tied_parameter_is_called_as_named_parameters_calls_it(self):
        import torch
        net, words, nexts = tied()
        expected = [name for name, _ in net.named_parameters()]
        theirs = torch.optim.SGD([{"params": [net.embed.weight], "lr": 0.05}, {"params": net.mid.parameters()}], lr=0.5)
        with mpc.from_torch(net, words, loss="cross_entropy", precision="fp32", optimizer="sgd", lr=0.5,
                            groups={"table": {"pattern": "embed\\..*", "lr": 0.05}}) as trainer:
            self.assertEqual(sorted(trainer.session.state_dict(parameters_only=True)), sorted(expected))
            for _ in range(5):
                told = trainer.step(words, nexts).loss
                loss = torch.nn.functional.cross_entropy(net(words), nexts)
                theirs.zero_grad()
                loss.backward()
                theirs.step()
                self.assertAlmostEqual(told, loss.item(), places=5)
            trained = trainer.state_dict()
        self.assertEqual(trained.keys(), net.state_dict().keys())
        for name, value in net.state_dict().items():
            torch.testing.assert_close(trained[name], value, rtol=1e-4, atol=1e-6)

    def test_it_is_frozen_by_that_name(self):
        net, words, nexts = tied()
        table = net.embed.weight.detach().clone()
        with mpc.from_torch(net, words, loss="cross_entropy", precision="fp32", optimizer="sgd", lr=0.5,
                            freeze="embed\\.weight") as trainer:
            trainer.step(words, nexts)
            trained = trainer.state_dict()
        np.testing.assert_array_equal(trained["head.weight"].numpy(), table.numpy())
        self.assertFalse(np.array_equal(trained["mid.weight"].numpy(), net.mid.weight.detach().numpy()))

    def test_requires_grad_is_known_of_all_names(self):
        net, words, nexts = tied()
        net.head.weight.requires_grad_(False)
        table = net.embed.weight.clone()
        with mpc.from_torch(net, words, loss="cross_entropy", precision="fp32", optimizer="sgd", lr=0.5) as trainer:
            trainer.step(words, nexts)
            np.testing.assert_array_equal(trainer.state_dict()["twice.weight"].numpy(), table.numpy())

    def test_in_a_file_no_name_is_told_as_lost(self):
        net, words, _ = tied()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tied.onnx"
            mpc.torch.export(net, words, path)
            with warnings.catch_warnings():
                warnings.simplefilter("error", mpc.CompileWarning)
                program = mpc.compile(path, loss="cross_entropy:output,next", precision="fp32", optimizer="sgd", lr=0.1)
            self.assertEqual(sorted(program.weights), sorted(name for name, _ in net.named_parameters()))


@unittest.skipUnless(installed("torch") and installed("onnxscript"), "PyTorch and onnxscript are not installed")
class Trainers(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")  # of the exporter

    def test_it_takes_what_the_module_has(self):
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.norm, self.b = nn.Linear(8, 8, bias=False), nn.BatchNorm1d(8), nn.Linear(8, 8, bias=False)
                self.b.weight = self.a.weight

            def forward(self, x):
                return self.b(torch.tanh(self.norm(self.a(x))))

        torch.manual_seed(0)
        net, other, x = Net(), Net(), torch.randn(32, 8)
        other.norm.running_mean.uniform_()
        with mpc.from_torch(net, x, loss="mse", precision="fp32", optimizer="sgd", lr=0.1) as trainer:
            trainer.load_state_dict(other.state_dict())  # with counts of batches
            torch.testing.assert_close(trainer.predict(x)["output"], other.eval()(x), rtol=1e-5, atol=1e-6)
            for name, value in trainer.state_dict().items():
                torch.testing.assert_close(value, other.state_dict()[name], rtol=0, atol=0)
            twins = {name: value for name, value in net.state_dict().items() if name != "a.weight"}
            trainer.load_state_dict({**twins, "norm.weight": twins["norm.weight"].double()})
            torch.testing.assert_close(trainer.state_dict()["a.weight"], net.a.weight.detach(), rtol=0, atol=0)
            before = trainer.state_dict()
            del twins["norm.bias"]
            for states, error, message in [
                    ({**net.state_dict(), "c.weight": torch.zeros(8)}, mpc.NotFoundError,
                     "no parameter or buffer 'c.weight'"),
                    (twins, mpc.NotFoundError, "expected a value for 'norm.bias'"),
                    ({**twins, "norm.bias": torch.zeros(9)}, mpc.ShapeMismatchError, "'norm.bias'"),
                    ({**twins, "norm.bias": np.zeros(8)}, mpc.TypeMismatchError, "'norm.bias': expected f32, but got f64")]:
                with self.subTest(message), self.assertRaisesRegex(error, message):
                    trainer.load_state_dict(states)
            trainer.load_state_dict({"c.weight": torch.zeros(8)}, strict=False)
            for name, value in trainer.state_dict().items():
                torch.testing.assert_close(value, before[name], rtol=0, atol=0)

    def test_labels_that_eval_mode_does_not_read(self):
        import torch
        from torch import nn
        from torch.nn import functional as F
        net, x, label = classifier_in_torch()

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = net

            def forward(self, x, label):
                h = self.net(x)
                return {"loss": F.cross_entropy(h, label)} if self.training else {"logits": h}

        whole = Net()
        with mpc.from_torch(whole, (x, label), loss="loss", precision="fp32", optimizer="sgd", lr=0.1) as trainer:
            trainer.step(x, label)
            trainer.update_module()
            expected = whole.eval()(x, None)["logits"].detach()
            for rows, given in [(32, (x,)), (32, (x, label)), (5, (x[:5],))]:
                with self.subTest(rows=rows, inputs=len(given)):
                    found = trainer.predict(*given)["logits"]
                    torch.testing.assert_close(found, expected[:rows], rtol=1e-5, atol=1e-6)
            with self.assertRaisesRegex(mpc.NotFoundError, "'x' of entry 'forward' is missing"):
                trainer.predict(label=label)

    def test_names_of_outputs_that_eval_mode_has_fewer_of(self):
        import torch
        from torch import nn
        net, x, label = classifier_in_torch()

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.net, self.other = net, nn.Linear(8, 3)

            def forward(self, x):
                return (self.net(x), self.other(x)) if self.training else self.net(x).softmax(1)

        with mpc.from_torch(Net(), x, loss="cross_entropy:logits,target,class_dim=1", output_names=["logits", "more"],
                            precision="fp32", optimizer="sgd", lr=0.1) as trainer:
            found = trainer.predict(x)
            self.assertEqual(list(found), ["logits"])
            torch.testing.assert_close(found["logits"], net(x).softmax(1), rtol=1e-5, atol=1e-6)

    def test_names_of_outputs_without_names(self):
        import torch
        from torch import nn
        net, x, _ = classifier_in_torch()

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = net

            def forward(self, x):
                return self.net(x), None, [x * 2, x.chunk(2, 1)]

        with mpc.from_torch(Net(), x, precision="fp32") as trainer:
            found = trainer.predict(x)
            self.assertEqual(list(found), ["output", "output.1", "output.2", "output.3"])
            for value, expected in zip(found.values(), (net(x), x * 2, *x.chunk(2, 1))):
                torch.testing.assert_close(value, expected, rtol=1e-5, atol=1e-6)
            with self.assertRaisesRegex(mpc.InvalidArgumentError, "step: .*from_torch.*loss="):
                trainer.step(x)

    def test_a_number_that_forward_changes_is_told(self):
        from torch import nn
        net, x, label = classifier_in_torch()

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.net, self.calls, self.rows = net, 0, None

            def forward(self, x):
                self.calls += 1
                self.rows = x.shape[0]  # which says nothing of other steps
                return self.net(x) * min(1, self.calls / 10)

        module = Net()
        with self.assertWarnsRegex(mpc.CompileWarning, r"forward changes 'calls' \(0, then 1\)") as caught:
            mpc.from_torch(module, x, loss="cross_entropy", optimizer="sgd", lr=0.1).close()
        self.assertEqual(caught.filename, __file__)
        self.assertEqual(module.calls, 0)
        class Sum(nn.Module):
            def forward(self, x, y):
                return x - 2 * y

        with mpc.from_torch(Sum(), (x, x), precision="fp32") as trainer:  # one tensor, two inputs
            np.testing.assert_array_equal(trainer.predict(x, x + 1)["output"].numpy(), (x - 2 * (x + 1)).numpy())
        for given in (None, {"x": x}):
            with self.assertRaisesRegex(TypeError, "example_inputs: expected a tensor, or several"):
                mpc.from_torch(module, given)


if __name__ == "__main__":
    unittest.main()
