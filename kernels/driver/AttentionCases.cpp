#include "kernels/driver/AttentionCases.h"
#include "kernels/Attention/Reference.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>
#include <utility>

using namespace mpc;
using namespace mpc::kernels;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {
/// Elements of one type on the host, and where they are on the device.
struct Buffer {
  DType type = DType::F32;
  std::vector<uint8_t> host;
  void *device = nullptr;

  Buffer() = default;
  /// Not a number, until something is stored.
  Buffer(DType type, int64_t count)
      : type(type), host(size_t(count) * getInfo(type).bytes, 0xff) {}

  void store(int64_t i, double value) {
    float single = static_cast<float>(value);
    if (type == DType::I1)
      host[size_t(i)] = value != 0;
    else if (type == DType::F32)
      put(i, single);
    else if (type == DType::F16)
      put(i, floatToHalf(single));
    else
      put(i, floatToBFloat(single));
  }
  double load(int64_t i) const {
    if (type == DType::F32)
      return get<float>(i);
    uint16_t bits = get<uint16_t>(i);
    return type == DType::F16 ? halfToFloat(bits) : bfloatToFloat(bits);
  }

private:
  template <typename T> void put(int64_t i, T value) {
    std::memcpy(host.data() + size_t(i) * sizeof value, &value, sizeof value);
  }
  template <typename T> T get(int64_t i) const {
    T value;
    std::memcpy(&value, host.data() + size_t(i) * sizeof value, sizeof value);
    return value;
  }
};

/// The tensors of a case, and its problem on host and device.
class AttentionMemory {
public:
  AttentionMemory(const AttentionCase &which, Device &device);

  std::string check();

private:
  void makeOperands();
  void makeMask();
  void fill(Buffer &buffer);
  HeadRows lay(Buffer &buffer, int64_t times, int64_t heads, int64_t width,
               int64_t skip = 0);
  std::tuple<HeadRows, HeadRows, HeadRows> layPacked(Buffer &buffer);
  Status upload();
  AttentionProblem onDevice() const;
  void *move(const void *host) const;
  Status run(Result<std::vector<AttentionLaunch>> launches,
             void *workspace = nullptr);
  std::string checkForward();
  std::string checkBackward();
  /// What `rows`, of such sizes, are of a buffer.
  struct Found {
    const Buffer &buffer;
    const HeadRows &rows;
    int64_t times, heads, width;

    double load(int64_t number) const;
  };
  std::string compare(const char *name, const Found &found,
                      const ReferenceValues &expected, int64_t terms) const;
  std::vector<Buffer *> buffers() {
    return {&packed,      &packedGradient, &query,  &key,       &value,
            &mask,        &result,         &logSum, &cotangent, &queryGradient,
            &keyGradient, &valueGradient,  &numbers};
  }

  const AttentionCase &which;
  Device &device;
  std::mt19937_64 random;
  Buffer packed, packedGradient, query, key, value, mask, result, logSum,
      cotangent, queryGradient, keyGradient, valueGradient, numbers;
  AttentionProblem problem; ///< on the host
};
} // namespace

AttentionMemory::AttentionMemory(const AttentionCase &which, Device &device)
    : which(which), device(device), random(which.seed) {
  problem.type = which.type;
  problem.batch = which.batch;
  problem.queries = which.queries;
  problem.keys = which.keys;
  problem.heads = which.heads;
  problem.keyHeads = which.keyHeads;
  problem.width = which.width;
  problem.valueWidth = which.valueWidth;
  problem.causal = which.causal;
  problem.window = which.window;
  problem.scale = which.scale.value_or(1 / std::sqrt(double(which.width)));
  problem.softcap = which.softcap;
  makeOperands();
  if (which.mask)
    makeMask();
  numbers = Buffer(DType::I32, 2);
  uint32_t stepAndSeed[] = {7, 0x80001234};
  std::memcpy(numbers.host.data(), stepAndSeed, sizeof stepAndSeed);
  auto *step = reinterpret_cast<const uint32_t *>(numbers.host.data());
  problem.dropout = {uint32_t(std::lround(which.dropout * 65536)), 3, step,
                     step + 1};
}

void AttentionMemory::fill(Buffer &buffer) {
  std::normal_distribution<double> normal(which.mean, which.size);
  int64_t count = int64_t(buffer.host.size() / getInfo(buffer.type).bytes);
  for (int64_t i = 0; i < count; ++i)
    buffer.store(i, normal(random));
}

