"""Models that the tests share."""
import importlib.util
import pathlib
import sys

import numpy as np

import mpc

# How the importer's tests write models in ONNX's format.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "test" / "Import" / "Onnx" / "Inputs"))
import wire  # noqa: E402

LINE = """
func.func @line(
    %x: tensor<32x1xf32>      {graph.input = "x"},
    %target: tensor<32x1xf32> {graph.input = "target"},
    %w: tensor<1x1xf32>       {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>},
    %b: tensor<1xf32>         {graph.parameter = "b", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<32x1xf32> {graph.output = "line"})
    attributes {graph.training = #graph.training<
      precision = "fp32",
      optimizer = #graph.optimizer<name = "adamw", lr = 0.1>>} {
  %0 = graph.matmul %x, %w : (tensor<32x1xf32>, tensor<1x1xf32>) -> tensor<32x1xf32>
  %1 = graph.add %0, %b : (tensor<32x1xf32>, tensor<1xf32>) -> tensor<32x1xf32>
  %loss = graph.mse %1, %target : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<f32>
  return %loss, %1 : tensor<f32>, tensor<32x1xf32>
}
"""
# y = x + w on bf16 in memory.
SHORT = """
func.func @short(%x: tensor<2x3xbf16> {graph.input = "x"}, %w: tensor<3xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<2x3xbf16> {graph.output = "y"}) {
  %0 = graph.cast %w : (tensor<3xf32>) -> tensor<3xbf16>
  %1 = graph.add %x, %0 : (tensor<2x3xbf16>, tensor<3xbf16>) -> tensor<2x3xbf16>
  return %1 : tensor<2x3xbf16>
}
"""
X = np.linspace(-1, 1, 32, dtype=np.float32).reshape(32, 1)
TARGET = 3 * X - 1


def installed(name):
    return importlib.util.find_spec(name) is not None


def line(**options):
    return mpc.compile(LINE, name="line.mlir", **options)


def classifier_in_torch():
    """A small net of 8 features and 3 classes, a batch of 32, and its labels: with the same numbers each time."""
    import torch
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 3))
    return net, torch.randn(32, 8), torch.randint(0, 3, (32,))
