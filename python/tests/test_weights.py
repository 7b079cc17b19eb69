"""Weights of models in ONNX's format, beside their programs."""
import pathlib
import tempfile
import unittest
import warnings

import mpc
import numpy as np
from test_onnx import B, W, linear, message, tensor, value


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
        place = message((1, "location"), (2, "w.bin"))
        outside = message(*((1, size) for size in W.shape), (2, 1), (8, "w"), (13, place), (14, 1))
        graph = message((1, message((1, "x"), (1, "w"), (1, "b"), (2, "y"), (3, "fc"), (4, "Gemm"),
                                    (5, message((1, "transB"), (3, 1), (20, 2))))), (2, "g"), (5, outside),
                        (5, tensor("b", B)), (11, value("x", "batch", 3)), (12, value("y", "batch", 2)))
        model = message((1, 9), (7, graph), (8, message((2, 18))))
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


if __name__ == "__main__":
    unittest.main()
