#include "MatmulCase.h"
#include "../MatrixOffset.h"

#include "mpc/Support/DType.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numbers>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::runtime::fake;
using mpc::test::matrixAt;
using program::Epilogue;

static constexpr uint64_t kGuard = 256;
static constexpr uint8_t kUntouched = 0xa5;

static int64_t elements(const Dims &dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

void Tensor::Free::operator()(uint8_t *memory) const { std::free(memory); }

Tensor::Tensor(ElementType type, Dims shape, uint64_t shift)
    : type(type), shape(std::move(shape)), shift(shift) {
  uint64_t size = (shift + bytes() + kGuard + 255) / 256 * 256;
  memory.reset(static_cast<uint8_t *>(std::aligned_alloc(256, size)));
  std::memset(memory.get(), kUntouched, size);
}

int64_t Tensor::count() const { return elements(shape); }
uint64_t Tensor::bytes() const {
  return static_cast<uint64_t>(count()) *
         getInfo(static_cast<DType>(type)).bytes;
}

bool Tensor::intact() const {
  const uint8_t *end = memory.get() + shift + bytes();
  for (uint64_t i = 0; i < kGuard; ++i)
    if (end[i] != kUntouched)
      return false;
  return true;
}

// f8 tensors hold only these, by the tables of their formats.
static constexpr double kF8Values[] = {0, 0.5, 1, 1.5, 2};
static constexpr uint8_t kE4M3[] = {0x00, 0x30, 0x38, 0x3c, 0x40};
static constexpr uint8_t kE5M2[] = {0x00, 0x38, 0x3c, 0x3e, 0x40};

template <typename T> static T get(const void *from, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const T *>(from) + index, sizeof value);
  return value;
}

double Tensor::at(int64_t index) const {
  switch (type) {
  case ElementType::F64:
    return get<double>(data(), index);
  case ElementType::F32:
    return static_cast<double>(get<float>(data(), index));
  case ElementType::F16:
    return static_cast<double>(halfToFloat(get<uint16_t>(data(), index)));
  case ElementType::BF16:
    return static_cast<double>(bfloatToFloat(get<uint16_t>(data(), index)));
  default:
    break;
  }
  auto bits = get<uint8_t>(data(), index);
  const uint8_t *codes = type == ElementType::F8E4M3 ? kE4M3 : kE5M2;
  size_t code = 0;
  while (codes[code] != (bits & 0x7f))
    ++code;
  return bits & 0x80 ? -kF8Values[code] : kF8Values[code];
}

std::vector<double> Tensor::values() const {
  std::vector<double> list;
  for (int64_t i = 0; i < count(); ++i)
    list.push_back(at(i));
  return list;
}

void Tensor::set(int64_t index, double value) {
  auto put = [&](auto bits) {
    std::memcpy(static_cast<uint8_t *>(data()) +
                    index * static_cast<int64_t>(sizeof bits),
                &bits, sizeof bits);
  };
  auto narrow = static_cast<float>(value);
  switch (type) {
  case ElementType::F64:
    return put(value);
  case ElementType::F32:
    return put(narrow);
  case ElementType::F16:
    return put(floatToHalf(narrow));
  case ElementType::BF16:
    return put(floatToBFloat(narrow));
  default:
    break;
  }
  const uint8_t *codes = type == ElementType::F8E4M3 ? kE4M3 : kE5M2;
  auto code =
      static_cast<size_t>(std::min(std::lround(std::abs(value) * 2), 4L));
  put(static_cast<uint8_t>(codes[code] | (value < 0 ? 0x80 : 0)));
}

void Tensor::fill(std::mt19937 &generator) {
  std::normal_distribution<double> normal(0, 1);
  for (int64_t i = 0; i < count(); ++i)
    set(i, normal(generator));
}

MatmulCase::MatmulCase(ElementType type, Dims lhs, Dims rhs) {
  spec.operand = spec.rhsOperand = spec.result = type;
  spec.lhs = std::move(lhs);
  spec.rhs = std::move(rhs);
  infer();
}

MatmulCase &MatmulCase::result(ElementType type) {
  spec.result = type;
  return *this;
}

/// Stores the operands the other way; the product stays the same.
MatmulCase &MatmulCase::transpose(bool lhs, bool rhs) {
  auto swap = [](Dims &dims) {
    std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  };
  if (lhs)
    swap(spec.lhs);
  if (rhs)
    swap(spec.rhs);
  spec.transposeLhs = lhs;
  spec.transposeRhs = rhs;
  return *this;
}

