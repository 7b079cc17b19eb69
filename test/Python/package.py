"""Builds the wheel of the Python package against the mpc of a build folder, installs it into a fresh virtual
environment, and runs the package's tests there.

    package.py BUILD ROOT VERSION [CMAKE-DEFINE...]

Exit code 77, with the reason, where no environment can be made or PyPI cannot be reached. Tests with PyTorch, which is
too large to be installed for them, run where MPC_TORCH_SITE names a site-packages that has torch, onnx and onnxscript.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def make_environment(folder):
    if subprocess.run([sys.executable, "-m", "venv", "--clear", folder], capture_output=True).returncode:
        skip(f"{sys.executable} has no venv (package python3-venv)")
    python = folder / "bin" / "python"
    asked = subprocess.run([python, "-m", "pip", "download", "-q", "--no-deps", "-d", folder / "reach", "nanobind"],
                           capture_output=True, text=True)
    if asked.returncode:
        skip(f"PyPI cannot be reached: {asked.stderr.strip().splitlines()[-1:]}")
    return python


def build_wheel(python, root, folder, installed, defines):
    wheels = folder / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    settings = [f"build-dir={folder / 'wheel'}", f"cmake.define.mpc_ROOT={installed}",
                *(f"cmake.define.{define}" for define in defines)]
    run(python, "-m", "pip", "wheel", root / "python", "-w", wheels, "--no-deps",
        *(f"--config-settings={setting}" for setting in settings))
    (wheel,) = wheels.glob("*.whl")
    return wheel


def check_contents(wheel, version):
    assert wheel.name.startswith(f"mpc-{version}-"), wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("mpc/py.typed", "mpc/_core.pyi", "mpc/lib/libmpcrt.so.0", "mpc/lib/libmpcc.so.0"):
        assert name in names, f"expected {name} in {names}"


def run_page(python, root, folder, environment):
    """Runs the first example of docs/Python.md, which ends with the number of steps and a loss."""
    text = (root / "docs" / "Python.md").read_text()
    example = text.split("```python\n")[1].split("```")[0]
    place = folder / "page"
    place.mkdir(exist_ok=True)
    if not (place / "examples").exists():
        (place / "examples").symlink_to(root / "examples")
    steps, loss = run(python, "-c", example, cwd=place, env=environment).split()[-2:]
    assert int(steps) > 0 and 0 < float(loss) < 2.3, (steps, loss)  # ln 10 is what an untrained one has
    assert (place / "digits.safetensors").stat().st_size > 1000


def run_torch_page(python, root, build, folder, environment):
    """Runs docs/FromPyTorch.md from top to bottom, where PyTorch is: its blocks of Python as one program, in which
    those of the shell stand. Then what it wrote is run by what else runs models in ONNX's format."""
    needs = [python, "-c", "import torch, onnx, onnxscript"]
    if subprocess.run(needs, env=environment, capture_output=True).returncode:
        print("docs/FromPyTorch.md: left out, without PyTorch, onnx and onnxscript")
        return
    program = ["import subprocess", "import warnings", "warnings.simplefilter('ignore')  # of the exporter"]
    page = (root / "docs" / "FromPyTorch.md").read_text()
    for kind, block in re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S):
        assert kind in ("python", "sh"), f"expected Python or sh, but got a block of kind '{kind}'"
        program.append(block if kind == "python" else
                       f"subprocess.run(['bash', '-euo', 'pipefail', '-c', {block!r}], check=True)")
    program.append("""
from onnx.reference import ReferenceEvaluator
for file in ("net-trained.onnx", "trained.onnx"):
    given = ReferenceEvaluator(file)
    found = given.run(None, {given.input_names[0]: x.numpy()})[0]
    assert (torch.from_numpy(found).argmax(1) == labels).float().mean() > 0.9, file
torch.testing.assert_close(torch.from_numpy(found), net(x).detach(), rtol=1e-4, atol=1e-5)  # as load_file read them
""")
    place = folder / "torch-page"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    path = os.pathsep.join(map(str, (build / "bin", python.parent, os.environ["PATH"])))
    run(python, "-c", "\n".join(program), cwd=place, env=environment | {"PATH": path})


def check_types(python, root, folder, environment):
    """The package and what its users write have types, without an Any by mistake (mypy --strict)."""
    mypy = [python, "-m", "mypy", "--config-file", root / "python" / "pyproject.toml"]
    run(*mypy, "-p", "mpc", cwd=folder, env=environment)
    text = (root / "docs" / "Python.md").read_text()
    user = folder / "user.py"
    user.write_text(text.split("```python\n")[1].split("```")[0] + """
import torch

trainer = mpc.from_torch(torch.nn.Linear(3, 2), torch.zeros(4, 3), loss="mse", optimizer="sgd", lr=0.1)
told: mpc.StepReport = trainer.step(torch.zeros(4, 3), target=torch.zeros(4, 2))
names: list[str] = list(program.weights)
""")
    run(*mypy, user, cwd=folder, env=environment)
    user.write_text("import mpc\nprogram = mpc.load('m.mpcx')\nprogram.session().step(x=[1, 2])\nprogram.nosuch()\n")
    told = subprocess.run([*mypy, user], cwd=folder, env=environment, capture_output=True, text=True).stdout
    assert "[arg-type]" in told and '"Program" has no attribute "nosuch"' in told, told


def main():
    build, root = map(pathlib.Path, sys.argv[1:3])
    version, defines = sys.argv[3], sys.argv[4:]
    folder = build / "test" / "python"
    folder.mkdir(parents=True, exist_ok=True)
    python = make_environment(folder / "environment")
    for component in ("runtime", "compiler"):
        run("cmake", "--install", build, "--component", component, "--prefix", folder / "installed")
    wheel = build_wheel(python, root, folder, folder / "installed", defines)
    check_contents(wheel, version)
    run(python, "-m", "pip", "install", "-q", wheel, "ml_dtypes", "mypy", "safetensors")
    links = folder / "environment" / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    if "MPC_TORCH_SITE" in os.environ:
        (links / "torch.pth").write_text(os.environ["MPC_TORCH_SITE"] + "\n")
    # What else runs models in ONNX's format: tests that ask it are left out without it.
    subprocess.run([python, "-m", "pip", "install", "-q", "onnxruntime"], capture_output=True)
    # Not from the tree, and by no library path.
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    shutil.rmtree(folder / "installed")
    told = run(python, "-c", "import mpc; print(mpc.__version__)", cwd=folder, env=environment)
    assert told.strip() == version, told
    run_page(python, root, folder, environment)
    run_torch_page(python, root, build, folder, environment)
    check_types(python, root, folder, environment)
    print(run(python, "-m", "unittest", "discover", "-s", root / "python" / "tests",
              cwd=folder, env=environment))


if __name__ == "__main__":
    main()