/// A tensor in `buffer` whose rows are `skip` longer than their elements.
HeadRows AttentionMemory::lay(Buffer &buffer, int64_t times, int64_t heads,
                              int64_t width, int64_t skip) {
  int64_t row = heads * width + skip;
  buffer = Buffer(which.type, which.batch * times * row);
  return {buffer.host.data(), times * row, row, width};
}

/// Rows of queries, keys and values side by side in `buffer`.
std::tuple<HeadRows, HeadRows, HeadRows>
AttentionMemory::layPacked(Buffer &buffer) {
  int64_t heads = which.heads + 2 * which.keyHeads, width = which.width;
  HeadRows query = lay(buffer, which.queries, heads, width), key = query,
           value = query;
  auto *base = static_cast<uint8_t *>(query.data);
  uint64_t bytes = uint64_t(width) * getInfo(which.type).bytes;
  key.data = base + uint64_t(which.heads) * bytes;
  value.data = base + uint64_t(which.heads + which.keyHeads) * bytes;
  return {query, key, value};
}

void AttentionMemory::makeOperands() {
  int64_t skip = which.skip;
  if (which.isPacked) {
    std::tie(problem.query, problem.key, problem.value) = layPacked(packed);
    std::tie(problem.queryGradient, problem.keyGradient,
             problem.valueGradient) = layPacked(packedGradient);
    fill(packed);
  } else {
    problem.query = lay(query, which.queries, which.heads, which.width, skip);
    problem.key = lay(key, which.keys, which.keyHeads, which.width, skip);
    problem.value =
        lay(value, which.keys, which.keyHeads, which.valueWidth, skip);
    for (Buffer *each : {&query, &key, &value})
      fill(*each);
    problem.queryGradient =
        lay(queryGradient, which.queries, which.heads, which.width, skip);
    problem.keyGradient =
        lay(keyGradient, which.keys, which.keyHeads, which.width, skip);
    problem.valueGradient =
        lay(valueGradient, which.keys, which.keyHeads, which.valueWidth, skip);
  }
  problem.result =
      lay(result, which.queries, which.heads, which.valueWidth, skip);
  problem.cotangent =
      lay(cotangent, which.queries, which.heads, which.valueWidth, skip);
  fill(cotangent);
  logSum = Buffer(DType::F32, which.batch * which.heads * which.queries);
  problem.logSumExp = reinterpret_cast<float *>(logSum.host.data());
}

/// The first query sees no key, and the second has the least number of all for
/// every second one, if they have masks of their own.
void AttentionMemory::makeMask() {
  std::array<int64_t, 4> sizes = {which.batch, which.heads, which.queries,
                                  which.keys},
                         strides = {};
  int64_t count = 1;
  for (size_t d = 4; d-- > 0;)
    if (which.sharesMask[d])
      sizes[d] = 1;
    else
      strides[d] = std::exchange(count, count * sizes[d]);
  mask = Buffer(*which.mask, count);
  bool isBool = *which.mask == DType::I1;
  std::normal_distribution<double> normal(0, 1);
  for (int64_t i = 0; i < count; ++i) {
    int64_t query = i / sizes[3] % sizes[2], key = i % sizes[3];
    double own = isBool ? double(random() % 4 != 0) : normal(random);
    if (sizes[2] > 1 && query == 0)
      own = isBool ? 0 : -kInfinity;
    else if (!isBool && sizes[3] > 1 && query == 1 && key % 2 == 0)
      own = -getInfo(*which.mask).maxFinite;
    mask.store(i, own);
  }
  problem.mask = {mask.host.data(), *which.mask, strides[0],
                  strides[1],       strides[2],  strides[3]};
}

Status AttentionMemory::upload() {
  for (Buffer *each : buffers()) {
    if (each->host.empty())
      continue;
    Result<void *> memory = device.upload(each->host);
    if (!memory)
      return memory.status();
    each->device = *memory;
  }
  return {};
}

/// Where a place on the host is on the device.
void *AttentionMemory::move(const void *host) const {
  auto *at = static_cast<const uint8_t *>(host);
  for (const Buffer *each : const_cast<AttentionMemory *>(this)->buffers())
    if (at >= each->host.data() && at < each->host.data() + each->host.size())
      return static_cast<uint8_t *>(each->device) + (at - each->host.data());
  return nullptr;
}

