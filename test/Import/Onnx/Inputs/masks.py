"""The text of a model whose mask is drawn by arithmetic, as exporters write layers that drop out: masks.py KIND

All have x of 4 x 3, and a probability of 0.75 that an element stays.
"""
import sys


def number(name, value):
    return f'initializer {{ name: "{name}" data_type: 1 float_data: [{value}] }}'


def node(kind, inputs, output, attributes=""):
    inputs = " ".join(f'input: "{name}"' for name in inputs.split())
    return f'node {{ op_type: "{kind}" name: "{output}_node" {inputs} output: "{output}" {attributes} }}'


UNIFORM = node("RandomUniformLike", "zeros", "u", 'attribute { name: "low" type: FLOAT f: 0 } '
               'attribute { name: "high" type: FLOAT f: 1 }')
OURS = 'domain: "mpc"'
TO_FLOAT = 'attribute { name: "to" type: INT i: 1 }'
LESS = [UNIFORM, node("Less", "u keep", "below"), node("Cast", "below", "kept", TO_FLOAT)]
SCALED = LESS + [node("Div", "kept keep", "mask")]
KINDS = {
    # PyTorch's dropout in place, stochastic depth and DropPath.
    "div": SCALED + [node("Mul", "x mask", "y")],
    "mul": LESS + [node("Mul", "kept inverse", "mask"), node("Mul", "mask x", "y")],
    # Layers of before: floor(keep + rand), and x / keep.
    "floor": [UNIFORM, node("Add", "u keep", "sum"), node("Floor", "sum", "kept"), node("Div", "x keep", "big"),
              node("Mul", "big kept", "y")],
    "bernoulli": [node("Bernoulli", "keeps", "kept"), node("Div", "kept keep", "mask"), node("Mul", "x mask", "y")],
    # Numbers of a shape that is written, and flags of another type.
    "shaped": [UNIFORM.replace("Like", "").replace('input: "zeros"', 'attribute { name: "shape" type: INTS ints: 4 ints: 1 }')]
              + SCALED[1:] + [node("Mul", "x mask", "y")],
    "typed": [node("Bernoulli", "keeps", "flags", 'attribute { name: "dtype" type: INT i: 10 }'), node("Cast", "flags", "kept", TO_FLOAT),
              node("Div", "kept keep", "mask"), node("Mul", "x mask", "y")],
    # As people write it: above a bound, at most or least it, not below it, 1 - x of it.
    "above": [UNIFORM, node("Greater", "u drop", "above"), node("Cast", "above", "kept", TO_FLOAT), node("Div", "kept keep", "mask"),
              node("Mul", "x mask", "y")],
    "least": [UNIFORM, node("LessOrEqual", "drop u", "above"), node("Cast", "above", "kept", TO_FLOAT), node("Div", "kept keep", "mask"),
              node("Mul", "mask x", "y")],
    "not": [UNIFORM, node("GreaterOrEqual", "drop u", "below"), node("Not", "below", "above"), node("Cast", "above", "kept", TO_FLOAT),
            node("Mul", "kept inverse", "mask"), node("Mul", "x mask", "y")],
    "rest": [UNIFORM, node("Less", "u drop", "below"), node("Cast", "below", "dropped", TO_FLOAT), node("Sub", "one dropped", "kept"),
             node("Div", "kept keep", "mask"), node("Mul", "x mask", "y")],
    # The product is scaled, not the mask.
    "behind": LESS + [node("Mul", "x kept", "some"), node("Div", "some keep", "y")],
    "factor": LESS + [node("Mul", "kept x", "some"), node("Mul", "inverse some", "y")],
    # Choices: of x or zero, scaled before or behind, and of the scale itself.
    "where": [UNIFORM, node("Greater", "u drop", "above"), node("Mul", "x inverse", "big"), node("Where", "above big none", "y")],
    "filled": [UNIFORM, node("Less", "u drop", "below"), node("Cast", "nothing", "no", TO_FLOAT), node("Where", "below no x", "some"),
               node("Div", "some keep", "y")],
    # The zero of the type of what is scaled, as PyTorch's exporter writes it.
    "alike": [UNIFORM, node("Less", "u drop", "below"), node("Div", "x keep", "big"), node("CastLike", "nothing big", "no"),
              node("Where", "below no big", "y")],
    "weights": [UNIFORM, node("Less", "u drop", "below"), node("Where", "below none inverse", "mask"), node("Mul", "x mask", "y")],
    "ones": [UNIFORM, node("Less", "u keep", "below"), node("Where", "below one none", "kept"), node("Mul", "x kept", "some"),
             node("Div", "some keep", "y")],
    # In a function, which is called twice and draws twice.
    "function": [node("Drop", "x", "a", 'domain: "d"'), node("Drop", "a", "y", 'domain: "d"')],
    # One mask, read twice.
    "twice": SCALED + [node("Div", "kept keep", "mask2"), node("Mul", "x mask", "a"), node("Mul", "a mask2", "y")],
    # Drawn, or compared, without gradients.
    "stopped": [UNIFORM, node("StopGradient", "u", "su", OURS), node("Less", "su keep", "below"), node("Cast", "below", "cast", TO_FLOAT),
                node("StopGradient", "cast", "kept", OURS), node("Div", "kept keep", "mask"), node("Mul", "x mask", "y")],
    # No dropout: all that is drawn is 0 as an integer.
    "whole": [UNIFORM, node("Cast", "u", "i", TO_FLOAT.replace("i: 1", "i: 7")), node("Cast", "i", "f", TO_FLOAT),
              node("Less", "f keep", "below"), node("Cast", "below", "kept", TO_FLOAT), node("Div", "kept keep", "mask"),
              node("Mul", "x mask", "y")],
    # No dropout: the scale is another one, or there is none.
    "other": LESS + [node("Div", "kept half", "mask"), node("Mul", "x mask", "y")],
    "plain": LESS + [node("Mul", "x kept", "y")],
    "noise": [UNIFORM, node("Add", "x u", "y")],
    # Random signs, a sum, a choice and a bound, which begin as dropout does.
    "signs": SCALED + [node("Sub", "mask one", "sign"), node("Mul", "x sign", "y")],
    "added": SCALED + [node("Add", "x mask", "y")],
    "mixed": SCALED + [node("Mul", "x mask", "a"), node("Sub", "one mask", "rest"), node("Mul", "x rest", "b"), node("Add", "a b", "y")],
    "bound": SCALED + [node("Max", "x mask", "y")],
    "squared": SCALED + [node("Mul", "mask mask", "m"), node("Mul", "x m", "y")],
    "old": [UNIFORM, node("Add", "u keep", "sum"), node("Floor", "sum", "kept"), node("Div", "x keep", "big"), node("Mul", "big kept", "a"),
            node("Div", "kept keep", "mask"), node("Sub", "a mask", "y")],
    # Each half apart, which are never both there; a choice of two values, or that nobody scales; a product that another reads.
    "halves": [UNIFORM, node("Less", "u half", "below"), node("Greater", "u half", "above"), node("Cast", "below", "a", TO_FLOAT),
               node("Cast", "above", "b", TO_FLOAT), node("Div", "a half", "c"), node("Div", "b half", "d"), node("Mul", "x c", "e"),
               node("Mul", "x d", "f"), node("Add", "e f", "y")],
    "two": [UNIFORM, node("Less", "u half", "below"), node("Div", "x half", "a"), node("Where", "below a x", "y")],
    "unscaled": [UNIFORM, node("Less", "u keep", "below"), node("Where", "below x none", "y")],
    "read": LESS + [node("Mul", "x kept", "some"), node("Div", "some keep", "a"), node("Add", "a some", "y")],
    "chosen": [UNIFORM, node("Less", "u drop", "below"), node("Where", "below inverse none", "mask"), node("Mul", "x mask", "y")],
    # Dropout, and the mask itself.
    "both": SCALED + [node("Mul", "x mask", "a"), node("Add", "a kept", "y")],
}
SHAPE = "type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } dim { dim_value: 3 } } } }"


