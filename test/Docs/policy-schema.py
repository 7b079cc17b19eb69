"""Holds docs/policy.schema.json and the reader of policy files against each other.

usage: policy-schema.py SOURCE FOLDER

Each example is checked against the schema (the part of JSON Schema that it uses) and read by mpc-opt; both must accept it,
or both must refuse it. The examples of docs/Precision.md must be accepted.
"""
import json
import pathlib
import re
import subprocess
import sys

MODEL = """func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
"""
RULE = {"op": "graph.matmul", "policy": "Deny"}
GOOD = [{"version": 1, "rules": []}, {"version": 1, "rules": [RULE]},
        {"$schema": "policy.schema.json", "version": 1, "rules": [{"loc": ".*", "policy": "Clear"}]},
        {"version": 1, "rules": [{"region": "tail", "policy": "Infer"}, RULE | {"operand": 1}]}]
GOOD += [{"version": 1, "rules": [RULE | {"policy": word}]}
         for word in ("Allow", "Deny", "DenyIO", "Promote", "Infer", "Clear")]
BAD = [[], {"rules": []}, {"version": 2, "rules": []}, {"version": 1}, {"version": 1, "rules": {}},
       {"version": 1, "rules": [], "more": 1}, {"version": 1, "rules": [3]}]
BAD += [{"version": 1, "rules": [rule]} for rule in (
    {"policy": "Deny"}, {"op": "graph.matmul"}, RULE | {"policy": "deny"}, RULE | {"ops": "graph.add"}, RULE | {"op": 3},
    RULE | {"op": "matmul"}, RULE | {"loc": ""}, RULE | {"region": ""}, RULE | {"operand": -1}, RULE | {"operand": "1"})]


def fits(value, schema):
    """Whether `value` fits `schema`; only the keywords of our schema are known."""
    kinds = {"object": dict, "array": list, "string": str, "integer": int}
    known = {"$schema", "title", "description", "examples", "type", "required", "additionalProperties", "properties",
             "items", "anyOf", "pattern", "minLength", "minimum", "enum", "const"}
    assert not schema.keys() - known, schema.keys() - known
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        return False
    if "type" in schema and not isinstance(value, kinds[schema["type"]]):
        return False
    if "anyOf" in schema and not any(fits(value, option) for option in schema["anyOf"]):
        return False
    if isinstance(value, str) and (len(value) < schema.get("minLength", 0) or
                                   not re.search(schema.get("pattern", ""), value)):
        return False
    if isinstance(value, int) and value < schema.get("minimum", value):
        return False
    if isinstance(value, list):
        return all(fits(item, schema.get("items", {})) for item in value)
    if not isinstance(value, dict):
        return True
    properties = schema.get("properties", {})
    if not schema.get("additionalProperties", True) and value.keys() - properties.keys():
        return False
    return not set(schema.get("required", ())) - value.keys() and \
        all(fits(item, properties[key]) for key, item in value.items() if key in properties)


def main():
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    schema = json.loads((source / "docs/policy.schema.json").read_text())
    quoted = [json.loads(text) for text in re.findall(r"^```json\n(.*?)^```", (source / "docs/Precision.md").read_text(), re.M | re.S)]
    errors = [] if quoted else ["expected an example in docs/Precision.md"]
    model, file = folder / "model.mlir", folder / "policy.json"
    model.write_text(MODEL)
    for accept, examples in ((True, GOOD + quoted), (False, BAD)):
        for example in examples:
            file.write_text(json.dumps(example))
            command = ["mpc-opt", str(model), f"--mpc-autocast=precision=fp16 policy-file={file}", "-o", "/dev/null"]
            read = subprocess.run(command, capture_output=True, text=True)
            if fits(example, schema) != accept:
                errors.append(f"expected the schema to {'accept' if accept else 'refuse'} {example}")
            if (read.returncode == 0) != accept:
                errors.append(f"expected mpc-opt to {'accept' if accept else 'refuse'} {example}: {read.stderr}")
    print("\n".join(errors) or "the schema and the reader agree")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
