#include "GroupSpaces.h"

using namespace mpc;
using namespace mpc::graph;

int GroupSpaces::find(int dim) const {
  while (parents[dim] != dim)
    dim = parents[dim];
  return dim;
}

bool GroupSpaces::unite(int a, int b) {
  a = find(a);
  b = find(b);
  if (a != b) {
    parents[b] = a;
    undo.push_back(b);
  }
  return a != b;
}

void GroupSpaces::bind(Space &space, Value value, ArrayRef<int> along,
                       ArrayRef<int> dims) {
  SmallVector<int> own;
  for (int iteration : along)
    own.push_back(iteration < 0 ? -1 : dims[iteration]);
  space.values.try_emplace(value, own);
}

void GroupSpaces::add(int group, Operation *op) {
  OpIndexing indexing = getOpIndexing(op);
  Space &space = spaces[group];
  for (auto [size, folds] : llvm::zip(indexing.sizes, indexing.reduced)) {
    int dim = parents.size();
    parents.push_back(dim);
    sizes.push_back(size);
    space.dims.push_back(dim);
    if (folds)
      space.reduced.push_back(dim);
  }
  SmallVector<int> loops = space.dims;
  if (!space.reduced.empty()) {
    space.loops = loops;
    space.folds = indexing.reduced;
  }
  if (getOpForm(op) != OpForm::Slice)
    for (auto [operand, along] :
         llvm::zip(op->getOperands(), indexing.operands)) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || getOpForm(producer) != OpForm::Splat)
        bind(space, operand, along, loops);
    }
  bind(space, op->getResult(0), indexing.result, loops);
}

void GroupSpaces::uniteValues(const Space &a, const Space &b) {
  const Space &small = a.values.size() < b.values.size() ? a : b;
  const Space &large = &small == &a ? b : a;
  for (const auto &[value, dims] : small.values) {
    auto other = large.values.find(value);
    if (other == large.values.end())
      continue;
    for (auto [x, y] : llvm::zip(dims, other->second))
      if (x >= 0 && y >= 0)
        unite(x, y);
  }
}

std::optional<SmallVector<int>>
GroupSpaces::getClasses(ArrayRef<int> dims) const {
  SmallVector<int> classes;
  for (int dim : dims)
    classes.push_back(find(dim));
  llvm::sort(classes);
  if (std::adjacent_find(classes.begin(), classes.end()) != classes.end())
    return std::nullopt;
  return classes;
}

bool GroupSpaces::isOneSpace(const Space &a, const Space &b) const {
  auto dimsA = getClasses(a.dims), dimsB = getClasses(b.dims);
  if (!dimsA || !dimsB)
    return false;
  auto reducedA = *getClasses(a.reduced), reducedB = *getClasses(b.reduced);
  auto without = [](const SmallVector<int> &dims,
                    const SmallVector<int> &gone) {
    SmallVector<int> rest;
    std::set_difference(dims.begin(), dims.end(), gone.begin(), gone.end(),
                        std::back_inserter(rest));
    return rest;
  };
  SmallVector<int> itemsA = without(*dimsA, reducedA);
  SmallVector<int> itemsB = without(*dimsB, reducedB);
  if (!reducedA.empty() && !reducedB.empty())
    return reducedA == reducedB && itemsA == itemsB;
  if (*dimsA == *dimsB)
    return true;
  // Ops on the results of the other group's reductions.
  return reducedB.empty() ? !reducedA.empty() && *dimsB == itemsA
                          : *dimsA == itemsB;
}

void GroupSpaces::uniteReductions(const Space &a, const Space &b) {
  auto haveEqualSize = [&](int x, int y) { return sizes[x] == sizes[y]; };
  if (a.folds != b.folds || !llvm::equal(a.loops, b.loops, haveEqualSize))
    return;
  for (auto [x, y] : llvm::zip(a.loops, b.loops))
    unite(x, y);
}

bool GroupSpaces::canMerge(int a, int b, bool align) {
  undo.clear();
  const Space &first = spaces.at(a), &second = spaces.at(b);
  uniteValues(first, second);
  if (align)
    uniteReductions(first, second);
  bool fits = isOneSpace(first, second);
  if (!fits)
    cancel();
  return fits;
}

bool GroupSpaces::canAbsorb(int inner, int outer) {
  undo.clear();
  const Space &small = spaces.at(inner), &large = spaces.at(outer);
  uniteValues(small, large);
  auto dims = getClasses(small.dims), all = getClasses(large.dims);
  bool fits = small.reduced.empty() && dims && all && !dims->empty() &&
              llvm::all_of(*dims, [&](int dim) {
                return llvm::is_contained(*all, dim);
              });
  if (!fits)
    cancel();
  return fits;
}

void GroupSpaces::cancel() {
  for (int dim : llvm::reverse(undo))
    parents[dim] = dim;
  undo.clear();
}

void GroupSpaces::merge(int a, int b, int into) {
  int from = into == a ? b : a;
  Space moved = std::move(spaces[from]);
  spaces.erase(from);
  Space &space = spaces[into];
  auto unify = [&](SmallVector<int> &dims, ArrayRef<int> more) {
    DenseSet<int> classes;
    for (int dim : llvm::concat<const int>(dims, more))
      classes.insert(find(dim));
    dims.assign(classes.begin(), classes.end());
    llvm::sort(dims);
  };
  if (space.loops.empty()) {
    space.loops = moved.loops;
    space.folds = moved.folds;
  }
  unify(space.dims, moved.dims);
  unify(space.reduced, moved.reduced);
  if (moved.values.size() > space.values.size())
    std::swap(moved.values, space.values);
  for (auto &[value, dims] : moved.values)
    space.values.try_emplace(value, dims);
}
