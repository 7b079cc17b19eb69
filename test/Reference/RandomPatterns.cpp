// Whole patterns of ops in random functions.
#include "RandomFunction.h"
#include <algorithm>

using namespace mpc::reference;

/// Reductions that wait for each other, over the same dims or now and then over
/// others.
void RandomFunction::addChain(Number x, int length) {
  Shape dims;
  for (size_t dim = 0; dim < x.shape.size(); ++dim)
    if (pick(2))
      dims.push_back(dim);
  bool changes = pick(4) == 0;
  for (int i = 0; i < length; ++i) {
    if (changes && !x.shape.empty() && pick(4) == 0)
      dims = {int64_t(pick(x.shape.size()))};
    Number row = reduce(x, pick(3) ? "mean" : "max", dims, /*keeps=*/true);
    x = define("graph.sub " + x.name + ", " + row.name, x.shape, "f32",
               "(" + x.type() + ", " + row.type() + ")");
  }
}

/// Parts along a dim, some of them changed, some left out, in any order.
void RandomFunction::addParts(const Number &x) {
  size_t dim = pick(x.shape.size());
  int64_t size = x.shape[dim];
  Shape cuts{0, size};
  for (size_t i = 0, e = 1 + pick(3); i < e; ++i)
    cuts.push_back(pick(size + 1));
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<Number> parts;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    Shape offsets(x.shape.size(), 0), sizes = x.shape;
    offsets[dim] = cuts[i];
    sizes[dim] = cuts[i + 1] - cuts[i];
    parts.push_back(define("graph.slice " + x.name + " offsets = " +
                               listOf(offsets) + " sizes = " + listOf(sizes),
                           sizes, "f32", "(" + x.type() + ")"));
    Number &part = parts.back();
    if (pick(3) == 0) {
      part = define(std::string("graph.") + pickOf(kUnaryOps) + " " + part.name,
                    part.shape, "f32", "");
    } else if (pick(2)) {
      Number row = reduce(part, "mean", {int64_t(dim)}, /*keeps=*/true);
      part = define("graph.sub " + part.name + ", " + row.name, part.shape,
                    "f32", "(" + part.type() + ", " + row.type() + ")");
    }
  }
  std::shuffle(parts.begin(), parts.end(), random);
  if (parts.size() > 1 && pick(3) == 0)
    parts.pop_back();
  Shape shape = x.shape;
  std::string names, types;
  shape[dim] = 0;
  for (const Number &part : parts) {
    shape[dim] += part.shape[dim];
    names += (names.empty() ? "" : ", ") + part.name;
    types += (types.empty() ? "" : ", ") + part.type();
  }
  define("graph.concat " + names + " dim = " + std::to_string(dim), shape,
         "f32", "(" + types + ")");
}

/// A residual stream in 16 bits: each branch reads it in f32, and is added as
/// it is stored.
void RandomFunction::addResidual(const Number &x) {
  std::string narrow = pick(2) ? "f16" : "bf16";
  Number stream =
      define("graph.cast " + x.name, x.shape, narrow, "(" + x.type() + ")");
  for (size_t i = 0, e = 1 + pick(3); i < e; ++i) {
    Number wide = unary("graph.cast", stream, x.shape);
    if (pick(2) && !x.shape.empty()) {
      addRow(wide);
    } else {
      define(std::string("graph.") + pickOf(kUnaryOps) + " " + wide.name,
             wide.shape, "f32", "");
    }
    Number branch = define("graph.cast " + values.back().name, x.shape, narrow,
                           "(" + values.back().type() + ")");
    stream = define("graph.add " + stream.name + ", " + branch.name, x.shape,
                    narrow, "(" + stream.type() + ", " + branch.type() + ")");
  }
}

/// What is left of a value without its means along each of its dims; of a
/// transposed one, too.
void RandomFunction::addAxes(const Number &x) {
  Number rest = x;
  for (size_t dim = 0; dim < x.shape.size(); ++dim) {
    if (pick(4) == 0)
      continue;
    // Of what there was at the beginning, or of what is left.
    Number row = reduce(pick(2) ? x : rest, pick(4) ? "mean" : "max",
                        {int64_t(dim)}, /*keeps=*/true);
    rest = define("graph.sub " + rest.name + ", " + row.name, x.shape, "f32",
                  "(" + rest.type() + ", " + row.type() + ")");
  }
  if (pick(2))
    addTranspose(rest);
}

void RandomFunction::addPattern(const Number &x) {
  size_t which = pick(3);
  if (which == 0 && !x.shape.empty())
    return addParts(x);
  return which == 1 ? addResidual(x) : addAxes(x);
}
