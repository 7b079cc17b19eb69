"""The rooms of the house and the arrows allowed between them.

A room may include the rooms listed for it, and nothing else of the project.
Everything below is checked by includes.py and links.py.
"""

GRAPH = "Dialect/Graph/"

# room: rooms that it may include. The order is the order of the floors: a room
# only names rooms above it in this table, so there can be no circle.
ROOMS = {
    "Support": [],
    # Command lines of tools: tables of options, and what is written from them.
    "CommandLine": ["Support"],
    # The treaty between the wings.
    "Program": ["Support"],
    # Files of tensors, which know no wing.
    "Data": ["Support"],
    # Files in ONNX's format, for either wing.
    "Onnx": ["Data", "Support"],
    # Compiler wing.
    "Interfaces": ["Support"],
    # What the compiler reads and writes as text, beside what MLIR does.
    "Text": ["Interfaces", "Support"],
    # The table of training settings: what the attributes of IR hold.
    GRAPH + "Settings": ["Interfaces", "Support"],
    GRAPH + "IR": [GRAPH + "Settings", "Text", "Interfaces", "Program", "Support"],
    # What options and profiles make of the settings: for those who take options, and show settings.
    GRAPH + "Training": [GRAPH + "IR", GRAPH + "Settings", "Interfaces", "Support"],
    GRAPH + "Gradients": [GRAPH + "IR", "Text", "Interfaces", "Support"],
    GRAPH + "Bodies": [GRAPH + "IR", "Text", "Interfaces", "Support"],
    GRAPH + "Decompositions": [GRAPH + "IR", GRAPH + "Settings", "Interfaces", "Support"],
    GRAPH + "Folds": [GRAPH + "IR", "Interfaces", "Support"],
    GRAPH + "Precision": [GRAPH + "IR", GRAPH + "Settings", "Text", "Interfaces", "Support"],
    GRAPH + "Analysis": [GRAPH + "Precision", GRAPH + "IR", GRAPH + "Settings", "Text", "Interfaces", "Support"],
    GRAPH + "Transforms": [GRAPH + "Analysis", GRAPH + "Precision", GRAPH + "Training", GRAPH + "IR",
                           GRAPH + "Settings", "Text", "Interfaces", "Program", "Support"],
    # Models of other systems.
    "Import": [GRAPH + "IR", GRAPH + "Settings", "Text", "Interfaces", "Onnx", "Support"],
    # What a node becomes, and what it computes while a model is read: neither needs the other.
    "Import/Onnx/Convert": ["Import", GRAPH + "IR", "Interfaces", "Onnx", "Support"],
    "Import/Onnx/Fold": ["Import", "Interfaces", "Onnx", "Support"],
    "Dialect/Exec/IR": [GRAPH + "IR", "Text", "Interfaces", "Program", "Support"],
    "Dialect/Exec/Analysis": ["Dialect/Exec/IR", GRAPH + "IR", "Text", "Interfaces", "Support"],
    "Dialect/Exec/Transforms": ["Dialect/Exec/Analysis", "Dialect/Exec/IR", GRAPH + "IR",
                                "Interfaces", "Support"],
    "Conversion": ["Dialect/Exec/IR", GRAPH + "Analysis", GRAPH + "IR", "Program", "Interfaces", "Support"],
    "Emit": [GRAPH + "Analysis", GRAPH + "IR", "Interfaces", "Support"],
    "Target": ["Emit", "Dialect/Exec/Analysis", "Dialect/Exec/IR", GRAPH + "Analysis",
               GRAPH + "Training", GRAPH + "IR", GRAPH + "Settings", "Text", "Program", "Interfaces", "Support"],
    "Pipelines": ["Target", "Emit", "Conversion", "Dialect/Exec/Transforms", "Dialect/Exec/Analysis",
                  "Dialect/Exec/IR", GRAPH + "Transforms", GRAPH + "Analysis", GRAPH + "Precision",
                  GRAPH + "Training", GRAPH + "IR", GRAPH + "Settings", "Program",
                  "Text", "Interfaces", "Support"],
    # One compilation, from bytes to bytes.
    "Compile": ["Pipelines", "Target", "Dialect/Exec/Analysis", GRAPH + "Transforms", GRAPH + "Analysis",
                GRAPH + "Precision", GRAPH + "Training", GRAPH + "IR", GRAPH + "Settings", "Program", "Text",
                "Interfaces", "Support", "CommandLine", "Import", "Data"],
    # Hand-written CUDA kernels and their plain references.
    "kernels": ["Program", "Support"],
    # Runtime wing.
    "Runtime": ["Program", "Support"],
    "Runtime/Cuda": ["Runtime", "kernels", "Program", "Support"],
    "mpc-c": [],
    # How the processes of a training meet.
    "Ranks": ["Support"],
    # Gradients and states of sessions, which it knows by their C interface.
    "Ranks/Session": ["Ranks", "Support", "mpc-c"],
    # How results and structs cross a C interface.
    "CAPI/Boundary": ["Support", "mpc-c"],
    "CAPI": ["CAPI/Boundary", "Runtime", "Data", "Program", "Support", "mpc-c"],
    # Groups of ranks for applications: nothing of the runtime's inside.
    "CAPI/Ranks": ["CAPI/Boundary", "Ranks", "Ranks/Session", "Support", "mpc-c"],
    # Compilations for applications.
    "CAPI/Compiler": ["CAPI/Boundary", "Compile", "CommandLine", "Interfaces", "Onnx", "Data", "Support", "mpc-c"],
    # Training for applications, on the C++ interface: nothing of the runtime's inside.
    "Train": ["Data", "Program", "Ranks", "Ranks/Session", "Support", "mpc-c"],
    # Tools.
    "tools/startup": ["*compiler"],
    "tools/mpc-opt": ["*compiler", "tools/startup"],
    "tools/mpc-compile": ["*compiler", "tools/startup"],
    "tools/mpc-op-table": ["*compiler"],
    "tools/mpc-lsp-server": ["*compiler"],
    "tools/mpc-reduce": ["*compiler", "tools/startup"],
    "tools/mpc-run": ["Train", "Ranks", "Onnx", "CommandLine", "Data", "Support", "mpc-c"],
}

