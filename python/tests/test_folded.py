"""Parameters that PyTorch's own exporters fold and merge: each is named."""
import pathlib
import tempfile
import unittest
import warnings

import mpc
from models import classifier_in_torch, installed


@unittest.skipUnless(installed("torch") and installed("onnxscript"), "PyTorch and onnxscript are not installed")
class Folded(unittest.TestCase):
    def setUp(self):
        self.x = classifier_in_torch()[1]
        warnings.simplefilter("ignore")  # of the exporter

    def test_parameters_that_pytorchs_exporter_folds_are_named(self):
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.scale, self.unread = torch.nn.Parameter(torch.ones(8)), torch.nn.Parameter(torch.ones(8))
                self.fc = torch.nn.Linear(8, 3)

            def forward(self, x):
                return self.fc(x * (self.scale.exp() + 1))

        class One(Net):
            def __init__(self):
                super().__init__()
                self.scale = torch.nn.Parameter(torch.ones(()))

            def forward(self, x):
                return self.fc(x) * self.scale

        norm = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.Flatten(),
                                   torch.nn.Linear(72, 3))
        options = dict(loss="cross_entropy:output,label", optimizer="sgd", lr=0.1)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.onnx"
            for net, x, names in [(Net(), self.x, "'scale', 'unread'"), (One(), self.x, "'scale', 'unread'"),
                                  (norm, torch.randn(4, 1, 8, 8), "'1.bias', '1.weight'"),
                                  (norm.eval(), torch.randn(4, 1, 8, 8), "'1.bias', '1.weight'")]:
                with self.subTest(names, training=net.training):
                    torch.onnx.export(net, (x,), path, dynamo=True, output_names=["output"], verbose=False)
                    with self.assertWarnsRegex(mpc.CompileWarning, f"of the module (is|are) not in the file: {names};"):
                        mpc.compile(path, **options)
                    mpc.torch.export(net, (x,), path)
                    with warnings.catch_warnings(record=True) as told:
                        warnings.simplefilter("always")
                        mpc.compile(path, **options)
                    self.assertNotIn("not in the file", "".join(str(each.message) for each in told))

    def test_parameters_that_pytorchs_older_exporter_merges_are_named(self):
        import torch

        net = torch.nn.Sequential(torch.nn.LayerNorm(8), torch.nn.Linear(8, 8), torch.nn.LayerNorm(8))
        shared = torch.nn.Sequential(net[0], net[1], net[0])
        options = dict(loss="mse:output,target", optimizer="sgd", lr=0.1)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.onnx"
            for module in (net, shared):
                with self.subTest(is_shared=module is shared), warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    torch.onnx.export(module, (self.x,), path, dynamo=False, output_names=["output"])
                    mpc.compile(path, **options)
                    says = "'0.bias' for '2.bias', '0.weight' for '2.weight'"
                    self.assertEqual(says in "".join(str(each.message) for each in told), module is net)


if __name__ == "__main__":
    unittest.main()
