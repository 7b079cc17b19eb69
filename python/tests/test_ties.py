"""Tied parameters of PyTorch: one tensor with more than one name in its module."""
import pathlib
import tempfile
import unittest
import warnings

import mpc
import numpy as np
from models import installed


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


if __name__ == "__main__":
    unittest.main()