AttentionProblem AttentionMemory::onDevice() const {
  AttentionProblem moved = problem;
  for (HeadRows *rows :
       {&moved.query, &moved.key, &moved.value, &moved.result, &moved.cotangent,
        &moved.queryGradient, &moved.keyGradient, &moved.valueGradient})
    rows->data = move(rows->data);
  moved.mask.data = move(moved.mask.data);
  moved.logSumExp = static_cast<float *>(move(moved.logSumExp));
  moved.dropout.step = static_cast<uint32_t *>(move(moved.dropout.step));
  moved.dropout.seed = static_cast<uint32_t *>(move(moved.dropout.seed));
  return moved;
}

Status AttentionMemory::run(Result<std::vector<AttentionLaunch>> launches,
                            void *workspace) {
  if (!launches)
    return launches.status();
  for (AttentionLaunch &launch : *launches) {
    launch.setWorkspace(workspace);
    if (Status status = device.run(launch); !status.ok())
      return status;
  }
  for (Buffer *each : buffers())
    if (!each->host.empty())
      if (Status status = device.download(each->device, each->host);
          !status.ok())
        return status;
  return {};
}

/// Element `number` in row-major order.
double AttentionMemory::Found::load(int64_t number) const {
  auto begin = static_cast<const uint8_t *>(rows.data) - buffer.host.data();
  int64_t row = number / width, time = row / heads;
  return buffer.load(begin / int64_t(getInfo(buffer.type).bytes) +
                     time / times * rows.batch + time % times * rows.time +
                     row % heads * rows.head + number % width);
}

/// Half a unit of the type for the result and for the weights in its terms, and
/// f32 for all sums: each of the `length` terms may be off by some units, since
/// an exponential takes on what its argument, a sum over the width, is off by.
/// Slopes of f16 may be subnormal.
std::string AttentionMemory::compare(const char *name, const Found &found,
                                     const ReferenceValues &expected,
                                     int64_t length) const {
  double unit = std::ldexp(1, -int(getInfo(which.type).mantissaBits) - 1);
  double score =
      std::abs(problem.scale) * double(which.width) * which.size * which.size;
  double single = 0x1p-24 * (32 + 2 * std::sqrt(double(length)) + score);
  if (which.type == DType::F32)
    unit = 0;
  double subnormals = getInfo(which.type).minSubnormal *
                      (1 + 2 * std::sqrt(double(length)) * which.size *
                               std::max(1., std::abs(problem.scale)));
  for (size_t i = 0; i < expected.values.size(); ++i) {
    double value = expected.values[i], terms = expected.terms[i];
    double bound =
        unit * (std::abs(value) + 1.01 * terms) + single * terms + subnormals;
    double difference = std::abs(found.load(int64_t(i)) - value);
    if (!(difference <= bound))
      return std::string(name) + "[" + std::to_string(i) + "]: expected " +
             std::to_string(value) + " within " + std::to_string(bound) +
             ", but got " + std::to_string(found.load(int64_t(i)));
  }
  return "";
}

std::string AttentionMemory::checkForward() {
  if (Status status = run(planForward(onDevice())); !status.ok())
    return status.message();
  ReferenceForward expected = referenceForward(problem);
  std::string wrong = compare(
      "result",
      {result, problem.result, which.queries, which.heads, which.valueWidth},
      expected.result, which.width + which.keys);
  for (size_t i = 0; wrong.empty() && i < expected.logSumExp.size(); ++i) {
    double value = expected.logSumExp[i], own = logSum.load(int64_t(i));
    if (value != own &&
        !(std::abs(value - own) <= 1e-5 * (8 + std::abs(value))))
      wrong = "log-sum-exp[" + std::to_string(i) + "]: expected " +
              std::to_string(value) + ", but got " + std::to_string(own);
  }
  return wrong;
}

