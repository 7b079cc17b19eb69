#include "ConstantFolding.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::DenseElementsAttr;
using mlir::FloatAttr;
using mlir::IntegerAttr;

SmallVector<int64_t> graph::getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

/// Calls `visit` with every index of `shape` in row-major order.
static void forEachIndex(ArrayRef<int64_t> shape,
                         function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  for (int64_t n = 0; n < count; ++n) {
    visit(index);
    for (size_t i = shape.size(); i-- > 0;) {
      if (++index[i] < shape[i])
        break;
      index[i] = 0;
    }
  }
}

/// The row-major index in `shape` that `index` of a larger shape reads.
static int64_t broadcastIndex(ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> index) {
  int64_t result = 0;
  size_t lead = index.size() - shape.size();
  for (auto [i, size] : llvm::enumerate(shape))
    result = result * size + (size == 1 ? 0 : index[lead + i]);
  return result;
}

Attribute graph::foldElements(ArrayRef<Attribute> operands,
                              RankedTensorType type, ComputeElement compute) {
  SmallVector<DenseElementsAttr> constants;
  for (Attribute operand : operands)
    if (auto dense = dyn_cast_or_null<DenseElementsAttr>(operand))
      constants.push_back(dense);
    else
      return {};
  auto isSplat = [](DenseElementsAttr dense) { return dense.isSplat(); };
  if (llvm::all_of(constants, isSplat)) {
    SmallVector<Attribute> elements;
    for (DenseElementsAttr dense : constants)
      elements.push_back(dense.getSplatValue<Attribute>());
    Attribute element = compute(elements);
    return element ? DenseElementsAttr::get(type, element) : Attribute();
  }
  if (type.getNumElements() > kMaxFoldedElements)
    return {};
  SmallVector<Attribute> results;
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<Attribute> elements;
    for (DenseElementsAttr dense : constants)
      elements.push_back(dense.getValues<Attribute>()[broadcastIndex(
          dense.getType().getShape(), index)]);
    results.push_back(compute(elements));
  });
  return llvm::all_of(results, [](Attribute result) { return !!result; })
             ? DenseElementsAttr::get(type, results)
             : Attribute();
}

Attribute graph::foldNumbers(
    ArrayRef<Attribute> operands, RankedTensorType type,
    function_ref<std::optional<APFloat>(ArrayRef<APFloat>)> onFloats,
    function_ref<std::optional<APInt>(ArrayRef<APInt>)> onIntegers) {
  Type element = type.getElementType();
  if (isa<FloatType>(element))
    return foldElements(operands, type, [&](ArrayRef<Attribute> attrs) {
      SmallVector<APFloat> values;
      for (Attribute attr : attrs)
        values.push_back(cast<FloatAttr>(attr).getValue());
      std::optional<APFloat> result = onFloats(values);
      return result ? FloatAttr::get(element, *result) : Attribute();
    });
  return foldElements(operands, type, [&](ArrayRef<Attribute> attrs) {
    SmallVector<APInt> values;
    for (Attribute attr : attrs)
      values.push_back(cast<IntegerAttr>(attr).getValue());
    std::optional<APInt> result = onIntegers(values);
    return result ? IntegerAttr::get(element, *result) : Attribute();
  });
}

Attribute graph::foldMovement(Attribute input, RankedTensorType type,
                              SourceIndex source) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(input);
  if (!dense)
    return {};
  if (dense.isSplat())
    return dense.resizeSplat(type);
  if (type.getNumElements() > kMaxFoldedElements)
    return {};
  SmallVector<Attribute> results;
  auto values = dense.getValues<Attribute>();
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    results.push_back(values[source(index)]);
  });
  return DenseElementsAttr::get(type, results);
}

bool graph::isUniform(Attribute constant, double value) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constant);
  return dense && dense.isSplat() &&
         dense == getUniform(cast<RankedTensorType>(dense.getType()), value);
}

Attribute graph::getUniform(RankedTensorType type, double value) {
  Type element = type.getElementType();
  if (isa<FloatType>(element))
    return DenseElementsAttr::get(type,
                                  Attribute(FloatAttr::get(element, value)));
  return DenseElementsAttr::get(
      type, Attribute(IntegerAttr::get(element, static_cast<int64_t>(value))));
}
