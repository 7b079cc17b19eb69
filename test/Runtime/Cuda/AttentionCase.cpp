#include "AttentionCase.h"

#include <random>

using namespace mpc;
using namespace mpc::test;
using kernels::HeadRows;
using program::OperandRole;

std::string test::describe(const AttentionShape &shape) {
  std::string text(getInfo(shape.type).name);
  for (int64_t number : {shape.batch, shape.queries, shape.heads, shape.keys,
                         shape.keyHeads, shape.width, shape.valueWidth})
    text += " " + std::to_string(number);
  if (shape.causal)
    text += ", causal";
  if (shape.window)
    text += ", window " + std::to_string(shape.window);
  text += shape.isPacked ? ", packed" : "";
  return text + (shape.backward ? ", backward" : "");
}

static float decode(DType type, const std::byte *at) {
  uint16_t bits = 0;
  float value = 0;
  if (type == DType::F32) {
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  std::memcpy(&bits, at, sizeof bits);
  return type == DType::F16 ? halfToFloat(bits) : bfloatToFloat(bits);
}

static void encode(DType type, std::byte *at, float value) {
  if (type == DType::F32) {
    std::memcpy(at, &value, sizeof value);
    return;
  }
  uint16_t bits =
      type == DType::F16 ? floatToHalf(value) : floatToBFloat(value);
  std::memcpy(at, &bits, sizeof bits);
}

static int64_t count(std::span<const int64_t> shape) {
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  return elements;
}

static std::vector<std::byte> makeRandom(DType type, int64_t elements,
                                         uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<float> normal;
  size_t bytes = getInfo(type).bytes;
  std::vector<std::byte> made(static_cast<size_t>(elements) * bytes);
  for (size_t at = 0; at < made.size(); at += bytes)
    encode(type, &made[at], normal(engine));
  return made;
}

void AttentionOnHost::add(OperandRole role, std::vector<int64_t> dims,
                          bool written, std::vector<int64_t> strides,
                          void *part) {
  DType type = role == OperandRole::LogSumExp ? DType::F32 : shape.type;
  if (!part) {
    buffers[role] =
        makeRandom(type, count(dims), static_cast<uint64_t>(role) + 1);
    part = buffers[role].data();
    strides = program::getDenseStrides(dims);
  }
  auto operand = std::make_unique<program::CallOperandT>();
  operand->role = role;
  operand->type = static_cast<program::ElementType>(type);
  operand->shape = std::move(dims);
  operand->strides = std::move(strides);
  operand->written = written;
  made.operands.push_back(std::move(operand));
  addresses.push_back(part);
}

void AttentionOnHost::addPacked(std::vector<std::byte> &memory,
                                std::array<OperandRole, 3> roles,
                                bool written) {
  int64_t heads = shape.heads + 2 * shape.keyHeads, row = heads * shape.width;
  memory = makeRandom(shape.type, shape.batch * shape.queries * row, 99);
  int64_t head = 0;
  for (OperandRole role : roles) {
    int64_t own = head == 0 ? shape.heads : shape.keyHeads;
    add(role, {shape.batch, shape.queries, own, shape.width}, written,
        {shape.queries * row, row, shape.width, 1},
        memory.data() + static_cast<size_t>(head * shape.width) *
                            getInfo(shape.type).bytes);
    head += own;
  }
}

AttentionOnHost::AttentionOnHost(
    const AttentionShape &shape,
    const std::function<void(program::AttentionT &)> &change)
    : shape(shape) {
  program::AttentionT options;
  options.backward = shape.backward;
  options.causal = shape.causal;
  options.window = shape.window;
  options.scale = shape.scale;
  change(options);
  made.options.Set(options);
  using Dims = std::vector<int64_t>;
  Dims query = {shape.batch, shape.queries, shape.heads, shape.width},
       key = {shape.batch, shape.keys, shape.keyHeads, shape.width},
       value = {shape.batch, shape.keys, shape.keyHeads, shape.valueWidth},
       result = {shape.batch, shape.queries, shape.heads, shape.valueWidth};
  if (shape.isPacked) {
    addPacked(packed,
              {OperandRole::Query, OperandRole::Key, OperandRole::Value},
              false);
  } else {
    add(OperandRole::Query, query, false);
    for (size_t dim : {0, 1}) // the memory of the query ends before them
      made.operands[0]->strides[dim] +=
          shape.skip * (dim == 0 ? shape.queries : 1);
    add(OperandRole::Key, key, false);
    add(OperandRole::Value, value, false);
  }
  add(OperandRole::Result, result, !shape.backward);
  if (shape.storesSums)
    add(OperandRole::LogSumExp, {shape.batch, shape.heads, shape.queries},
        !shape.backward);
  if (shape.backward)
    add(OperandRole::Cotangent, result, false);
  if (shape.backward && shape.isPacked) {
    addPacked(packedGradients,
              {OperandRole::QueryGradient, OperandRole::KeyGradient,
               OperandRole::ValueGradient},
              true);
  } else if (shape.backward) {
    add(OperandRole::QueryGradient, query, true);
    add(OperandRole::KeyGradient, key, true);
    add(OperandRole::ValueGradient, value, true);
  }
  if (shape.isMasked)
    add(OperandRole::Mask,
        {shape.batch, shape.heads, shape.queries, shape.keys}, false);
  builder.Finish(program::Call::Pack(builder, &made));

  auto rows = [&](size_t operand) -> HeadRows {
    if (operand >= made.operands.size())
      return {};
    const Dims &strides = made.operands[operand]->strides;
    return {addresses[operand], strides[0], strides[1], strides[2]};
  };
  seen = {.type = shape.type,
          .batch = shape.batch,
          .queries = shape.queries,
          .keys = shape.keys,
          .heads = shape.heads,
          .keyHeads = shape.keyHeads,
          .width = shape.width,
          .valueWidth = shape.valueWidth,
          .causal = shape.causal,
          .window = shape.window,
          .scale = shape.scale,
          .query = rows(0),
          .key = rows(1),
          .value = rows(2),
          .mask = {},
          .dropout = {},
          .result = rows(3),
          .logSumExp =
              shape.storesSums ? static_cast<float *>(addresses[4]) : nullptr,
          .cotangent = rows(5),
          .queryGradient = rows(6),
          .keyGradient = rows(7),
          .valueGradient = rows(8)};
  if (shape.backward)
    store(kernels::referenceForward(seen));
}

void AttentionOnHost::store(const kernels::ReferenceForward &forward) {
  size_t bytes = getInfo(shape.type).bytes;
  std::vector<std::byte> &result = buffers[OperandRole::Result];
  for (size_t i = 0; i < forward.result.values.size(); ++i)
    encode(shape.type, &result[i * bytes],
           static_cast<float>(forward.result.values[i]));
  for (size_t i = 0; i < forward.logSumExp.size(); ++i)
    seen.logSumExp[i] = static_cast<float>(forward.logSumExp[i]);
}

std::vector<double> AttentionOnHost::read(OperandRole role) const {
  size_t number = *program::findOperand(call(), role);
  const program::CallOperandT &operand = *made.operands[number];
  const auto *begin = static_cast<const std::byte *>(addresses[number]);
  auto type = static_cast<DType>(operand.type);
  std::vector<double> values;
  for (int64_t i = 0; i < count(operand.shape); ++i) {
    int64_t place = 0, left = i;
    for (size_t dim = operand.shape.size(); dim-- > 0;
         left /= operand.shape[dim])
      place += left % operand.shape[dim] * operand.strides[dim];
    values.push_back(
        decode(type, begin + static_cast<size_t>(place) * getInfo(type).bytes));
  }
  return values;
}
