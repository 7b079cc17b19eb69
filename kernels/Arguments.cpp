#include "kernels/Arguments.h"

using namespace mpc;
using namespace mpc::kernels;

namespace {
/// Hands out pointers from the front.
class Reader {
public:
  Reader(std::span<void *const> arguments) : rest(arguments) {}

  template <typename T> void one(T *&pointer) {
    pointer = static_cast<T *>(rest.front());
    rest = rest.subspan(1);
  }
  template <typename T> void oneIf(bool has, T *&pointer) {
    if (has)
      one(pointer);
  }
  std::span<void *const> list(size_t tensors) {
    auto result = rest.first(tensors);
    rest = rest.subspan(tensors);
    return result;
  }

private:
  std::span<void *const> rest;
};
} // namespace

/// The lists that `op` has, in the order of its arguments.
static std::vector<int> listsOf(const MultiTensor &op) {
  switch (op.kind) {
  case Kind::UnscaleL2Norm:
    return {norm::G};
  case Kind::AdamW: {
    using namespace adamw;
    std::vector<int> lists = {P, G, M, V, NextP, NextM, NextV};
    if (op.copyType)
      lists.push_back(Copy);
    return lists;
  }
  case Kind::Sgd: {
    using namespace sgd;
    std::vector<int> lists = {P, G, NextP};
    if (op.momentum != 0)
      lists = {P, G, Buffer, NextP, NextBuffer};
    if (op.copyType)
      lists.push_back(Copy);
    return lists;
  }
  }
  return {};
}

size_t MultiTensor::argumentCount(size_t tensors) const {
  size_t scalars = 0;
  switch (kind) {
  case Kind::UnscaleL2Norm:
    scalars = hasScale + 2;
    break;
  case Kind::AdamW:
    scalars = hasFoundInf + hasScale + hasCoefficient + 2;
    break;
  case Kind::Sgd:
    scalars = hasFoundInf + hasScale + hasCoefficient + 1;
    break;
  }
  return scalars + listsOf(*this).size() * tensors;
}

Arguments::Arguments(const MultiTensor &op, size_t tensors,
                     std::span<void *const> arguments) {
  Reader reader(arguments);
  bool isUpdate = op.kind != Kind::UnscaleL2Norm;
  reader.oneIf(isUpdate && op.hasFoundInf, foundInf);
  reader.oneIf(op.hasScale, scale);
  reader.oneIf(isUpdate && op.hasCoefficient, coefficient);
  reader.oneIf(isUpdate, learningRate);
  reader.oneIf(op.kind == Kind::AdamW, step);
  for (int list : listsOf(op))
    lists[list] = reader.list(tensors);
  reader.oneIf(!isUpdate, foundInfResult);
  reader.oneIf(!isUpdate, normResult);
}