# Beside the house: what is no part of it, and includes it from outside. A folder may include itself and the rooms
# of its row; files of a folder without a row belong to the folder above.
OUTSIDE = {
    # What an application sees.
    "examples": ["mpc-c", "Train"],
    "python": ["mpc-c"],
    # What is measured.
    "bench": [GRAPH + "Precision", "Runtime", "Runtime/Cuda", "test/Numerics/Kernels", "test/Runtime",
              "test/Runtime/Cuda", "test/Target"],
    "bench/ranks": ["Ranks", "Support"],
    "bench/calls": ["Runtime", "Support", "test/Runtime"],
    "bench/gpu": ["kernels", "Runtime/Cuda", "Program", "Support", "mpc-c"],
    # Tests without a compiler: they are built and run where there is no LLVM.
    "test/CAPI": ["Data", "Support", "mpc-c", "test/Data", "test/Runtime"],
    "test/CAPI/Compiler": ["mpc-c", "test/CAPI"],
    "test/CAPI/Ranks": ["mpc-c", "test/CAPI", "test/Ranks"],
    "test/CommandLine": ["CommandLine"],
    "test/Conformance/Update": ["mpc-c"],
    "test/Data": ["Data", "Support"],
    "test/Gpu": ["Runtime/Cuda", "Program", "Data", "Support", "mpc-c", "test/Runtime", "test/Runtime/Cuda"],
    "test/Kernels": ["kernels", "mpc-c", "test/Emulation"],
    "test/Program": ["Program", "test/Runtime"],
    "test/Runtime": ["Runtime", "Program", "Data", "Support", "test/Reference"],
    "test/Runtime/Cuda": ["Runtime/Cuda", "Runtime", "Program", "Support", "kernels", "test/Data", "test/Emulation",
                          "test/Kernels", "test/Runtime"],
    "test/Ranks": ["Ranks", "Support"],
    "test/Support": ["Support", "Program", "Data", "test/Data"],
    "test/Train": ["Train", "Data", "Support", "mpc-c", "test/Data", "test/Runtime"],
    "test/tools/dump-code": ["Program"],
    "test/tools/make-toy-program": ["Program"],
    "test/tools/mpc-run": ["tools/mpc-run"],
    "test/tools/replace-source": ["Program"],
    # Tests of the compiler: they run no runtime but through the tools and the C API.
    "test/Compile": ["Compile"],
    "test/Conformance/Autocast": [GRAPH + "IR", GRAPH + "Precision", GRAPH + "Transforms",
                                  "test/Dialect/Graph/Precision"],
    "test/Conformance/Scaler": [GRAPH + "IR", GRAPH + "Transforms", "test/Numerics/Kernels", "test/Reference"],
    "test/Dialect/Exec/Analysis": ["Dialect/Exec/Analysis", "Interfaces"],
    "test/Dialect/Graph/Analysis": [GRAPH + "IR", GRAPH + "Precision", GRAPH + "Analysis", GRAPH + "Transforms",
                                    "test/Reference"],
    "test/Dialect/Graph/Training": [GRAPH + "IR", GRAPH + "Settings", GRAPH + "Training", GRAPH + "Transforms",
                                    "test/Reference"],
    "test/Dialect/Graph/Precision": [GRAPH + "IR", GRAPH + "Precision", GRAPH + "Transforms"],
    "test/Dialect/Graph/Transforms": [GRAPH + "IR", GRAPH + "Transforms", "test/Reference"],
    "test/Emulation": ["Interfaces", "Target"],
    "test/Import": ["Import", GRAPH + "IR", "test/Reference"],
    "test/Interfaces": ["Interfaces"],
    "test/Pipelines": ["Pipelines", "Interfaces"],
    "test/Numerics/Gradients": [GRAPH + "IR", GRAPH + "Transforms", "test/Reference"],
    "test/Numerics/GpuKernels": [GRAPH + "IR", "Emit", "test/Emulation", "test/Numerics/Kernels"],
    "test/Numerics/Kernels": [GRAPH + "IR", GRAPH + "Analysis", GRAPH + "Transforms", "Emit", "Target",
                              "test/Numerics/Scaler", "test/Reference"],
    "test/Numerics/Scaler": [GRAPH + "IR", "test/Reference"],
    "test/Reference": [GRAPH + "IR", "Interfaces", "Support"],
    "test/Target": ["Target", "Program", "Interfaces", "Support"],
    "test/Text": ["Text"],
    "test/tools/emulate-cuda": ["*compiler", "test/Emulation"],
    "test/tools/foreign-opt": ["*compiler"],
    "test/tools/gpu-to-ptx": ["Target"],
    "test/tools/graph-eval": [GRAPH + "IR", "Data", "Support", "test/Reference"],
    # Tests of both: what is compiled is run, or read.
    "test/Fuzz": ["*compiler", "Onnx", "Data", "mpc-c", "test/CommandLine"],
    "test/Numerics/Diagnosis": ["*compiler", "Train", "Data", "mpc-c"],
}