void MatmulCase::infer() {
  const Dims &lhs = spec.lhs, &rhs = spec.rhs;
  size_t rank = std::max(lhs.size(), rhs.size());
  spec.out.assign(rank, 1);
  for (const Dims *dims : {&lhs, &rhs})
    for (size_t i = 2; i < dims->size(); ++i)
      spec.out[rank - 1 - i] =
          std::max(spec.out[rank - 1 - i], (*dims)[dims->size() - 1 - i]);
  spec.out[rank - 2] = lhs[lhs.size() - 2];
  spec.out[rank - 1] = rhs[rhs.size() - 1];
}

const program::Call &MatmulCase::call() {
  builder.Clear();
  builder.Finish(program::Call::Pack(builder, spec.call().get()));
  return *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer());
}

std::string MatmulCase::text() const {
  MatmulCase copy(*this);
  return describe(program::MatmulCall(copy.call()));
}

Operands::Operands(const MatmulCase &product, uint32_t seed)
    : spec(product.spec), inPlace(product.inPlace), lhs(spec.operand, spec.lhs),
      rhs(spec.rhsOperand, spec.rhs), result(spec.result, spec.out),
      bias(spec.result, {1, spec.out.back()}), addend(spec.result, spec.out),
      aux(spec.result, spec.out), lhsScale(ElementType::F32, {1}),
      rhsScale(ElementType::F32, {1}) {
  std::mt19937 generator(seed);
  for (Tensor *tensor : {&lhs, &rhs, &result, &bias, &addend})
    tensor->fill(generator);
  if (spec.derivative)
    aux.fill(generator);
  lhsScale.set(0, 0.75);
  rhsScale.set(0, 3);
  added = (inPlace ? result : addend).values();
}

std::vector<const Tensor *> Operands::tensors() const {
  std::vector<const Tensor *> all = {&lhs, &rhs, &result};
  if (spec.bias)
    all.push_back(&bias);
  if (spec.addend)
    all.push_back(inPlace ? &result : &addend);
  if (spec.aux || spec.derivative)
    all.push_back(&aux);
  if (spec.scales)
    all.insert(all.end(), {&lhsScale, &rhsScale});
  return all;
}

std::vector<void *> Operands::arguments() const {
  std::vector<void *> all;
  for (const Tensor *tensor : tensors())
    all.push_back(tensor->data());
  return all;
}

static double activate(Epilogue epilogue, double x) {
  double u = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  if (epilogue == Epilogue::GeluTanh)
    return 0.5 * x * (1 + std::tanh(u));
  return x;
}

/// By the difference quotient, to be independent of formulas.
static double slope(Epilogue epilogue, double x) {
  constexpr double h = 1e-5;
  return (activate(epilogue, x + h) - activate(epilogue, x - h)) / (2 * h);
}

Expected fake::multiplyPlainly(const Operands &with) {
  const test::MatmulSpec &spec = with.spec;
  const Dims &out = spec.out;
  int64_t rows = out[out.size() - 2], columns = out.back();
  int64_t inner = spec.lhs[spec.lhs.size() - (spec.transposeLhs ? 2 : 1)];
  std::vector<double> lhsValues = with.lhs.values(),
                      rhsValues = with.rhs.values();
  auto left = [&](int64_t base, int64_t m, int64_t k) {
    return lhsValues[static_cast<size_t>(
        base + (spec.transposeLhs ? k * rows + m : m * inner + k))];
  };
  auto right = [&](int64_t base, int64_t k, int64_t n) {
    return rhsValues[static_cast<size_t>(
        base + (spec.transposeRhs ? n * inner + k : k * columns + n))];
  };
  Expected expected;
  double scale = spec.scales ? with.lhsScale.at(0) * with.rhsScale.at(0) : 1;
  for (int64_t i = 0; i < with.result.count() / (rows * columns); ++i) {
    int64_t lhs = matrixAt(out, spec.lhs, i), rhs = matrixAt(out, spec.rhs, i);
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t n = 0; n < columns; ++n) {
        int64_t at = (i * rows + m) * columns + n;
        double sum = 0;
        for (int64_t k = 0; k < inner; ++k)
          sum += left(lhs, m, k) * right(rhs, k, n);
        sum = sum * scale + (spec.bias ? with.bias.at(n) : 0) +
              (spec.addend ? with.added[static_cast<size_t>(at)] : 0);
        expected.aux.push_back(sum);
        if (spec.derivative)
          sum *= slope(spec.epilogue, with.aux.at(at));
        else
          sum = activate(spec.epilogue, sum);
        expected.result.push_back(sum);
      }
  }
  return expected;
}

double fake::roundingError(ElementType type, double exact) {
  const DTypeInfo &info = getInfo(static_cast<DType>(type));
  // Half a unit in the last place, and what the difference quotient and the
  // order of the sums in f64 may add.
  return std::abs(exact) *
             std::ldexp(1.0, -static_cast<int>(info.mantissaBits) - 1) +
         1e-8 + info.minSubnormal;
}
