#include "kernels/driver/Problem.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mpc;
using namespace mpc::kernels;

static constexpr size_t kAlignment = 256, kGuard = 64;

Problem::Problem(const Case &which) : which(which), random(which.seed) {
  const MultiTensor &op = which.op;
  bool isUpdate = op.kind != Kind::UnscaleL2Norm;
  uint8_t foundInf = which.foundInf;
  if (isUpdate && op.hasFoundInf)
    addScalar(DType::I1, &foundInf);
  if (op.hasScale)
    addScalar(DType::F32, &which.scale);
  if (isUpdate && op.hasCoefficient)
    addScalar(DType::F32, &which.coefficient);
  if (isUpdate)
    addScalar(DType::F32, &which.learningRate);
  if (op.kind == Kind::AdamW)
    addScalar(DType::I32, &which.step);
  addLists();
  spoilGradients();
  if (!isUpdate) {
    uint8_t garbage = 7;
    float number = -1;
    addScalar(DType::I1, &garbage);
    addScalar(DType::F32, &number);
    regions.back().isNorm = true;
  }
  block.resize(block.size() + kGuard, 0xa5);
}

void Problem::addLists() {
  const MultiTensor &op = which.op;
  size_t first = arguments.size(), tensors = which.counts.size();
  auto listAt = [&](size_t number) { return first + number * tensors; };
  switch (op.kind) {
  case Kind::UnscaleL2Norm:
    return addList(op.gradientType, Content::Gradient);
  case Kind::AdamW:
    addList(DType::F32, Content::Weight);
    addList(op.gradientType, Content::Gradient);
    addList(DType::F32, Content::Weight);
    addList(DType::F32, Content::Square);
    addResults({listAt(0), listAt(2), listAt(3)});
    break;
  case Kind::Sgd:
    addList(DType::F32, Content::Weight);
    addList(op.gradientType, Content::Gradient);
    if (op.momentum == 0) {
      addResults({listAt(0)});
      break;
    }
    addList(DType::F32, Content::Weight);
    addResults({listAt(0), listAt(2)});
    break;
  }
  if (op.copyType)
    addList(*op.copyType, Content::Garbage);
}

/// Lists of results: new memory, or that of the operands that begin at these
/// arguments.
void Problem::addResults(const std::vector<size_t> &operandLists) {
  for (size_t list : operandLists)
    if (which.inPlace)
      for (size_t tensor = 0; tensor < which.counts.size(); ++tensor)
        arguments.push_back(arguments[list + tensor]);
    else
      addList(DType::F32, Content::Garbage);
}

void Problem::addList(DType type, Content content) {
  for (size_t tensor = 0; tensor < which.counts.size(); ++tensor) {
    size_t shift = 0;
    if (which.start == Start::Together)
      shift = (tensor * 3 + which.seed + 1) % 8;
    else if (which.start == Start::Apart)
      shift = random() % 8;
    size_t region = addRegion(type, which.counts[tensor], shift);
    fill(regions[region], content);
    if (content == Content::Gradient)
      gradients.push_back(region);
  }
}

size_t Problem::addRegion(DType type, uint64_t count, size_t shift) {
  size_t start =
      (block.size() + kGuard + kAlignment - 1) / kAlignment * kAlignment;
  Region region{start + shift * getInfo(type).bytes, type, count};
  block.resize(region.end(), 0xa5);
  regions.push_back(region);
  arguments.push_back(regions.size() - 1);
  return regions.size() - 1;
}

void Problem::addScalar(DType type, const void *value) {
  size_t region = addRegion(type, 1, 0);
  std::memcpy(&block[regions[region].offset], value, getInfo(type).bytes);
}

void Problem::store(const Region &region, uint64_t index, float value) {
  uint8_t *at = &block[region.offset + index * getInfo(region.type).bytes];
  if (region.type == DType::F32)
    return void(std::memcpy(at, &value, 4));
  uint16_t bits =
      region.type == DType::F16 ? floatToHalf(value) : floatToBFloat(value);
  std::memcpy(at, &bits, 2);
}

void Problem::fill(const Region &region, Content content) {
  if (content == Content::Garbage) {
    for (size_t at = region.offset; at < region.end(); ++at)
      block[at] = uint8_t(random());
    return;
  }
  std::normal_distribution<float> normal;
  for (uint64_t i = 0; i < region.count; ++i) {
    float number = normal(random);
    if (content == Content::Weight)
      number *= 0.02f;
    else if (content == Content::Square)
      number = number * number * 1e-6f;
    else // some subnormal in 16 bits, some zero
      number *= which.scale * (i % 7 == 3 ? 1e-9f : 1e-2f);
    store(region, i, number);
  }
}

void Problem::spoilGradients() {
  std::vector<size_t> candidates;
  for (size_t region : gradients)
    if (regions[region].count > 0)
      candidates.push_back(region);
  if (candidates.empty())
    return;
  auto spoil = [&](float value) {
    const Region &region = regions[candidates[random() % candidates.size()]];
    // Heads, tails and what lies between, alike.
    uint64_t places[] = {0, region.count - 1, random() % region.count};
    store(region, places[random() % 3], value);
  };
  float infinity = std::numeric_limits<float>::infinity();
  for (int i = 0; i < which.infs; ++i)
    spoil(i % 2 ? -infinity : infinity);
  for (int i = 0; i < which.nans; ++i)
    spoil(std::numeric_limits<float>::quiet_NaN());
}