std::string AttentionMemory::checkBackward() {
  std::vector<uint8_t> garbage(backwardWorkspaceBytes(problem), 0xff);
  Result<void *> workspace = device.upload(garbage);
  if (!workspace)
    return workspace.status().message();
  if (Status status = run(planBackward(onDevice()), *workspace); !status.ok())
    return status.message();
  ReferenceBackward expected = referenceBackward(problem);
  int64_t group = which.heads / which.keyHeads, width = which.width;
  int64_t ofQuery = width + which.valueWidth + which.keys;
  int64_t ofKey = width + which.valueWidth + which.queries * group;
  auto bufferOf = [&](const Buffer *own) {
    return which.isPacked ? &packedGradient : own;
  };
  std::string wrong = compare("dQ",
                              {*bufferOf(&queryGradient), problem.queryGradient,
                               which.queries, which.heads, width},
                              expected.queryGradient, ofQuery);
  if (wrong.empty())
    wrong = compare("dK",
                    {*bufferOf(&keyGradient), problem.keyGradient, which.keys,
                     which.keyHeads, width},
                    expected.keyGradient, ofKey);
  if (wrong.empty())
    wrong = compare("dV",
                    {*bufferOf(&valueGradient), problem.valueGradient,
                     which.keys, which.keyHeads, which.valueWidth},
                    expected.valueGradient, ofKey);
  return wrong;
}

std::string AttentionMemory::check() {
  if (Status status = upload(); !status.ok())
    return status.message();
  std::string wrong = checkForward();
  return wrong.empty() ? checkBackward() : wrong;
}

std::string kernels::check(Device &device, const AttentionCase &which) {
  AttentionMemory memory(which, device);
  std::string wrong = memory.check();
  device.clear();
  return wrong;
}

static AttentionCase drawCase(uint64_t seed, int64_t longest) {
  static constexpr DType types[] = {DType::F32, DType::F16, DType::BF16};
  static constexpr int64_t widths[] = {64, 128, 8, 20, 33, 1, 96, 48};
  static constexpr double scales[] = {0, -0.25, 0.01, 1};
  static constexpr int64_t skips[] = {0, 0, 3, 8};
  std::mt19937_64 random{seed};
  auto draw = [&](int64_t least, int64_t most) {
    return least + int64_t(random() % uint64_t(most - least + 1));
  };
  auto happens = [&](int64_t in) { return draw(1, in) == 1; };
  AttentionCase made;
  made.seed = seed;
  made.type = types[draw(0, 2)];
  made.batch = draw(1, 2);
  made.queries = happens(7) ? 1 : draw(1, longest);
  made.isPacked = happens(3);
  made.keys = made.isPacked || happens(2) ? made.queries : draw(1, longest);
  made.keyHeads = draw(1, 2);
  made.heads = made.keyHeads * draw(1, 2);
  made.width = widths[draw(0, 7)];
  made.valueWidth =
      made.isPacked || happens(2) ? made.width : widths[draw(0, 7)];
  made.skip = skips[draw(0, 3)];
  made.causal = happens(2);
  made.window = happens(3) ? draw(1, longest) : 0;
  made.softcap = happens(3) ? 2.5 : 0;
  made.dropout = happens(3) ? 0.25 : 0;
  if (happens(2))
    made.scale = scales[draw(0, 3)];
  if (!happens(3))
    made.mask = happens(2) ? DType::I1 : types[draw(0, 2)];
  for (bool &shares : made.sharesMask)
    shares = happens(2);
  return made;
}

std::vector<AttentionCase> kernels::makeAttentionCases(int count,
                                                       int64_t longest) {
  std::vector<AttentionCase> cases;
  for (int n = 0; n < count; ++n)
    cases.push_back(drawCase(uint64_t(n), longest));
  return cases;
}

std::string kernels::describe(const AttentionCase &which) {
  auto text = [](int64_t number) { return std::to_string(number); };
  std::string made(getInfo(which.type).name);
  made += ", " + text(which.batch) + " x " + text(which.queries) + " x " +
          text(which.heads) + " heads by " + text(which.keys) + " x " +
          text(which.keyHeads) + " of " + text(which.width) + " and " +
          text(which.valueWidth);
  made += which.causal ? ", causal" : "";
  made += which.window ? ", window " + text(which.window) : "";
  made += which.softcap != 0 ? ", softcap" : "";
  made += which.dropout != 0 ? ", dropout" : "";
  if (which.mask) {
    made += ", mask of " + std::string(getInfo(*which.mask).name) + " [";
    for (bool shares : which.sharesMask)
      made += shares ? '1' : 'n';
    made += "]";
  }
  if (which.scale)
    made += ", scale " + std::to_string(*which.scale);
  made += which.isPacked ? ", packed" : ", rows apart by " + text(which.skip);
  return made;
}