COMPILER = {"Interfaces", "Text", "Import", "Import/Onnx/Convert", "Import/Onnx/Fold", "Conversion", "Emit", "Target",
            "Pipelines", "Compile", "CAPI/Compiler"} | {
    room for room, others in ROOMS.items() if room.startswith("Dialect/") or "*compiler" in others}
RUNTIME = {"Runtime", "kernels", "CAPI", "CAPI/Boundary", "CAPI/Ranks", "mpc-c", "CommandLine", "Data", "Onnx", "Ranks", "Train", "Program", "Support",
           "tools/mpc-run"}


def room_of(path):
    """The room of a repository path or of an included name, or None."""
    for prefix in ("include/mpc/", "lib/", "mpc/"):
        if path.startswith(prefix):
            path = path[len(prefix):]
            break
    else:
        if path.startswith("include/mpc-c/") or path.startswith("mpc-c/"):
            return "mpc-c"
    names = sorted([*ROOMS, *OUTSIDE], key=len, reverse=True)
    for room in names:
        if path == room or path.startswith(room + "/"):
            return room
    return None


def allowed(room):
    """The rooms that `room` may include, itself among them."""
    result = set(ROOMS[room] if room in ROOMS else OUTSIDE[room]) | {room}
    if "*compiler" in result:
        result |= {r for r in COMPILER if not r.startswith("tools/")} | {"CommandLine", "Program", "Support"}
    return result


def knows_llvm(room):
    """Whether `room` is of the compiler wing, or includes it from outside."""
    return bool(allowed(room) & COMPILER) if room in OUTSIDE else room not in RUNTIME


def knows_cuda(room):
    """Whether `room` is not of the compiler wing; outside, whether it includes what runs on GPUs."""
    return bool(allowed(room) & {"Runtime/Cuda", "kernels"}) if room in OUTSIDE else room not in COMPILER
