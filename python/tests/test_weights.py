"""Weights of models in ONNX's format, beside their programs, and back into the models."""
import os
import pathlib
import tempfile
import unittest
import warnings

import mpc
import numpy as np
from models import installed, wire
from test_onnx import B, W, linear


class Weights(unittest.TestCase):
    def test_who_begins_without_them_is_told(self):
        program = mpc.compile(linear(), dim={"batch": 4}, loss="mse:y,t", optimizer="sgd", lr=0.1, precision="fp32")
        x, t = np.ones((4, 3), np.float32), np.ones((4, 2), np.float32)
        again = mpc.Program(program.data)
        self.assertEqual(again.weights, {})
        self.assertEqual(again.settings["weights"], "2")
        with again.session() as session:
            with self.assertWarnsRegex(mpc.WeightsWarning, "the model had 2 weights") as caught:
                session.step(x=x, t=t)
            self.assertEqual(caught.filename, __file__)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                session.step(x=x, t=t)  # told once
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for give in (lambda session: session.load_state_dict(program.weights), lambda session: session.init(3),
                         lambda session: session.set_state("w", W)):
                with again.session() as session:
                    give(session)
                    session.run(x=x)

    def test_external_data_lie_in_the_folder_of_the_model(self):
        model = linear(wire.external("w", W, "w.bin"))
        options = {"dim": {"batch": 4}, "inference": True, "precision": "fp32"}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.onnx"
            path.write_bytes(model)
            with self.assertRaisesRegex(mpc.CompileError, "w.bin"):
                mpc.compile(path, **options)
            (path.parent / "w.bin").write_bytes(W.tobytes())
            program = mpc.compile(path, **options)
            np.testing.assert_array_equal(program.weights["w"], W)
            with program.session() as session:
                x = np.arange(12, dtype=np.float32).reshape(4, 3)
                np.testing.assert_allclose(session.run(x=x)["y"], x @ W.T + B, rtol=1e-6)
            with self.assertRaisesRegex(mpc.CompileError, "the model has no folder"):  # of bytes
                mpc.compile(model, **options)


class WrittenBack(unittest.TestCase):
    def setUp(self):
        self.x = np.arange(12, dtype=np.float32).reshape(4, 3) / 12
        self.t = np.ones((4, 2), np.float32)
        self.program = mpc.compile(linear(), name="m.onnx", dim={"batch": 4}, loss="mse:y,t", optimizer="sgd", lr=0.1,
                                   precision="fp32")

    def trained(self):
        session = self.program.session()
        session.step(x=self.x, t=self.t)
        return session

    def test_a_copy_has_the_trained_weights(self):
        with tempfile.TemporaryDirectory() as folder, self.trained() as session:
            path = pathlib.Path(folder) / "trained.onnx"
            self.program.export_onnx(session, path)
            again = mpc.compile(path, dim={"batch": 4}, inference=True)
            for name in ("w", "b"):
                np.testing.assert_array_equal(again.weights[name], session.get_state(name))
            # All but 6 + 2 numbers is the model's.
            self.assertEqual(len(path.read_bytes()), len(linear()))

    @unittest.skipUnless(installed("onnxruntime") or installed("onnx"), "onnxruntime and onnx are not installed")
    def test_whatever_runs_the_model_runs_the_copy(self):
        with tempfile.TemporaryDirectory() as folder, self.trained() as session:
            path = pathlib.Path(folder) / "trained.onnx"
            self.program.export_onnx(session, path)
            expected = session.run(x=self.x)["y"]
            self.assertGreater(np.abs(expected - (self.x @ W.T + B)).max(), 1e-3)  # it was trained
            if installed("onnxruntime"):
                import onnxruntime
                runs = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
                found = runs.run(["y"], {"x": self.x})[0]
            else:
                from onnx.reference import ReferenceEvaluator
                found = ReferenceEvaluator(str(path)).run(["y"], {"x": self.x})[0]
            np.testing.assert_allclose(found, expected, rtol=1e-6)

    def test_the_model_stays(self):
        """A program knows where its model was, wherever the process goes; and a copy does not replace it."""
        with tempfile.TemporaryDirectory() as folder:
            before, place = os.getcwd(), pathlib.Path(folder)
            (place / "model.onnx").write_bytes(linear())
            (place / "link.onnx").symlink_to("model.onnx")
            os.chdir(place)
            try:
                program = mpc.compile("model.onnx", dim={"batch": 4}, inference=True)
            finally:
                os.chdir(before)
            with program.session() as session:
                program.export_onnx(session, place / "copy.onnx")
                self.assertTrue((place / "copy.onnx").exists())
                for name in ("model.onnx", "link.onnx"):
                    with self.assertRaisesRegex(mpc.InvalidArgumentError, f"{name}' would replace the model"):
                        program.export_onnx(session, place / name)
            self.assertEqual((place / "model.onnx").read_bytes(), linear())

    def test_refusals(self):
        with tempfile.TemporaryDirectory() as folder, self.trained() as session:
            path = pathlib.Path(folder) / "trained.onnx"
            other = linear().replace(b"\x42\x01w", b"\x42\x01v").replace(b"\x0a\x01w", b"\x0a\x01v")
            with self.assertRaisesRegex(mpc.InvalidArgumentError, "no weights of these names: 'w'; .*no new values.*'v'"):
                self.program.export_onnx(session, path, model=other)
            with self.assertRaisesRegex(mpc.InvalidArgumentError, "less than 2 GiB, but it is damaged"):
                self.program.export_onnx(session, path, model=b"none")
            with self.assertRaisesRegex(mpc.InvalidArgumentError, "give 'model'"):
                mpc.Program(self.program.data).export_onnx(session, path)
            self.assertFalse(path.exists())


if __name__ == "__main__":
    unittest.main()
