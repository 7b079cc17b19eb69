"""Twenty steps of nets of several kinds beside PyTorch's, in f32 and by the profile torch-cpu in 16 bits, where PyTorch
and onnxscript are installed."""
import pathlib
import tempfile
import unittest
import warnings

import numpy as np

import mpc
from models import installed

STEPS = 20


def convolutional(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.a, self.b = (nn.Conv2d(width, width, 3, padding=1, bias=False) for _ in range(2))
            self.norm_a, self.norm_b = nn.BatchNorm2d(width), nn.BatchNorm2d(width)

        def forward(self, x):
            return torch.relu(x + self.norm_b(self.b(torch.relu(self.norm_a(self.a(x))))))

    net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), Block(8), nn.MaxPool2d(2), nn.Conv2d(8, 12, 3, stride=2),
                        nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 5))
    return net, torch.randn(16, 1, 12, 12), torch.randint(0, 5, (16,)), "cross_entropy", 0.05


def transformer(torch):
    nn = torch.nn

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(20, 16), nn.Parameter(0.1 * torch.randn(8, 16))
            self.norm, self.last = nn.LayerNorm(16), nn.LayerNorm(16)
            self.qkv, self.out = nn.Linear(16, 48, bias=False), nn.Linear(16, 16)
            self.up, self.down = nn.Linear(16, 32), nn.Linear(32, 16)
            self.head = nn.Linear(16, 20, bias=False)
            self.head.weight = self.words.weight

        def forward(self, tokens):
            x = self.words(tokens) + self.places
            q, k, v = (part.view(4, 8, 2, 8).transpose(1, 2) for part in self.qkv(self.norm(x)).chunk(3, -1))
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(4, 8, 16))
            x = x + self.down(nn.functional.gelu(self.up(self.last(x))))
            return self.head(x).flatten(0, 1)

    return Decoder(), torch.randint(0, 20, (4, 8)), torch.randint(0, 20, (32,)), "cross_entropy", 0.05


def recurrent(torch):
    nn = torch.nn

    class Reader(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.head = nn.Embedding(20, 8), nn.Linear(16, 3)
            self.layers = nn.GRU(8, 16, 2, batch_first=True)

        def forward(self, tokens):
            return self.head(self.layers(self.words(tokens))[0][:, -1])

    return Reader(), torch.randint(0, 20, (8, 6)), torch.randint(0, 3, (8,)), "cross_entropy", 0.5


def autoencoder(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Conv2d(1, 6, 4, 2, 1), nn.GroupNorm(2, 6), nn.SiLU(), nn.ConvTranspose2d(6, 4, 4, 2, 1),
                        nn.Tanh(), nn.Upsample(scale_factor=2), nn.AvgPool2d(2), nn.Conv2d(4, 1, 3, padding=1))
    x = torch.rand(4, 1, 8, 8)
    return net, x, x.clone(), "mse", 0.2


@unittest.skipUnless(installed("torch") and installed("onnxscript"), "PyTorch and onnxscript are not installed")
class TwentySteps(unittest.TestCase):
    def theirs(self, net, first, x, target, loss, rate, dtype):
        """Losses of PyTorch, from the state ``first``; in f32 without a dtype."""
        import torch
        net.load_state_dict(first)
        optimizer = torch.optim.SGD(net.parameters(), lr=rate)
        call = {"cross_entropy": torch.nn.functional.cross_entropy, "mse": torch.nn.functional.mse_loss}[loss]
        losses = []
        for _ in range(STEPS):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype or torch.bfloat16, enabled=dtype is not None):
                value = call(net(x), target)
            value.backward()
            optimizer.step()
            losses.append(value.item())
        return np.array(losses)

    def ours(self, path, x, target, loss, rate, **options):
        program = mpc.compile(path, loss=f"{loss}:output,target", optimizer="sgd", lr=rate, **options)
        with program.session() as session:
            return np.array([session.step(x=x, target=target).loss for _ in range(STEPS)])

    def test_every_kind_of_net(self):
        import torch
        import mpc.torch
        warnings.simplefilter("ignore")  # of the exporter, and of fp16 without a scaler
        for make in (convolutional, transformer, recurrent, autoencoder):
            torch.manual_seed(0)
            net, *given = make(torch)
            first = {name: value.clone() for name, value in net.state_dict().items()}
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "net.onnx"
                mpc.torch.export(net, given[0], path, input_names=["x"])
                exact = self.theirs(net, first, *given, None)
                self.assertLess(exact[-1], 0.97 * exact[0], make.__name__)  # it trains
                with self.subTest(make.__name__, precision="fp32"):
                    np.testing.assert_allclose(self.ours(path, *given, precision="fp32"), exact, rtol=1e-5)
                for precision, dtype in (("bf16", torch.bfloat16), ("fp16", torch.float16)):
                    with self.subTest(make.__name__, precision=precision):
                        theirs = self.theirs(net, first, *given, dtype)
                        found = self.ours(path, *given, precision=precision, profile="torch-cpu")
                        # Roundings at the same places in another order of sums: nearer to each other than three
                        # times the distance from f32 that they make, and not f32 itself.
                        rounded = np.abs(theirs - exact).max()
                        self.assertLess(np.abs(found - theirs).max(), 3 * rounded)
                        self.assertGreater(np.abs(found - exact).max(), rounded / 10)


if __name__ == "__main__":
    unittest.main()
