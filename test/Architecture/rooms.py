"""The rooms of the house and the arrows allowed between them.

A room may include the rooms listed for it, and nothing else of the project.
Everything below is checked by includes.py and links.py.
"""

GRAPH = "Dialect/Graph/"

# room: rooms that it may include. The order is the order of the floors: a room
# only names rooms above it in this table, so there can be no circle.
ROOMS = {
    "Support": [],
    # The treaty between the wings.
    "Program": ["Support"],
    # Compiler wing.
    "Interfaces": ["Support"],
    GRAPH + "IR": ["Interfaces", "Support"],
    GRAPH + "Gradients": [GRAPH + "IR", "Interfaces", "Support"],
    GRAPH + "Bodies": [GRAPH + "IR", "Interfaces", "Support"],
    GRAPH + "Decompositions": [GRAPH + "IR", "Interfaces", "Support"],
    GRAPH + "Folds": [GRAPH + "IR", "Interfaces", "Support"],
    GRAPH + "Precision": [GRAPH + "IR", "Interfaces", "Support"],
    GRAPH + "Analysis": [GRAPH + "Precision", GRAPH + "IR", "Interfaces", "Support"],
    GRAPH + "Transforms": [GRAPH + "Analysis", GRAPH + "Precision", GRAPH + "IR",
                           "Interfaces", "Support"],
    "Dialect/Exec/IR": [GRAPH + "IR", "Interfaces", "Support"],
    "Dialect/Exec/Analysis": ["Dialect/Exec/IR", GRAPH + "IR", "Interfaces", "Support"],
    "Dialect/Exec/Transforms": ["Dialect/Exec/Analysis", "Dialect/Exec/IR", GRAPH + "IR",
                                "Interfaces", "Support"],
    "Conversion": ["Dialect/Exec/IR", GRAPH + "Analysis", GRAPH + "IR", "Interfaces", "Support"],
    "Emit": [GRAPH + "Analysis", GRAPH + "IR", "Interfaces", "Support"],
    "Target": ["Emit", "Dialect/Exec/Analysis", "Dialect/Exec/IR", GRAPH + "Analysis",
               GRAPH + "IR", "Program", "Interfaces", "Support"],
    "Pipelines": ["Target", "Emit", "Conversion", "Dialect/Exec/Transforms", "Dialect/Exec/Analysis",
                  "Dialect/Exec/IR", GRAPH + "Transforms", GRAPH + "Analysis", GRAPH + "Precision",
                  GRAPH + "IR", "Program",
                  "Interfaces", "Support"],
    # Hand-written CUDA kernels and their plain references.
    "kernels": ["Program", "Support"],
    # Runtime wing.
    "Runtime": ["Program", "Support"],
    "Runtime/Cuda": ["Runtime", "kernels", "Program", "Support"],
    "mpc-c": [],
    "Data": ["Support"],
    "CAPI": ["Runtime", "Data", "Program", "Support", "mpc-c"],
    # Command lines of tools: tables of options, and what is written from them.
    "CommandLine": ["Support"],
    # Tools.
    "tools/mpc-opt": ["*compiler"],
    "tools/mpc-compile": ["*compiler"],
    "tools/mpc-op-table": ["*compiler"],
    "tools/mpc-lsp-server": ["*compiler"],
    "tools/mpc-reduce": ["*compiler"],
    "tools/mpc-run": ["CAPI", "CommandLine", "Data", "Support", "mpc-c"],
}

COMPILER = {"Interfaces", "Conversion", "Emit", "Target", "Pipelines"} | {
    room for room, others in ROOMS.items() if room.startswith("Dialect/") or "*compiler" in others}
RUNTIME = {"Runtime", "kernels", "CAPI", "mpc-c", "CommandLine", "Data", "Program", "Support", "tools/mpc-run"}


def room_of(path):
    """The room of a repository path or of an included name, or None."""
    for prefix in ("include/mpc/", "lib/", "mpc/"):
        if path.startswith(prefix):
            path = path[len(prefix):]
            break
    else:
        if path.startswith("include/mpc-c/") or path.startswith("mpc-c/"):
            return "mpc-c"
    names = sorted(ROOMS, key=len, reverse=True)
    for room in names:
        if path == room or path.startswith(room + "/"):
            return room
    return None


def allowed(room):
    """The rooms that `room` may include, itself among them."""
    result = set(ROOMS[room]) | {room}
    if "*compiler" in result:
        result |= {r for r in COMPILER if not r.startswith("tools/")} | {"CommandLine", "Program", "Support"}
    return result
