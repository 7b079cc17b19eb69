"""Training and predicting."""
import gc
import os
import subprocess
import sys
import tempfile
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

    def test_inputs_that_are_none(self):
        with line().session() as session:
            for call in (lambda: session.step(X), lambda: session.run([X])):
                with self.assertRaisesRegex(TypeError, r"expected inputs by name, as in (step|run)\(x=...\), or in a mapping"):
                    call()
            with self.assertRaisesRegex(mpc.TypeMismatchError, "input 'x': expected numbers .*datetime|'M'"):
                session.step(x=np.zeros((32, 1), "M8[s]"), target=TARGET)

            class Broken:
                def __dlpack__(self, **named):
                    raise BufferError("sparse")

            with self.assertRaisesRegex(mpc.TypeMismatchError, "input 'x': .*cannot be read: sparse"):
                session.step(x=Broken(), target=TARGET)
            with self.assertRaisesRegex(TypeError, "expected a mapping of arrays by the names of states, but got int"):
                session.load_state_dict(5)
            for call in (lambda: session.get_state("lr"), lambda: session.set_state("lr", 0.5)):
                with self.assertRaisesRegex(mpc.NotFoundError, "no state 'lr': did you mean 'optimizer.lr'"):
                    call()

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
                    (np.ma.masked_array(X), mpc.TypeMismatchError, "without a mask"),
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
        turns, done = [0], threading.Event()

        def count():
            while not done.is_set():
                turns[0] += 1
                time.sleep(1e-4)

        with big.session(threads=1) as session:
            thread = threading.Thread(target=count)
            thread.start()
            try:
                seen = []
                for _ in range(20):
                    before = turns[0]
                    session._core.run(0, [(x, "", "x")], [], True)  # one call of the extension
                    seen.append(turns[0] - before)
            finally:
                done.set()
                thread.join()
        # A call that kept the others waiting would let them have one turn, before it or behind it.
        self.assertGreater(max(seen), 5)

    def test_threads_get_what_they_asked_for(self):
        program = mpc.compile("""
func.func @next(%x: tensor<4096xf32> {graph.input = "x"}) -> (tensor<4096xf32> {graph.output = "y"}) {
  %0 = graph.add %x, %x : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}""", inference=True)
        wrong = []

        def ask(number):
            x = np.full(4096, number, np.float32)
            for _ in range(300):
                y = session.run(x=x)["y"]
                if not (y == 2 * number).all():
                    wrong.append((number, y))

        with program.session(threads=1) as session:
            threads = [threading.Thread(target=ask, args=(number,)) for number in (1, 2, 3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])

    def test_a_session_takes_threads_in_turns(self):
        steps = []
        with line().session(threads=1) as session:
            threads = [threading.Thread(target=lambda: steps.extend(session.step(x=X, target=TARGET).step
                                                                    for _ in range(50))) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(sorted(steps), list(range(1, 201)))  # each has the report of its own


class Arguments(unittest.TestCase):
    def test_what_makes_no_sense_is_said_in_words(self):
        with line().session() as session:
            for call, kind, message in [
                    (lambda: line().session(threads=-1), mpc.InvalidArgumentError, "threads: expected .* got -1"),
                    (lambda: line().session(seed=1.5), TypeError, "seed: expected an integer, but got float"),
                    (lambda: line().session(device=0), mpc.InvalidArgumentError, "no device for a program of target cpu"),
                    (lambda: session.init(-1), mpc.InvalidArgumentError, "seed: expected"),
                    (lambda: session.report(-1), mpc.InvalidArgumentError, "age: expected"),
                    (lambda: session.set_state(5, X), TypeError, "the name of a state, but got int"),
                    (lambda: session.get_state("w\0"), mpc.NotFoundError, r"no state 'w\\x00'"),
                    (lambda: session.save("a\0b"), mpc.InvalidArgumentError, "without a null character"),
                    (lambda: session.save("a", {"k": 1}), TypeError, "metadata of str by str"),
                    (lambda: session.step({"x": X}, x=X, target=TARGET), TypeError, "'x' is given twice"),
                    (lambda: session.step(x=X, label=TARGET), mpc.NotFoundError, "no input 'label'")]:
                with self.subTest(message), self.assertRaisesRegex(kind, message):
                    call()

    def test_a_state_without_a_value_is_no_zero(self):
        with line().session(seed=None) as session, self.assertRaises(mpc.NotInitializedError):
            session.get_state("w")

    def test_a_number_sets_the_learning_rate(self):
        with line().session() as session:
            session.set_state("optimizer.lr", 0.25)
            self.assertEqual(session.step(x=X, target=TARGET).lr, 0.25)
            with self.assertRaisesRegex(mpc.TypeMismatchError, "expected an array"):
                session.set_state("w", 0.25)

    def test_paths_are_bytes_of_the_system(self):
        with tempfile.TemporaryDirectory() as folder, line().session() as session:
            path = os.path.join(folder, os.fsdecode(b"w\xff.safetensors"))
            session.save(path, {"key": "\N{GREEK SMALL LETTER PI}"})
            self.assertEqual(session.load(path)["key"], "\N{GREEK SMALL LETTER PI}")


class Processes(unittest.TestCase):
    def start_python(self, text, *arguments):
        return subprocess.Popen([sys.executable, "-c", text, *arguments], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})

    def run_python(self, text):
        process = self.start_python(text)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def test_the_interpreter_ends_while_threads_call(self):
        # Each ends in another moment of the threads' calls.
        ends = """
import sys, threading, time
from models import TARGET, X, line
sessions = [line().session() for _ in range(3)]
def step():
    while True:
        sessions[0].step(x=X, target=TARGET)
def ask(session):
    while True:
        session.closed
threading.Thread(target=step, daemon=True).start()
for session in sessions[1:]:
    threading.Thread(target=ask, args=(session,), daemon=True).start()
time.sleep(float(sys.argv[1]))
"""
        running = [self.start_python(ends, str(0.02 + 0.001 * i)) for i in range(24)]
        self.assertEqual([(p.communicate(timeout=60)[1], p.returncode) for p in running], [("", 0)] * 24)

    def test_calls_while_the_interpreter_ends(self):
        done = self.run_python("""
import atexit
def late():
    print(session.step(x=X, target=TARGET).loss > 0, end="")
atexit.register(late)
from models import TARGET, X, line
session = line().session()
""")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "True", ""))

    def test_a_forked_process_makes_its_own(self):
        done = self.run_python("""
import os
from models import TARGET, X, line
program = line()
session = program.session(threads=2)
session.step(x=X, target=TARGET)
child = os.fork()
if not child:
    try:
        session.step(x=X, target=TARGET)
    except Exception as error:
        print(error)
    with program.session(threads=2) as own:
        print(own.step(x=X, target=TARGET).step)
    session.close()
    print(end="", flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(session.step(x=X, target=TARGET).step)
""")
        self.assertEqual((done.returncode, done.stdout),
                         (0, "the session belongs to the process that this one was forked from: make one here\n1\n2\n"),
                         done.stderr)


class Leaks(unittest.TestCase):
    def test_refused_arrays_are_let_go(self):
        x, place = np.zeros((32, 1), np.complex64), bytearray(128)
        with line().session() as session:
            before = sys.getrefcount(x)
            for _ in range(10):
                for refused in (x, place):
                    with self.assertRaises(mpc.TypeMismatchError):
                        session.step(x=refused, target=TARGET)
            self.assertEqual(sys.getrefcount(x), before)
        place.append(1)  # which nobody holds

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
