"""Training and predicting."""
import gc
import sys
import threading
import time
import unittest

import mpc
import numpy as np
from models import TARGET, X, line


class Training(unittest.TestCase):
    def test_learns_the_line(self):
        with line().session(seed=42, threads=1) as session:
            first = session.step(x=X, target=TARGET)
            for _ in range(500):
                report = session.step({"x": X}, target=TARGET)
            # At the first step the model is w x + 0, and so is its loss.
            self.assertAlmostEqual(session.get_state("w").item(), 3, places=2)
            self.assertAlmostEqual(session.get_state("b").item(), -1, places=2)
        self.assertGreater(first.loss, 1)
        self.assertLess(report.loss, 1e-3)
        self.assertEqual(report.step, 501)
        self.assertAlmostEqual(report.lr, 0.1, places=6)
        self.assertFalse(report.skipped)
        self.assertIsNone(report.scale)
        self.assertTrue(session.closed)
        with self.assertRaisesRegex(mpc.InvalidArgumentError, "the session is closed"):
            session.step(x=X, target=TARGET)

    def test_the_first_loss_is_that_of_numpy(self):
        with line().session(seed=7) as session:
            w, b = session.get_state("w"), session.get_state("b")
            expected = np.mean((X @ w + b - TARGET) ** 2)
            self.assertAlmostEqual(session.step(x=X, target=TARGET).loss, float(expected), places=5)

    def test_overflow_skips_a_step(self):
        with line(precision="fp16", optimizer="sgd", loss_scale="dynamic").session() as session:
            before = session.get_state("w")
            report = session.step(x=np.full_like(X, 6e4), target=TARGET)
            self.assertTrue(report.found_inf and report.skipped)
            self.assertEqual((report.step, report.consecutive_skips), (0, 1))
            self.assertEqual(report.scale, 2.0**16)
            np.testing.assert_array_equal(session.get_state("w"), before)
            self.assertEqual(session.step(x=X, target=TARGET).scale, 2.0**15)

    def test_predicts_without_labels(self):
        with line().session() as session:
            outputs = session.run(x=X)
            self.assertEqual(set(outputs), {"line"})
            self.assertTrue(outputs["line"].flags.owndata or outputs["line"].base is not None)
            np.testing.assert_allclose(outputs["line"], X @ session.get_state("w") + session.get_state("b"), rtol=1e-6)
            outputs = session.run(x=X, target=TARGET)
            self.assertEqual(set(outputs), {"line", "loss"})
            self.assertEqual(outputs["loss"].shape, ())

    def test_outputs_in_place_are_read_only_and_outlive_the_session(self):
        session = line().session()
        place = session.run(x=X, copy=False)["line"]
        copied = session.run(x=X)["line"]
        self.assertFalse(place.flags.writeable)
        self.assertTrue(copied.flags.writeable)
        session.close()
        del session
        gc.collect()
        np.testing.assert_array_equal(place, copied)

    def test_wrong_inputs_are_refused(self):
        with line().session() as session:
            wide = np.zeros((32, 2), np.float32)
            for given, kind, message in [
                    (X.astype(np.float64), mpc.TypeMismatchError, "input 'x': expected f32, but got f64"),
                    (X.astype(np.uint32), mpc.TypeMismatchError, "input 'x': expected f32, but got DLPack type code 1"),
                    (X[:31], mpc.ShapeMismatchError, r"expected \(32, 1\), but got \(31, 1\)"),
                    (X.ravel(), mpc.ShapeMismatchError, "expected 2 dims, but got 1"),
                    (wide[:, :1], mpc.InvalidArgumentError, r"strides \(2, 1\) of shape \(32, 1\)"),
                    ([1.0], mpc.TypeMismatchError, "expected an array .* but got list"),
                    (np.array(["a"]), mpc.TypeMismatchError, "expected numbers"),
                    (None, mpc.TypeMismatchError, "but got NoneType")]:
                with self.subTest(message), self.assertRaisesRegex(kind, message):
                    session.step(x=given, target=TARGET)
            with self.assertRaisesRegex(mpc.NotFoundError, "input 'target' .* is missing: expected x: f32"):
                session.step(x=X)
            with self.assertRaisesRegex(mpc.NotFoundError, "no input 'y'"):
                session.step(x=X, target=TARGET, y=X)
            self.assertEqual(session.step(x=X, target=TARGET).step, 1)
        self.assertTrue(issubclass(mpc.TypeMismatchError, TypeError))
        self.assertTrue(issubclass(mpc.ShapeMismatchError, ValueError))

    def test_inputs_may_be_read_only(self):
        fixed = X.copy()
        fixed.flags.writeable = False
        with line().session() as session:
            session.step(x=fixed, target=memoryview(TARGET))

    def test_a_device_needs_a_program_for_it(self):
        with self.assertRaises(mpc.InvalidArgumentError):
            line().session(device=1)

    def test_other_threads_run_during_steps(self):
        big = mpc.compile("""
func.func @big(%x: tensor<1024x1024xf32> {graph.input = "x"}, %w: tensor<1024x1024xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<1024x1024xf32> {graph.output = "y"}) {
  %0 = graph.matmul %x, %w : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}""", inference=True)
        x = np.ones((1024, 1024), np.float32)
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1
                time.sleep(0)

        with big.session(threads=1) as session:
            thread = threading.Thread(target=count)
            thread.start()
            try:
                seen = []
                for _ in range(20):
                    before = counted[0]
                    session._core.run(0, [(x, "")], ["x"])  # one call of the extension
                    seen.append(counted[0] - before)
            finally:
                done.set()
                thread.join()
        self.assertGreater(max(seen), 0)

    def test_a_session_takes_threads_in_turns(self):
        with line().session(threads=1) as session:
            threads = [threading.Thread(target=lambda: [session.step(x=X, target=TARGET) for _ in range(50)])
                       for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(session.report().step, 200)


class Leaks(unittest.TestCase):
    def test_inputs_are_let_go(self):
        x = X.copy()
        with line().session() as session:
            session.step(x=x, target=TARGET)
            before = sys.getrefcount(x)
            for _ in range(10):
                session.step(x=x, target=TARGET)
                with self.assertRaises(mpc.TypeMismatchError):
                    session.step(x=x, target=TARGET.astype(np.float64))
            self.assertEqual(sys.getrefcount(x), before)


if __name__ == "__main__":
    unittest.main()
