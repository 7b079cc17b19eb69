"""Compiling and loading programs: python -m unittest discover python/tests"""
import copy
import errno
import os
import pathlib
import pickle
import tempfile
import threading
import unittest

import mpc
import numpy as np
from models import LINE, line


class Compiling(unittest.TestCase):
    def test_program_tells_what_it_is(self):
        program = line()
        self.assertEqual(program.target, "cpu")
        self.assertEqual(set(program.entries), {"step", "forward"})
        step = program.entry("step")
        self.assertEqual([i.name for i in step.inputs], ["x", "target"])
        self.assertEqual((step.inputs[0].dtype, step.inputs[0].shape), ("f32", (32, 1)))
        self.assertEqual(program.states["w"].role, mpc.Role.PARAMETER)
        self.assertEqual(program.settings["optimizer"], "adamw")
        with self.assertRaisesRegex(mpc.NotFoundError, "no entry 'train', but .*step"):
            program.entry("train")

    def test_options_reach_the_compiler(self):
        program = line(optimizer="sgd", lr=0.25, print_policy=True)
        self.assertEqual(program.settings["optimizer"], "sgd")
        self.assertIn("precision of each op of @line", program.report)
        names = [option.name for option in mpc.options()]
        self.assertIn("loss_scale", names)
        self.assertIn("inference", names)
        forward = line(inference=True)
        self.assertEqual(set(forward.entries), {"forward"})
        self.assertIn("step", line(inference=False).entries)

    def test_errors_have_places(self):
        with self.assertRaises(mpc.CompileError) as caught:
            mpc.compile(LINE.replace("graph.mse", "graph.mze"), name="line.mlir")
        error = caught.exception
        self.assertEqual(error.code, 50)
        first = error.diagnostics[0]
        self.assertEqual((first.severity, first.file, first.line, first.column),
                         (mpc.Severity.ERROR, "line.mlir", 13, 11))
        self.assertIn("graph.mze", first.message)
        self.assertIn("\n  %loss = graph.mze", str(error))

    def test_wrong_options_are_refused_by_name(self):
        for options, message in [({"precison": "bf16"}, "no option 'precison': did you mean 'precision'"),
                                 ({"learning_rate": 0.1}, "did you mean 'lr'"), ({"eps": 1e-5}, "mean 'epsilon'"),
                                 ({"precision": "bf17"}, "--precision=bf17: expected"),
                                 ({"lr": ""}, "expected a value for 'lr'"),
                                 ({"arch": "sm_90"}, "'--arch' is for target cuda")]:
            with self.subTest(options), self.assertRaisesRegex(mpc.CompileError, message) as caught:
                line(**options)
            self.assertEqual(caught.exception.code, 1)

    def test_programs_are_written_where_links_lead(self):
        program = line()
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "link").symlink_to("file")
            program.save(folder / "link")
            self.assertTrue((folder / "link").is_symlink())
            self.assertEqual((folder / "file").read_bytes(), program.data)
            os.mkfifo(folder / "pipe")
            read = []
            thread = threading.Thread(target=lambda: read.append((folder / "pipe").read_bytes()))
            thread.start()
            program.save(folder / "pipe")
            thread.join()
            self.assertEqual(read, [program.data])
            self.assertTrue((folder / "pipe").is_fifo())

    def test_what_is_no_file_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            os.mkfifo(folder / "pipe")
            session = line().session()
            calls = [mpc.load, mpc.compile, session.load, lambda path: line().export_onnx(session, "none", model=path)]
            for call in calls:
                with self.subTest(call):
                    for path, kind in [("/dev/zero", "device"), (folder, "directory")]:
                        with self.assertRaisesRegex(mpc.InvalidArgumentError, f"or a pipe, but got a {kind}"):
                            call(path)
                    with self.assertRaisesRegex(mpc.IoError, "expected a program that writes to this pipe") as caught:
                        call(folder / "pipe")
                    self.assertIsInstance(caught.exception, OSError)
                    with self.assertRaisesRegex(FileNotFoundError, "no/such.* cannot be opened") as caught:
                        call(folder / "no" / "such")
                    self.assertIsInstance(caught.exception, mpc.NotFoundError)
            for save in (line().save, session.save):
                with self.assertRaisesRegex(mpc.IoError, "expected a program that reads from this pipe"):
                    save(folder / "pipe")
                with self.assertRaisesRegex(mpc.IoError, "it is a directory"):
                    save(folder)
            self.assertEqual([p.name for p in folder.iterdir()], ["pipe"])
            # Somebody writes to it.
            data = line().data
            thread = threading.Thread(target=(folder / "pipe").write_bytes, args=(data,))
            thread.start()
            self.assertEqual(mpc.load(folder / "pipe").data, data)
            thread.join()

    def test_words_of_two_are_bools(self):
        for given, word in [(True, "true"), (False, "false"), (np.bool_(True), "true"), ("true", "true")]:
            program = line(optimizer="sgd", momentum=0.9, nesterov=given)
            self.assertEqual(program.settings["nesterov"], word)
        for given in (object(), b"sgd", 1j):
            with self.subTest(given), self.assertRaisesRegex(TypeError, "option 'optimizer': expected a str"):
                line(optimizer=given)

    def test_errors_of_files_have_their_number_and_name(self):
        with tempfile.TemporaryDirectory() as folder, line().session() as session:
            path = pathlib.Path(folder) / "no" / "file"
            for call, text in [(lambda: mpc.load(path), str(path)), (lambda: mpc.compile(str(path)), str(path)),
                               (lambda: session.load(path), str(path)), (lambda: session.save(path), str(path)),
                               (lambda: line().save(path), str(path)),
                               (lambda: line(policy_file=path), str(path)),
                               (lambda: line(precision_profile=str(path)), str(path))]:
                with self.assertRaises(OSError) as caught:
                    call()
                for error in (caught.exception, pickle.loads(pickle.dumps(caught.exception)), copy.copy(caught.exception)):
                    self.assertEqual((type(error), error.errno, error.filename, error.strerror, error.code, str(error)),
                                     (type(caught.exception), errno.ENOENT, text, os.strerror(errno.ENOENT),
                                      caught.exception.code, str(caught.exception)))
                self.assertRegex(str(caught.exception), f"^'{path}': cannot be (opened|written): No such file")
            for save in (session.save, line().save):
                with self.assertRaises(mpc.IoError) as caught:
                    save(folder)
                self.assertEqual((caught.exception.errno, caught.exception.filename), (errno.EISDIR, folder))
            with self.assertRaisesRegex(mpc.InvalidArgumentError, "but got a directory"):
                line(policy_file=folder)

    def test_errors_travel(self):
        with self.assertRaises(mpc.CompileError) as caught:
            line(precision="bf17")
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(copy), copy.code, copy.diagnostics),
                         (str(caught.exception), caught.exception.code, caught.exception.diagnostics))
        error = pickle.loads(pickle.dumps(mpc.NotFoundError("no", 2)))
        self.assertEqual((str(error), error.code), ("no", 2))
        for kind in (mpc.IoError, mpc.MissingFileError):
            error = pickle.loads(pickle.dumps(kind("no", 3)))
            self.assertEqual((type(error), str(error), error.code), (kind, "no", 3))

    def test_messages_repeat_bytes_as_escapes(self):
        with self.assertRaises(mpc.CompileError) as caught:
            mpc.compile(b"func.func @m() { return } // \xff\ngraph.\xfe", name="m.mlir")
        self.assertIn("\\xfe", str(caught.exception))

    def test_warnings_are_pythons(self):
        with self.assertWarnsRegex(mpc.CompileWarning, "fp16 without loss scaling"):
            program = line(precision="fp16", loss_scale="none")
        self.assertEqual(program.diagnostics[0].severity, mpc.Severity.WARNING)

    def test_models_come_as_files_and_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "line.mlir"
            path.write_text(LINE)
            program = mpc.compile(path)
            self.assertEqual(set(mpc.compile(str(path)).entries), set(program.entries))
            program.save(pathlib.Path(folder) / "line.mpcx")
            again = mpc.load(pathlib.Path(folder) / "line.mpcx")
            self.assertEqual(again.data, program.data)
            self.assertEqual([p.name for p in pathlib.Path(folder).iterdir() if p.name.startswith(".")], [])
            with self.assertRaises(FileNotFoundError):
                mpc.compile(pathlib.Path(folder) / "none.mlir")
        self.assertEqual(mpc.compile(LINE.encode(), name="a").data, mpc.compile(LINE, name="a").data)

    def test_damaged_programs_are_refused(self):
        data = line().data
        for damaged in (b"", b"MPCX", data[:100], data[:-1], data[:200] + b"\0" + data[201:]):
            with self.assertRaises(mpc.ProgramError):
                mpc.Program(damaged)
        looked_at = mpc.Program(data, allow_code=False)
        with self.assertRaises(mpc.ProgramError):
            looked_at.session()

    def test_threads_compile_at_once(self):
        expected, found = line().data, []

        def work():
            found.extend(line().data == expected for _ in range(5))

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [True] * 15)


if __name__ == "__main__":
    unittest.main()
