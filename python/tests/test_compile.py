"""Compiling and loading programs: python -m unittest discover python/tests"""
import pathlib
import tempfile
import threading
import unittest

import mpc
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
        for options, message in [({"precison": "bf16"}, "unknown option '--precison', did you mean"),
                                 ({"precision": "bf17"}, "--precision=bf17: expected"),
                                 ({"lr": ""}, "expected a value for 'lr'"),
                                 ({"arch": "sm_90"}, "'--arch' is for target cuda")]:
            with self.subTest(options), self.assertRaisesRegex(mpc.CompileError, message) as caught:
                line(**options)
            self.assertEqual(caught.exception.code, 1)

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
