"""Stopped gradients of PyTorch's modules, ten steps beside PyTorch's, where it and onnxscript are installed."""
import pathlib
import sys
import tempfile
import unittest
import warnings

import mpc
from models import installed

RATE = 0.1


def zero_grad(net):
    for parameter in net.parameters():
        parameter.grad = None


@unittest.skipUnless(installed("torch") and installed("onnxscript"), "PyTorch and onnxscript are not installed")
class Stops(unittest.TestCase):
    def setUp(self):
        import torch
        torch.manual_seed(0)
        warnings.simplefilter("ignore")  # of the exporter
        self.x, self.label = torch.randn(16, 8), torch.randint(0, 3, (16,))

    def net(self, forward, **parts):
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = torch.nn.Linear(8, 8), torch.nn.Linear(8, 3)
                for name, part in parts.items():
                    setattr(self, name, part)

            def forward(self, x):
                return forward(self, x)

        return Net()

    def check(self, net, *given, loss="cross_entropy", after=None, still=(), **options):
        """Ten steps of SGD are PyTorch's, loss by loss and parameter by parameter; ``after`` is called with the net and
        the trainer's states behind each. Parameters that begin with a name of ``still`` are not trained, others are."""
        import torch
        first = {name: value.clone() for name, value in net.named_parameters()}
        with mpc.from_torch(net, given[:1], loss=loss, precision="fp32", optimizer="sgd", lr=RATE,
                            **options) as trainer:
            for _ in range(10):
                told = trainer.step(*given).loss
                zero_grad(net)
                found = net(*given[:1])
                if loss == "cross_entropy":
                    found = torch.nn.functional.cross_entropy(found, given[1])
                elif isinstance(found, tuple):
                    found = found[0]
                self.assertAlmostEqual(told, found.item(), places=5)
                found.backward()
                with torch.no_grad():
                    for parameter in net.parameters():
                        if parameter.grad is not None:
                            parameter -= RATE * parameter.grad
                if after:
                    after(net, trainer)
            trained = trainer.state_dict()
        for name, value in net.named_parameters():
            torch.testing.assert_close(trained[name], value.detach(), rtol=1e-4, atol=1e-6)
            self.assertEqual(torch.equal(value, first[name]), name.startswith(tuple(still)), name)

    def test_detach_in_the_middle(self):
        self.check(self.net(lambda net, x: net.b(net.a(x).tanh().detach() + net.a(x))), self.x, self.label)
        self.check(self.net(lambda net, x: net.b(net.a(x).detach())), self.x, self.label, still=["a"])

        def in_place(net, x):
            h = net.a(x).relu_()
            return net.b(h * h.detach_().view(16, 8))

        self.check(self.net(in_place), self.x, self.label, still=["a"])

    def test_a_block_without_gradients(self):
        import torch

        def forward(net, x):
            h = net.a(x)
            with torch.no_grad():
                mean = h.mean(0)
                scale = net.b(h).softmax(1).square().mean()
            return net.b(torch.tanh(h - mean)) * scale

        self.check(self.net(forward), self.x, self.label)

    def test_gradients_in_a_block_without(self):
        import torch

        def forward(net, x):
            with torch.no_grad():
                h = torch.tanh(net.a(x))
                with torch.enable_grad():
                    y = net.b(h)
                z = y.exp().mean(1, keepdim=True)
            return y * z

        self.check(self.net(forward), self.x, self.label, still=["a"])

    def test_inference_mode(self):
        import torch

        def forward(net, x):
            with torch.inference_mode():
                h = torch.tanh(net.a(x))
                with torch.inference_mode(False):
                    scale = net.b(x).square().mean()
            return net.b(h.clone()) * scale

        self.check(self.net(forward), self.x, self.label, still=["a"])

    def test_autocast(self):
        """What it stops is its own; blocks around it are kept."""
        import torch

        def forward(net, x):
            with torch.no_grad():
                with torch.autocast("cpu", enabled=False):
                    h = torch.tanh(net.a(x))
            with torch.autocast("cpu", enabled=False):
                noise = x.detach().sin()
                y = net.b(h + noise)
            return y

        self.check(self.net(forward), self.x, self.label, still=["a"])

        def inside(net, x):
            with torch.autocast("cpu", enabled=False):
                h = net.a(x)
                q = h + (h.round() - h).detach()
                with torch.autocast("cpu", enabled=False):
                    q = q * torch.sigmoid(h.detach())
            return net.b(q)

        self.check(self.net(inside), self.x, self.label)

    def test_a_straight_through_estimator(self):
        def forward(net, x):
            h = net.a(x)
            return net.b(h + (h.round() - h).detach())

        self.check(self.net(forward), self.x, self.label)

    def test_a_target_network(self):
        """A teacher, whose weights the application moves between steps."""
        import torch

        def forward(net, x):
            with torch.no_grad():
                wanted = net.teacher(x)
            return (torch.nn.functional.normalize(net.a(x)) - torch.nn.functional.normalize(wanted)).square().mean()

        def follow(net, trainer):
            states = trainer.session.state_dict(parameters_only=True)
            with torch.no_grad():
                for name, value in net.teacher.named_parameters():
                    value.lerp_(net.a.get_parameter(name), 0.1)
                    moved = 0.9 * states[f"teacher.{name}"] + 0.1 * states[f"a.{name}"]
                    trainer.session.set_state(f"teacher.{name}", moved.astype("float32"))

        net = self.net(forward, teacher=torch.nn.Linear(8, 8))
        del net.b
        self.check(net, self.x, loss="output", after=follow)
        net.teacher.requires_grad_(False)  # as it is mostly written
        self.check(net, self.x, loss="output", after=follow)

    def test_vector_quantization(self):
        """VQ-VAE: codes and encoder are drawn towards each other, and the decoder's gradient passes by the codes."""
        import torch

        def forward(net, x):
            h = net.a(x)
            nearest = (h.detach().unsqueeze(1) - net.codes).square().sum(2).argmin(1)
            code = net.codes[nearest]
            commitment = (h - code.detach()).square().mean()
            codebook = (h.detach() - code).square().mean()
            passed = h + (code - h).detach()
            return torch.nn.functional.cross_entropy(net.b(passed), net.label) + codebook + 0.25 * commitment

        net = self.net(forward, codes=torch.nn.Parameter(torch.randn(5, 8)))
        net.register_buffer("label", self.label)
        self.check(net, self.x, loss="output")

    def test_bf16(self):
        import torch

        def forward(net, x):
            h = net.a(x)
            return net.b(h + (h.sign() - h).detach())

        net = self.net(forward)
        with mpc.from_torch(net, self.x, loss="cross_entropy", precision="bf16", optimizer="sgd", lr=RATE) as trainer:
            told = trainer.step(self.x, self.label).loss
            with torch.autocast("cpu", torch.bfloat16):
                loss = torch.nn.functional.cross_entropy(net(self.x), self.label)
            loss.backward()
            self.assertAlmostEqual(told, loss.item(), delta=2e-2)
            torch.testing.assert_close(trainer.state_dict()["a.weight"], net.a.weight.detach() - RATE * net.a.weight.grad,
                                       rtol=0, atol=2e-3)
            self.assertGreater(net.a.weight.grad.abs().max(), 1e-2)

    def test_what_cannot_be_said_is_refused(self):
        import torch

        def shifted(net, x):
            h = net.a(x)
            with torch.no_grad():
                h.mul_(0.5)
            return net.b(h)

        def moved(net, x):
            with torch.no_grad():
                net.a.weight.mul_(0.9)
            return net.b(net.a(x))

        def shared(net, x):
            h = net.a(x)
            h.detach().mul_(2)
            return net.b(h)

        def buffered(net, x):
            h, mean = net.a(x), net.mean.view(8)
            with torch.no_grad():
                net.mean.add_(h.mean(0))
            return net.b(h - mean)

        def cast(net, x):
            h = net.a(x)
            with torch.autocast("cpu", enabled=False):
                q = h.detach()
            h.add_(1)
            return net.b(h * q)

        def quiet_cast(net, x):
            with torch.autocast("cpu", enabled=False):
                with torch.no_grad():
                    h = net.a(x)
            return net.b(h)

        def chosen(net, x):
            h = net.a(x)
            return net.b(torch.cond(x.sum() > 0, lambda h: h.detach() * 2, lambda h: h * 3, (h,)))

        def number(net, x):
            h = net.a(x)
            with torch.no_grad():
                size = h.abs().mean().item()
            return net.b(h) * size

        for forward, message in [(cast, r"goes into torch.autocast.*in place.*\(.*test_stops.py:[0-9]+"),
                                 (quiet_cast, r"no_grad\(\) inside of torch.autocast \(.*test_stops.py:[0-9]+"),
                                 (chosen, r"detach\(\) or torch.no_grad\(\) inside of .*torch.cond.*\(.*test_stops.py:[0-9]+"),
                                 (number, r"a number of Python .*\(.*test_stops.py:[0-9]+"),
                                 (shifted, r"changed in place under torch.no_grad\(\) \(.*test_stops.py:[0-9]+"),
                                 (moved, "a parameter, or a value that has a gradient"),
                                 (shared, "a value that was detached is changed in place"),
                                 (buffered, "read behind it")]:
            net = self.net(forward)
            net.register_buffer("mean", torch.zeros(8))
            with self.subTest(message), self.assertRaisesRegex(mpc.CompileError, message):
                mpc.from_torch(net, (self.x,), loss="cross_entropy", optimizer="sgd", lr=0.1)

    def strict_alone(self, also=True):
        """torch.export takes modules by its strict way alone, or by none but to the exporter."""
        import torch
        from unittest import mock
        export = torch.export.export

        def export_strictly(module, given, *args, strict=False, **named):
            is_ours = sys._getframe(1).f_globals["__name__"].startswith("mpc.")
            if not strict or (is_ours and not also):
                raise RuntimeError("not this way")
            return export(module, given, *args, strict=True, **named)

        return mock.patch("torch.export.export", export_strictly)

    def test_strictly(self):
        import torch

        def quiet(net, x):
            with torch.no_grad():
                h = net.a(x)
            return net.b(h)

        with self.strict_alone():
            self.check(self.net(quiet), self.x, self.label, still=["a"])
            self.check(self.net(lambda net, x: net.b(net.a(x).detach())), self.x, self.label, still=["a"])

    def test_no_other_way_loses_them(self):
        import torch

        def inferred(net, x):
            with torch.inference_mode():
                h = net.a(x)
            return net.b(h.clone())

        def cast(net, x):
            with torch.autocast("cpu", enabled=False):
                with torch.no_grad():
                    h = net.a(x)
            return net.b(h)

        def quiet(net, x):
            with torch.no_grad():
                h = net.a(x)
            return net.b(h)

        for forward, also, message in [(inferred, True, "lost torch.inference_mode"), (cast, True, "torch.autocast"),
                                       (quiet, False, r"lost detach\(\) and torch.no_grad\(\)")]:
            net = self.net(forward)
            with self.subTest(message), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "net.onnx"
                with self.assertRaisesRegex(mpc.CompileError, message), self.strict_alone(also):
                    mpc.torch.export(net, self.x, path)
                self.assertFalse(path.exists())
                with self.assertRaisesRegex(mpc.CompileError, message), self.strict_alone(also):
                    mpc.from_torch(net, self.x, loss="cross_entropy", optimizer="sgd", lr=0.1)
                with self.strict_alone(also):
                    mpc.torch.export(net, self.x, path, train=False)
                self.assertTrue(path.exists())

    def test_what_no_loss_reads(self):
        def logged(net, x):
            y = net.b(net.a(x))
            return y, y.detach().mean()

        net = self.net(logged)
        with mpc.from_torch(net, self.x, output_names=("y", "mean"), loss="cross_entropy", optimizer="sgd",
                            lr=RATE) as trainer:
            trainer.step(self.x, self.label)
            found = trainer.predict(self.x)
            self.assertAlmostEqual(found["mean"].item(), found["y"].mean().item(), places=3)
        mpc.from_torch(net, self.x, output_names=("y", "mean")).close()

    def test_the_file_is_a_model_to_others(self):
        import torch
        net = self.net(lambda net, x: net.b(net.a(x).detach()) + net.b(x))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "net.onnx"
            mpc.torch.export(net, self.x, path)
            with self.subTest("onnxruntime"):
                if not installed("onnxruntime"):
                    self.skipTest("onnxruntime is not installed")
                import onnxruntime
                found, = onnxruntime.InferenceSession(str(path)).run(None, {"x": self.x.numpy()})
                torch.testing.assert_close(torch.from_numpy(found), net(self.x).detach())
            program = mpc.compile(path, loss="cross_entropy:output,target", precision="fp32", optimizer="sgd", lr=RATE)
            with program.session() as session:
                session.step(x=self.x, target=self.label)
                torch.testing.assert_close(torch.from_numpy(session.get_state("a.weight")), net.a.weight.detach(),
                                           rtol=0, atol=0)


if __name__ == "__main__":
    unittest.main()
