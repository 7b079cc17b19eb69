"""States, checkpoints, and element types that NumPy lacks.

Tests with ml_dtypes, PyTorch and safetensors are skipped where those are not installed.
"""
import json
import pathlib
import struct
import tempfile
import unittest

import mpc
import numpy as np
from models import SHORT, TARGET, X, installed, line


class States(unittest.TestCase):
    def test_a_state_dict_goes_on_to_the_bit(self):
        program = line()
        with program.session(seed=1) as first, program.session(seed=None) as second:
            for _ in range(3):
                first.step(x=X, target=TARGET)
            states = first.state_dict()
            self.assertIn("w", states)
            second.load_state_dict(states)
            one, two = first.step(x=X, target=TARGET), second.step(x=X, target=TARGET)
            self.assertEqual(one, two)
            for name, value in first.state_dict().items():
                np.testing.assert_array_equal(second.get_state(name), value)
            self.assertEqual(set(first.state_dict(parameters_only=True)), {"w", "b"})

    def test_copies_stay(self):
        with line().session() as session:
            before = session.get_state("w").copy()
            taken = session.get_state("w")
            session.step(x=X, target=TARGET)
            np.testing.assert_array_equal(taken, before)
            self.assertNotEqual(session.get_state("w").item(), before.item())

    def test_wrong_state_dicts_change_nothing(self):
        with line().session(seed=3) as session:
            before = session.state_dict()
            good = np.array([[5.0]], np.float32)
            for states, kind, message in [
                    ({"w": good, "b": np.zeros(2, np.float32)}, mpc.ShapeMismatchError, "state 'b'"),
                    ({"w": good, "b": np.zeros(1)}, mpc.TypeMismatchError, "state 'b': expected f32, but got f64"),
                    ({"w": good, "c": good}, mpc.NotFoundError, "no state 'c'"),
                    ({"w": good}, mpc.NotFoundError, "expected a value for 'b'")]:
                with self.subTest(message), self.assertRaisesRegex(kind, message):
                    session.load_state_dict(states)
                np.testing.assert_array_equal(session.get_state("w"), before["w"])
            session.load_state_dict({"w": good, "c": good}, strict=False)
            self.assertEqual(session.get_state("w").item(), 5.0)
            with self.assertRaisesRegex(mpc.NotFoundError, "no state 'v'"):
                session.get_state("v")

    def test_checkpoints(self):
        program = line()
        with tempfile.TemporaryDirectory() as folder, program.session(seed=5) as session:
            path = pathlib.Path(folder) / "line.safetensors"
            session.step(x=X, target=TARGET)
            session.save(path, {"epoch": "3"})
            # A safetensors file, by its documentation: the length of a JSON header, then the header.
            data = path.read_bytes()
            header = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
            self.assertEqual(header["w"]["dtype"], "F32")
            self.assertEqual(set(header) - {"__metadata__"}, set(session.state_dict()))
            expected = session.step(x=X, target=TARGET)
            with program.session(seed=None) as other:
                metadata = other.load(path)
                self.assertEqual(metadata["epoch"], "3")
                self.assertEqual(other.step(x=X, target=TARGET), expected)
            with self.assertRaises(mpc.MpcError):
                session.load(pathlib.Path(folder) / "none.safetensors")

    @unittest.skipUnless(installed("safetensors"), "safetensors is not installed")
    def test_checkpoints_are_read_by_safetensors(self):
        from safetensors.numpy import load_file, save_file
        with tempfile.TemporaryDirectory() as folder, line().session(seed=5) as session:
            path = str(pathlib.Path(folder) / "line.safetensors")
            session.save(path)
            theirs = load_file(path)
            for name, value in session.state_dict().items():
                np.testing.assert_array_equal(theirs[name], value)
            save_file({"w": np.array([[2.0]], np.float32), "b": np.array([1.0], np.float32)}, path)
            session.load(path, parameters_only=True)
            self.assertEqual(session.get_state("w").item(), 2.0)

    def test_no_value_yet(self):
        with line().session(seed=None) as session, self.assertRaises(mpc.NotInitializedError):
            session.step(x=X, target=TARGET)


class Bits(unittest.TestCase):
    """bf16, which NumPy lacks."""

    def session(self):
        session = mpc.compile(SHORT, inference=True).session(threads=1)
        session.set_state("w", np.array([1, 2, 3], np.float32))
        return session

    def test_tensors_of_bf16_have_their_bits(self):
        one = mpc.compile(SHORT, inference=True).session(threads=1)
        one.init(0)
        x = np.array([[1, 2, 3], [-1, 0.5, 4]], np.float32)
        bits = (x.view(np.uint32) >> 16).astype(np.uint16)  # exact in bf16
        with self.session() as session:
            (tensor,) = session._core.run(0, [(bits, "bf16", "x")], [0], False)
            self.assertEqual((tensor.dtype, tensor.shape, tensor.readonly), ("bf16", (2, 3), True))
            self.assertEqual(tensor.__dlpack_device__(), (1, 0))
            result = np.frombuffer(tensor, np.uint16).astype(np.uint32) << 16
            np.testing.assert_array_equal(result.view(np.float32), (x + np.float32([1, 2, 3])).ravel())
            with self.assertRaises(BufferError):  # DLPack before 1.0 has no flag for it
                tensor.__dlpack__()
            tensor.__dlpack__(max_version=(1, 0))
            # Tensors go back in as they came.
            session._core.run(0, [(tensor, "", "x")], [], False)

    @unittest.skipUnless(installed("ml_dtypes"), "ml_dtypes is not installed")
    def test_ml_dtypes(self):
        import ml_dtypes
        x = np.array([[1, 2, 3], [-1, 0.5, 4]], ml_dtypes.bfloat16)
        with self.session() as session:
            y = session.run(x=x)["y"]
            self.assertEqual(y.dtype, ml_dtypes.bfloat16)
            np.testing.assert_array_equal(y.astype(np.float32), x.astype(np.float32) + np.float32([1, 2, 3]))
            with self.assertRaisesRegex(mpc.TypeMismatchError, "expected bf16, but got f8"):
                session.run(x=x.astype(ml_dtypes.float8_e5m2))

    @unittest.skipUnless(installed("torch"), "PyTorch is not installed")
    def test_torch(self):
        import torch
        x = torch.tensor([[1, 2, 3], [-1, 0.5, 4]], dtype=torch.bfloat16)
        with self.session() as session:
            y = session.run(x=x)["y"]
            if isinstance(y, mpc.Tensor):
                y = torch.from_dlpack(y)
            expected = x.float() + torch.tensor([1.0, 2.0, 3.0])
            np.testing.assert_array_equal(np.asarray(y, dtype=np.float32) if not torch.is_tensor(y)
                                          else y.float().numpy(), expected.numpy())
            with self.assertRaisesRegex(mpc.InvalidArgumentError, "strides"):
                session.run(x=torch.zeros(3, 2, dtype=torch.bfloat16).T)
        with line().session(seed=1) as session:
            w = torch.from_dlpack(session._core.get_state("w"))
            self.assertEqual(w.item(), session.get_state("w").item())
            session.load_state_dict({"w": torch.full((1, 1), 2.0), "b": torch.zeros(1)})
            report = session.step(x=torch.from_numpy(X), target=torch.from_numpy(TARGET))
            theirs = torch.nn.functional.mse_loss(torch.from_numpy(X) * 2, torch.from_numpy(TARGET))
            self.assertAlmostEqual(report.loss, theirs.item(), places=5)


if __name__ == "__main__":
    unittest.main()