std::vector<void *> Problem::argumentsAt(void *base) const {
  std::vector<void *> pointers;
  for (size_t region : arguments)
    pointers.push_back(static_cast<uint8_t *>(base) + regions[region].offset);
  return pointers;
}

//===-- Comparison --------------------------------------------------------===//

static float loadFloat(DType type, const uint8_t *at) {
  uint16_t bits;
  float value;
  if (type == DType::F32) {
    std::memcpy(&value, at, 4);
    return value;
  }
  std::memcpy(&bits, at, 2);
  return type == DType::F16 ? halfToFloat(bits) : bfloatToFloat(bits);
}

static bool isFloat(DType type) {
  return type == DType::F32 || type == DType::F16 || type == DType::BF16;
}

bool Problem::isEqual(const Region &region, const uint8_t *expected,
                      const uint8_t *found) const {
  if (std::memcmp(expected, found, getInfo(region.type).bytes) == 0)
    return true;
  if (!isFloat(region.type))
    return false;
  float a = loadFloat(region.type, expected);
  float b = loadFloat(region.type, found);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  return region.isNorm && std::abs(double(a) - b) <= kNormTolerance * a;
}

std::string Problem::compareRegion(size_t number,
                                   std::span<const uint8_t> expected,
                                   std::span<const uint8_t> found) const {
  const Region &region = regions[number];
  size_t bytes = getInfo(region.type).bytes;
  for (uint64_t i = 0; i < region.count; ++i) {
    const uint8_t *a = &expected[region.offset + i * bytes];
    const uint8_t *b = &found[region.offset + i * bytes];
    if (isEqual(region, a, b))
      continue;
    size_t argument = std::find(arguments.begin(), arguments.end(), number) -
                      arguments.begin();
    auto show = [&](const uint8_t *at) {
      char text[64];
      std::snprintf(text, sizeof text, "%.9g",
                    isFloat(region.type) ? loadFloat(region.type, at)
                                         : double(*at));
      return std::string(text);
    };
    return "argument " + std::to_string(argument) + ", element " +
           std::to_string(i) + " of " + std::to_string(region.count) +
           ": expected " + show(a) + ", but got " + show(b);
  }
  return "";
}

std::string Problem::compare(std::span<const uint8_t> expected,
                             std::span<const uint8_t> found) const {
  size_t between = 0;
  auto checkBetween = [&](size_t end) -> std::string {
    for (; between < end; ++between)
      if (found[between] != block[between])
        return "byte " + std::to_string(between) +
               ", which belongs to no tensor, was written";
    return "";
  };
  for (size_t number = 0; number < regions.size(); ++number) {
    std::string failure = checkBetween(regions[number].offset);
    if (failure.empty())
      failure = compareRegion(number, expected, found);
    if (!failure.empty())
      return failure;
    between = regions[number].end();
  }
  return checkBetween(block.size());
}

//===-- The check ---------------------------------------------------------===//

namespace {
/// Host memory aligned as the device's.
struct AlignedBytes {
  explicit AlignedBytes(std::span<const uint8_t> bytes)
      : storage(bytes.size() + kAlignment) {
    uintptr_t start = reinterpret_cast<uintptr_t>(storage.data());
    size_t shift = (kAlignment - start % kAlignment) % kAlignment;
    data = {storage.data() + shift, bytes.size()};
    std::copy(bytes.begin(), bytes.end(), data.begin());
  }
  std::vector<uint8_t> storage;
  std::span<uint8_t> data;
};
} // namespace

static std::string checkRuns(Device &device, const Case &which,
                             const Problem &problem,
                             std::span<const uint8_t> expected) {
  Result<void *> memory = device.upload(problem.bytes());
  if (!memory)
    return memory.status().message();
  Result<Launch> launch =
      plan(which.op, which.counts, problem.argumentsAt(*memory),
           device.multiprocessors());
  if (!launch)
    return launch.status().message();
  if (launch->table.size() >
      maxTableBytes(which.op, which.counts, device.multiprocessors()))
    return "the table is larger than maxTableBytes says";
  Result<void *> table = device.upload(launch->table);
  if (!table)
    return table.status().message();
  launch->setTable(*table);

  // What keeps something in the table must do the same again, to the bit.
  int runs = which.op.kind == Kind::UnscaleL2Norm ? 3 : 1;
  std::vector<uint8_t> first, found(expected.size());
  for (int run = 0; run < runs; ++run) {
    if (Status status = device.write(*memory, problem.bytes()); !status.ok())
      return status.message();
    if (Status status = device.run(*launch); !status.ok())
      return status.message();
    if (Status status = device.download(*memory, found); !status.ok())
      return status.message();
    std::string failure = problem.compare(expected, found);
    if (!failure.empty())
      return failure;
    if (run == 0)
      first = found;
    else if (first != found)
      return "run " + std::to_string(run + 1) + " differs from the first";
  }
  return "";
}

std::string kernels::check(Device &device, const Case &which) {
  Problem problem(which);
  AlignedBytes expected(problem.bytes());
  runReference(which.op, which.counts,
               problem.argumentsAt(expected.data.data()));
  std::string failure = checkRuns(device, which, problem, expected.data);
  device.clear();
  return failure;
}
