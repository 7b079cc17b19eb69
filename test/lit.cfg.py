import ctypes
import os
import shutil
import subprocess

import lit.formats

config.name = "mpc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.mpc_build_dir + "/test"
path = [config.mpc_build_dir + "/bin", config.llvm_tools_dir, config.environment["PATH"]]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["MPC_CACHE_DIR"] = config.mpc_build_dir + "/test/cache"
config.substitutions.append(("%python", config.python))
onnx_testdata = "/usr/share/libonnx-testdata/data"
if os.path.isdir(onnx_testdata + "/node"):
    config.available_features.add("onnx-testdata")
    config.substitutions.append(("%onnx-testdata", onnx_testdata))
else:
    lit_config.note("no package libonnx-testdata: ONNX's own tests are left out")
# A model in ONNX's format from its text, and back.
for word, mode in ("%onnx", "--encode"), ("%unonnx", "--decode"):
    command = f"{config.protoc} {mode}=onnx.ModelProto -I {os.path.dirname(config.onnx_proto)} onnx.proto"
    config.substitutions.append((word, command))
config.substitutions.append(("%src", config.mpc_source_dir))
config.substitutions.append(("%build", config.mpc_build_dir))
if os.path.exists(config.mpc_build_dir + "/bench/program-steps"):
    config.available_features.add("benchmarks")
# More than one, and none of them taken away.
if len(os.sched_getaffinity(0)) == os.cpu_count() and os.cpu_count() > 1:
    config.available_features.add("processors")
if config.sanitized:
    config.available_features.add("sanitizers")
    config.environment["MPC_SANITIZERS"] = "1"
if shutil.which("groff"):
    config.available_features.add("groff")

def may_make_hosts():
    """Whether a process may have a network and a name of its own, with cables to another."""
    words = ["unshare", "--net", "--uts", "--mount", "sh", "-c",
             "hostname a && ip link set lo up && ip link add c type veth peer name d && mount --bind /etc/hosts /etc/hosts"]
    if os.geteuid() != 0:
        words = ["unshare", "--user", "--map-root-user", *words]
    try:
        return subprocess.run(words, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


if may_make_hosts():
    config.available_features.add("two-hosts")
else:
    lit_config.note("no namespaces of networks (root's unshare, and ip of iproute2): the test of two hosts is left out")
if shutil.which("clang-format-22"):
    config.available_features.add("clang-format")

# The CUDA toolkit as the compiler finds it: libdevice, and ptxas beside it.
for folder in [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_ROOT", "CUDA_PATH")] + [
        os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("ptxas") or "/"))), "/usr/local/cuda"]:
    if folder and os.path.exists(folder + "/nvvm/libdevice/libdevice.10.bc") and \
            os.path.exists(folder + "/bin/ptxas"):
        config.available_features.add("cuda-toolkit")
        config.environment["CUDA_HOME"] = folder
        config.substitutions.append(("%cuda", folder))
        break
else:
    lit_config.note("no CUDA toolkit: tests of the CUDA target are left out")

# The runtime's plug-in, and whether there is a driver that it could talk to.
if os.path.exists(config.mpc_build_dir + "/lib/libmpcrt_cuda.so"):
    config.available_features.add("cuda-plugin")
try:
    ctypes.CDLL("libcuda.so.1")
except OSError:
    config.available_features.add("no-cuda-driver")

# Whether a command may have file systems of its own.
if shutil.which("unshare") and subprocess.call(["unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /tmp"], stderr=subprocess.DEVNULL) == 0:
    config.available_features.add("mounts")

# %numpy: a Python that has NumPy; the distribution's, if ours has not.
for python in (config.python, "/usr/bin/python3"):
    if subprocess.call([python, "-c", "import numpy"], stderr=subprocess.DEVNULL) == 0:
        config.available_features.add("numpy")
        config.substitutions.append(("%numpy", python))
        break
