"""What modules of PyTorch do that is easily lost on their way: each trains as PyTorch trains it, or says what does not."""
import copy
import pathlib
import tempfile
import unittest
import warnings

import mpc
from models import installed

if installed("torch"):
    import torch
    from torch import nn
    from torch.nn import functional as F

    class Net(nn.Module):
        """Two layers, of 8 to 4 and 4 to 3, of which ``forward`` is given."""

        def __init__(self, forward, **parts):
            super().__init__()
            self.a, self.b, self.forwards = nn.Linear(8, 4), nn.Linear(4, 3), forward
            for name, part in parts.items():
                setattr(self, name, part)

        def forward(self, *inputs):
            return self.forwards(self, *inputs)


@unittest.skipUnless(installed("torch") and installed("onnxscript"), "PyTorch and onnxscript are not installed")
class Modules(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.x, self.target = torch.randn(16, 8), torch.randn(16, 3)
        warnings.simplefilter("ignore")  # of the exporter

    def compare(self, net, inputs, warning=None, skipped=()):
        """Three steps of SGD as PyTorch takes them: losses, parameters, buffers. ``warning``: the only one, by its
        words; None: there is none."""
        theirs = copy.deepcopy(net)
        optimizer = torch.optim.SGD([value for value in theirs.parameters() if value.requires_grad], lr=0.1)
        losses = []
        for _ in range(3):
            optimizer.zero_grad()
            loss = theirs(*inputs)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", mpc.CompileWarning)
            trainer = mpc.from_torch(net, inputs, loss="output", precision="fp32", optimizer="sgd", lr=0.1)
        told = [str(entry.message) for entry in told if issubclass(entry.category, mpc.CompileWarning)]
        self.assertEqual(len(told), 0 if warning is None else 1, told)
        if warning:
            self.assertRegex(told[0], warning)
        with trainer:
            for loss in losses:
                self.assertAlmostEqual(trainer.step(*inputs).loss, loss, delta=1e-5 * max(1, abs(loss)))
            trainer.update_module()
        for (name, own), other in zip(net.state_dict().items(), theirs.state_dict().values()):
            if name not in skipped:
                torch.testing.assert_close(own, other, rtol=1e-4, atol=1e-5, msg=lambda text, name=name: f"{name}: {text}")

    def test_batch_norm_that_is_called_twice(self):
        def forward(net, x):
            return ((net.b(net.norm(net.a(x)) + net.norm(net.a(x * 2 + 1)))) ** 2).mean()

        self.compare(Net(forward, norm=nn.BatchNorm1d(4)), (self.x,))

    def test_batch_norm_that_is_called_without_gradients_too(self):
        def forward(net, x):
            with torch.no_grad():
                still = net.norm(x[:, :4])
            return ((net.b(net.norm(net.a(x)) + still)) ** 2).mean()

        self.compare(Net(forward, norm=nn.BatchNorm1d(4)), (self.x,))

    def test_batch_norms_in_eval_mode_and_without_statistics(self):
        def forward(net, x):
            return ((net.b(net.alone(net.norm(net.frozen(net.a(x)))))) ** 2).mean()

        net = Net(forward, norm=nn.BatchNorm1d(4), frozen=nn.BatchNorm1d(4),
                  alone=nn.BatchNorm1d(4, track_running_stats=False))
        net.frozen.eval()
        self.compare(net, (self.x,))
        self.assertEqual((net.norm.num_batches_tracked, net.frozen.num_batches_tracked), (3, 0))

    def test_batch_norms_by_their_calls(self):
        class Norm(nn.Module):  # whose statistics have other names than PyTorch's, and whose mode is not the module's
            def __init__(self, trains):
                super().__init__()
                self.register_buffer("mean", torch.zeros(4))
                self.register_buffer("spread", torch.ones(4))
                self.trains = trains

            def forward(self, x):
                return F.batch_norm(x, self.mean, self.spread, None, None, self.trains(self.training), 0.2)

        class Still(nn.BatchNorm1d):
            def forward(self, x):
                return F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, False)

        def forward(net, x):
            return ((net.b(net.norm(net.a(x)))) ** 2).mean()

        for norm, warning in [(Norm(lambda training: training), None), (Norm(lambda training: False), None), (Still(4), None),
                              (Norm(lambda training: True), r"'norm.mean' normalizes by its batch where it is evaluated, too, .*"
                                                            r"test_modules.py:\d+ `return F.batch_norm")]:
            with self.subTest(norm):
                self.compare(Net(forward, norm=norm), (self.x,), warning)

    def test_statistics_that_forward_reads(self):
        def before(net, x):
            h = net.a(x)
            return ((net.b(net.norm((h - net.norm.running_mean) / (1 + net.norm.running_var).sqrt()))) ** 2).mean()

        def with_a_norm(net, x):
            still = F.batch_norm(x[:, :4], net.norm.running_mean, net.norm.running_var, None, None, False)
            return ((net.b(net.norm(net.a(x)) + still)) ** 2).mean()

        for forward in (before, with_a_norm):
            with self.subTest(forward.__name__):
                self.compare(Net(forward, norm=nn.BatchNorm1d(4)), (self.x,))

        def behind(net, x):
            h = net.norm(net.a(x))
            with torch.no_grad():
                scale = net.norm.running_var.sqrt()
            return net.b(h * scale)

        def view_behind(net, x):
            mean = net.norm.running_mean.view(1, -1)
            return net.b(net.norm(net.a(x)) + mean)

        def norm_behind(net, x):
            h = net.norm(net.a(x))
            return net.b(h + F.batch_norm(x[:, :4], net.norm.running_mean, net.norm.running_var, None, None, False))

        def in_evaluation(net, x):
            h = net.norm(net.a(x))
            return net.b(h if net.training else h * net.norm.running_var.sqrt())

        for forward, names in ((behind, ["running_var"]), (view_behind, ["running_mean"]),
                               (norm_behind, ["running_mean", "running_var"]), (in_evaluation, [])):
            net = Net(forward, norm=nn.BatchNorm1d(4))
            with self.subTest(forward.__name__), warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always", mpc.CompileWarning)
                with mpc.from_torch(net, self.x, loss="mse", precision="fp32", optimizer="sgd", lr=0.1) as trainer:
                    for _ in range(2):  # before and behind a step
                        torch.testing.assert_close(trainer.predict(self.x)["output"], copy.deepcopy(net).eval()(self.x))
                        trainer.step(self.x, self.target)
                        trainer.update_module()
                self.assertEqual(net.norm.num_batches_tracked, 2)
                told = [str(entry.message) for entry in told if issubclass(entry.category, mpc.CompileWarning)]
                self.assertEqual(len(told), len(names), told)
                for text, name in zip(told, names):
                    self.assertRegex(text, f"'norm.{name}' is read in forward behind the batch norm .*"
                                           r"test_modules.py:\d+ `")

    def test_batch_norms_whose_statistics_are_no_buffers(self):
        zeros, ones = (lambda net, x: torch.zeros(4), lambda net, x: torch.ones(4))
        kept = "running statistics that are no buffer of the module as it is.*test_modules.py"
        for name, mean, variance, training, warning in [
                ("temporary", zeros, ones, lambda net: True, None),
                ("copies", lambda net, x: net.norm.running_mean.clone(), lambda net, x: net.norm.running_var * 1,
                 lambda net: net.training, None),
                ("parameters", lambda net, x: net.mean, lambda net, x: net.variance, lambda net: net.training, kept),
                ("parts", lambda net, x: net.whole[:4], lambda net, x: net.whole[4:], lambda net: net.training, kept)]:
            def forward(net, x):
                h = F.batch_norm(net.a(x), mean(net, x), variance(net, x), None, None, training(net))
                return ((net.b(h)) ** 2).mean()

            net = Net(forward, norm=nn.BatchNorm1d(4))
            net.mean = nn.Parameter(torch.zeros(4), requires_grad=False)
            net.variance = nn.Parameter(torch.ones(4), requires_grad=False)
            net.register_buffer("whole", torch.cat([torch.zeros(4), torch.ones(4)]))
            with self.subTest(name):
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", message=".*do not reach the loss", category=mpc.CompileWarning)
                    self.compare(net, (self.x,), warning, ("mean", "variance", "whole", "norm.running_mean"))
                with mpc.from_torch(net, self.x, loss="output", precision="fp32", optimizer="sgd", lr=0.1) as trainer:
                    expected = copy.deepcopy(net).eval()(self.x)
                    torch.testing.assert_close(trainer.predict(self.x)["loss"], expected)

    def test_batch_norm_by_hand_counts_nothing(self):
        def forward(net, x):
            norm = net.norm
            h = F.batch_norm(net.a(x), norm.running_mean, norm.running_var, norm.weight, norm.bias, net.training, 0.1)
            return ((net.b(net.other(h))) ** 2).mean()

        self.compare(Net(forward, norm=nn.BatchNorm1d(4), other=nn.BatchNorm1d(4)), (self.x,))

    def test_statistics_that_a_batch_norm_changes_otherwise(self):
        class ByHand(nn.BatchNorm1d):
            def forward(self, x):
                if not self.training:
                    return (x - self.running_mean) / (self.running_var + self.eps).sqrt()
                with torch.no_grad():
                    self.running_mean.lerp_(x.mean(0), 0.1)
                return (x - x.mean(0)) / (x.var(0) + self.eps).sqrt()

        class Assigned(ByHand):
            def forward(self, x):
                if self.training:
                    self.running_mean = 0.9 * self.running_mean + 0.1 * x.mean(0).detach()
                return x - x.mean(0)

        class Clamped(nn.BatchNorm1d):
            def forward(self, x):
                made = super().forward(x)
                if self.training:
                    with torch.no_grad():
                        self.running_mean.clamp_(min=0)
                return made

        class Unread(nn.BatchNorm1d):
            def forward(self, x):
                super().forward(x.detach())
                return x

        for norm, message in [(ByHand, "is changed in forward, and keeps"), (Assigned, "by assigning to it, and keeps"),
                              (Clamped, "beside its batch norm"), (Unread, "nor for a batch norm whose result nothing reads")]:
            net = Net(lambda net, x: net.b(net.norm(net.a(x))), norm=norm(4))
            with self.subTest(norm.__name__), self.assertWarnsRegex(mpc.CompileWarning,
                                                                    f"'norm.running_mean' .*{message}"):
                mpc.from_torch(net, self.x, loss="mse", optimizer="sgd", lr=0.1).close()

    def test_what_train_does_to_parameters(self):
        class Averaged(nn.Module):
            def __init__(self, factor):
                super().__init__()
                self.a, self.factor = nn.Linear(8, 4), factor

            def train(self, mode=True):
                if mode != self.training:
                    with torch.no_grad():
                        self.a.weight.mul_(self.factor if self.training else 1 / self.factor)
                return super().train(mode)

            def forward(self, x):
                return self.a(x) * (1 if self.training or self.factor != 4 else 0.25)

        def train(module):
            with mpc.from_torch(module, self.x, loss="mse", precision="fp32", optimizer="sgd", lr=0.1) as trainer:
                trainer.step(self.x, torch.zeros(len(self.x), 4))
                return trainer.predict(self.x)["output"], trainer

        with warnings.catch_warnings():
            warnings.simplefilter("error", mpc.CompileWarning)
            module = Averaged(4)  # which computes the same
            found, trainer = train(module)
            module.eval()
        with self.assertWarnsRegex(mpc.CompileWarning, "train\\(\\) puts other values into parameters"):
            train(Averaged(2))
        with self.assertRaisesRegex(mpc.CompileError, "in eval mode, and its train\\(\\) changes parameters.*call train\\(\\) first"):
            train(Averaged(2).eval())

    def test_bounds_of_two_kinds_of_numbers(self):
        self.compare(Net(lambda net, x: (net.b(net.a(x).clamp(0, 0.5).clip(0.1, 2)) ** 2).mean()), (self.x,))

    def test_what_has_no_word(self):
        from torch.utils.checkpoint import checkpoint

        def native(net, x):
            norm = net.norm
            return net.b(torch.native_batch_norm(net.a(x), norm.weight, norm.bias, norm.running_mean, norm.running_var, True,
                                                 0.1, 1e-5)[0])

        for forward, message in [(native, "torch.native_batch_norm is no batch norm .*test_modules.py"),
                                 (lambda net, x: net.b(checkpoint(torch.tanh, net.a(x), use_reentrant=True)),
                                  "use_reentrant=True"),
                                 (lambda net, x: net.b(net.a(x)) * net.b.weight.data.mean(), r"\.data of a parameter")]:
            with self.subTest(message), self.assertRaisesRegex(mpc.CompileError, message):
                mpc.from_torch(Net(forward, norm=nn.BatchNorm1d(4)), self.x, loss="mse", optimizer="sgd", lr=0.1)
        net = Net(lambda net, x: net.b(net.a(x)) + net.other.sum())
        net.register_buffer("other", net.a.weight.detach())
        with self.assertWarnsRegex(mpc.CompileWarning, "parameter 'a.weight' and buffer 'other' share memory"):
            mpc.from_torch(net, self.x, loss="mse", optimizer="sgd", lr=0.1).close()

    def test_what_is_no_module_is_refused(self):
        with self.assertRaisesRegex(TypeError, "module: expected a torch.nn.Module, but got int"):
            mpc.from_torch(3, self.x)

    def test_counts_that_forward_reads_are_told(self):
        def forward(net, x):
            return ((net.b(net.norm(net.a(x)) / (1 + net.norm.num_batches_tracked.float()))) ** 2).mean()

        with self.assertWarnsRegex(mpc.CompileWarning, "'norm.num_batches_tracked' is read in forward, .*test_modules.py"):
            mpc.from_torch(Net(forward, norm=nn.BatchNorm1d(4)), self.x, loss="output", optimizer="sgd", lr=0.1).close()

    def test_parameters_of_16_bits(self):
        for master, dtype in [("bf16", torch.bfloat16), ("bf16_kahan", torch.bfloat16), ("f16", torch.float16)]:
            net = nn.Linear(8, 3)
            with torch.no_grad():  # of which some lie between two that the type has
                net.weight[0, :4] = torch.tensor([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-11, -1 - 3 * 2**-11])
                net.weight[1, 0] = float("nan")
            options = dict(loss="mse", optimizer="adamw", lr=0.1, master=master, precision="fp16" if master == "f16" else "bf16")
            with self.subTest(master), mpc.from_torch(net, self.x, **options) as trainer:
                for name, value in trainer.state_dict().items():
                    torch.testing.assert_close(value, dict(net.named_parameters())[name].detach().to(dtype), rtol=0, atol=0,
                                               equal_nan=True)
        with torch.no_grad():
            net.weight[1, 0] = 70000
        with self.assertRaisesRegex(mpc.InvalidArgumentError, "weight 'weight': expected numbers that f16 reaches"):
            mpc.from_torch(net, self.x, **options)

    def test_no_grad_around_what_gives_its_operand_back(self):
        def same(change):
            def forward(net, x):
                h = net.a(x)
                with torch.no_grad():
                    h = change(h)
                return (net.b(h) ** 2).mean()
            return forward

        for change in (lambda h: h.to(torch.float32), lambda h: F.dropout(h, 0.5, training=False), lambda h: F.dropout(h, 0.0),
                       lambda h: F.dropout(h.to(torch.float32), 0.0).contiguous(), lambda h: h * 1, lambda h: h.view(2, 8, 4),
                       lambda h: h.to(torch.float32, copy=True), lambda h: h.to(torch.float64).to(torch.float32),
                       lambda h: h.t().contiguous().t()):
            with self.subTest(change), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.compare(Net(same(change)), (self.x,))

    def test_label_smoothing_in_the_module(self):
        label = torch.randint(0, 3, (16,))

        def forward(net, x, label):
            with torch.autocast("cpu", enabled=False):
                third = F.cross_entropy(net.b(net.a(x * 3)), label, label_smoothing=0.3)
            return (F.cross_entropy(net.b(net.a(x)), label, label_smoothing=0.1)
                    + F.cross_entropy(net.b(net.a(x * 2)), label) + third)

        self.compare(Net(forward), (self.x, label))

    def test_what_is_left_out_is_told(self):
        def loss_of(part):
            return lambda net, *inputs: (part(net, *inputs) ** 2).mean()

        table = nn.Parameter(torch.randn(9, 4))
        index = torch.randint(3, 9, (16,))
        self.compare(Net(loss_of(lambda net, i: F.embedding(i, net.table, padding_idx=2)), table=table), (index,),
                     r"'table' has padding_idx=2.*test_modules\.py")
        self.compare(Net(loss_of(lambda net, i: net.table(i)), table=nn.Embedding(9, 4, padding_idx=2)), (index,),
                     "'table.weight' has padding_idx=2")
        image = torch.randn(2, 3, 5, 5)
        self.compare(Net(loss_of(lambda net, x: net.norm(x)), norm=nn.InstanceNorm2d(3, affine=True, track_running_stats=True)),
                     (image,), "'norm' has track_running_stats",
                     skipped=("norm.running_mean", "norm.running_var", "norm.num_batches_tracked"))
        hooked = Net(loss_of(lambda net, x: net.b(net.a(x))))
        hooked.b.register_full_backward_hook(lambda part, given, made: None)
        self.compare(hooked, (self.x,), "'b' has hooks of its gradients")
        both = nn.Parameter(torch.randn(12, 8))
        apart = Net(loss_of(lambda net, x: net.b(net.a(x))), one=both, other=nn.Parameter(both.data[:6]))
        with self.assertWarnsRegex(mpc.CompileWarning, "parameter '(one|other)' and parameter '(one|other)' share memory"):
            mpc.from_torch(apart, (self.x,), loss="output", optimizer="sgd", lr=0.1).close()

    def test_what_cannot_be_exported_is_told(self):
        def hooked(net, x):
            h = net.a(x)
            h.register_hook(lambda gradient: gradient * 0)
            return (net.b(h) ** 2).mean()

        shared = nn.BatchNorm1d(8)
        for net, message in [(Net(hooked), "register_hook"),
                             (nn.Sequential(shared, nn.Linear(8, 8), shared), "'0' and '2' are one part of it"),
                             (Net(lambda net, x: torch.linalg.matrix_exp(net.a(x)[:4]).sum()),
                              "PyTorch cannot export the module: .*matrix_exp"),
                             (Net(lambda net, x: net.norm(net.a(x)), norm=nn.BatchNorm1d(8, momentum=None)),
                              "'norm' has momentum=None"),
                             *((Net(lambda net, x: net.drop(net.a(x)).sum(), drop=drop), r"dropout with p=1 .*test_modules.py:\d+")
                               for drop in (nn.Dropout(1.0), nn.Dropout(1.0, inplace=True), nn.Dropout1d(1.0),
                                            nn.AlphaDropout(1.0))),
                             (Net(lambda net, x: net.rnn(net.a(x))[0].sum(), rnn=nn.GRU(4, 4, 2, dropout=1.0)),
                              r"dropout with p=1 .*test_modules.py:\d+")]:
            with self.subTest(message), self.assertRaisesRegex(mpc.CompileError, message):
                mpc.from_torch(net, (self.x,), loss="output", optimizer="sgd", lr=0.1)
        table = nn.Sequential(nn.Embedding(9, 4, max_norm=1.0), nn.Linear(4, 3))
        with self.assertRaisesRegex(mpc.CompileError, "an embedding has max_norm"):
            mpc.from_torch(table, torch.arange(9), loss="cross_entropy", optimizer="sgd", lr=0.1)
        net = nn.Linear(8, 3)
        with self.assertRaisesRegex(TypeError, "but got 2 .*is given to step"):
            mpc.from_torch(net, (self.x, self.x), loss="cross_entropy", optimizer="sgd", lr=0.1)
        for names, message in [({"input_names": ["x", "target"]}, "input_names: the module has 1 input, but got 2 names"),
                               ({"output_names": ["y", "z"]}, "output_names: the module has 1 output, but got 2 names")]:
            with self.subTest(message), self.assertRaisesRegex(mpc.InvalidArgumentError, message):
                mpc.from_torch(net, (self.x,), loss="mse", optimizer="sgd", lr=0.1, **names)

    def test_batch_norms_that_train_are_as_the_format_has_them(self):
        import onnx
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "net.onnx"
            mpc.torch.export(nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4)), self.x, path)
            onnx.checker.check_model(str(path), full_check=True)  # shapes, too
            node, = (node for node in onnx.load(path).graph.node if node.op_type == "BatchNormalization")
            self.assertEqual(len(node.output), 3)


if __name__ == "__main__":
    unittest.main()