def column(name, value):
    return (f'node {{ op_type: "Constant" output: "{name}" attribute {{ name: "value" type: TENSOR '
            f't {{ dims: 4 dims: 1 data_type: 1 float_data: [{", ".join([str(value)] * 4)}] }} }} }}')


P = 'node { op_type: "Constant" output: "p" attribute { name: "value" type: TENSOR t { data_type: 1 float_data: [0.75] } } }'
FUNCTION = " ".join([column("zeros", 0), P, *SCALED, node("Mul", "x mask", "y")]).replace("keep", "p")
FUNCTIONS = (f'functions {{ domain: "d" name: "Drop" input: "x" output: "y" opset_import {{ version: 17 }} {FUNCTION} }}'
             if sys.argv[1] == "function" else "")

print(f"""ir_version: 8 producer_name: "pytorch" opset_import {{ version: 17 }} opset_import {{ domain: "mpc" version: 1 }}
opset_import {{ domain: "d" version: 1 }}
{FUNCTIONS}
graph {{ name: "g" {column("zeros", 0)} {column("keeps", 0.75)} {" ".join(KINDS[sys.argv[1]])}
{number("keep", 0.75)} {number("half", 0.5)} {number("one", 1)} {number("inverse", 4 / 3)} {number("drop", 0.25)} {number("none", 0)}
initializer {{ name: "nothing" data_type: 7 int64_data: [0] }}
input {{ name: "x" {SHAPE} }} output {{ name: "y" {SHAPE} }} }}""")
