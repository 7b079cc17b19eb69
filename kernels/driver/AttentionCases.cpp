#include "kernels/driver/AttentionCases.h"
#include "kernels/Attention/Reference.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

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
  Status upload();
  AttentionProblem onDevice() const;
  void *move(const void *host) const;
  Status run(Result<std::vector<AttentionLaunch>> launches,
             void *workspace = nullptr);
  std::string checkForward();
  std::string checkBackward();
  std::string compare(const char *name, const Buffer &found,
                      const ReferenceValues &expected, int64_t terms) const;
  std::vector<Buffer *> buffers() {
    return {&packed,        &query,       &key,           &value,
            &mask,          &result,      &logSum,        &cotangent,
            &queryGradient, &keyGradient, &valueGradient, &numbers};
  }

  const AttentionCase &which;
  Device &device;
  std::mt19937_64 random;
  Buffer packed, query, key, value, mask, result, logSum, cotangent,
      queryGradient, keyGradient, valueGradient, numbers;
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
  problem.scale = 1 / std::sqrt(double(which.width));
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
  std::normal_distribution<double> normal(0, 1);
  int64_t count = int64_t(buffer.host.size() / getInfo(buffer.type).bytes);
  for (int64_t i = 0; i < count; ++i)
    buffer.store(i, normal(random));
}

/// A dense tensor in `buffer`, or one whose rows are `skip` longer.
HeadRows AttentionMemory::lay(Buffer &buffer, int64_t times, int64_t heads,
                              int64_t width, int64_t skip) {
  int64_t row = heads * width + skip;
  buffer = Buffer(which.type, which.batch * times * row);
  return {buffer.host.data(), times * row, row, width};
}

void AttentionMemory::makeOperands() {
  if (which.isPacked) {
    int64_t heads = which.heads + 2 * which.keyHeads, width = which.width;
    problem.query = lay(packed, which.queries, heads, width);
    fill(packed);
    problem.key = problem.value = problem.query;
    auto *base = static_cast<uint8_t *>(problem.query.data);
    uint64_t bytes = uint64_t(width) * getInfo(which.type).bytes;
    problem.key.data = base + uint64_t(which.heads) * bytes;
    problem.value.data = base + uint64_t(which.heads + which.keyHeads) * bytes;
  } else {
    problem.query = lay(query, which.queries, which.heads, which.width);
    problem.key = lay(key, which.keys, which.keyHeads, which.width, 3);
    problem.value = lay(value, which.keys, which.keyHeads, which.valueWidth);
    for (Buffer *each : {&query, &key, &value})
      fill(*each);
  }
  problem.result = lay(result, which.queries, which.heads, which.valueWidth);
  problem.cotangent =
      lay(cotangent, which.queries, which.heads, which.valueWidth, 5);
  fill(cotangent);
  problem.queryGradient =
      lay(queryGradient, which.queries, which.heads, which.width);
  problem.keyGradient =
      lay(keyGradient, which.keys, which.keyHeads, which.width);
  problem.valueGradient =
      lay(valueGradient, which.keys, which.keyHeads, which.valueWidth);
  logSum = Buffer(DType::F32, which.batch * which.heads * which.queries);
  problem.logSumExp = reinterpret_cast<float *>(logSum.host.data());
}

/// One for all heads of a sample. The second query has the least number of all
/// for some of the keys.
void AttentionMemory::makeMask() {
  mask = Buffer(*which.mask, which.batch * which.queries * which.keys);
  bool isBool = *which.mask == DType::I1;
  std::normal_distribution<double> normal(0, 1);
  for (int64_t i = 0; i < which.batch * which.queries * which.keys; ++i)
    mask.store(i, isBool ? double(random() % 2) : normal(random));
  for (int64_t j = 0; j < which.keys; ++j)
    mask.store(j, isBool ? 0 : -kInfinity);
  if (!isBool && which.queries > 1)
    for (int64_t j = 1; j < which.keys; j += 2)
      mask.store(which.keys + j, -getInfo(*which.mask).maxFinite);
  problem.mask = {mask.host.data(),
                  *which.mask,
                  which.queries * which.keys,
                  0,
                  which.keys,
                  1};
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

/// Half a unit of the type for the result and for the weights in its terms, and
/// f32 for all sums: each of the `length` terms may be off by some units, since
/// an exponential takes on what its argument is off by.
std::string AttentionMemory::compare(const char *name, const Buffer &found,
                                     const ReferenceValues &expected,
                                     int64_t length) const {
  double unit = std::ldexp(1, -int(getInfo(which.type).mantissaBits) - 1);
  double single = 0x1p-24 * (32 + 2 * std::sqrt(double(length)));
  if (which.type == DType::F32)
    unit = 0;
  for (size_t i = 0; i < expected.values.size(); ++i) {
    double value = expected.values[i], terms = expected.terms[i];
    double bound = unit * (std::abs(value) + 1.01 * terms) + single * terms +
                   getInfo(which.type).minSubnormal;
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
  std::string wrong =
      compare("result", result, expected.result, which.width + which.keys);
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
  std::string wrong =
      compare("dQ", queryGradient, expected.queryGradient, ofQuery);
  if (wrong.empty())
    wrong = compare("dK", keyGradient, expected.keyGradient, ofKey);
  if (wrong.empty())
    wrong = compare("dV", valueGradient, expected.valueGradient, ofKey);
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

std::vector<AttentionCase> kernels::makeAttentionCases(int count,
                                                       int64_t longest) {
  static constexpr DType types[] = {DType::F32, DType::F16, DType::BF16};
  static constexpr int64_t widths[] = {64, 128, 8, 20, 33, 1, 96, 48};
  std::vector<AttentionCase> cases;
  for (int n = 0; n < count; ++n) {
    std::mt19937 random{uint32_t(n)};
    auto draw = [&](int64_t least, int64_t most) {
      return least + int64_t(random() % uint64_t(most - least + 1));
    };
    AttentionCase next;
    next.type = types[n % 3];
    next.seed = uint64_t(n);
    next.batch = draw(1, 2);
    next.queries = n % 7 ? draw(1, longest) : 1;
    next.isPacked = n % 4 == 1;
    next.keys = next.isPacked || n % 2 ? next.queries : draw(1, longest);
    next.keyHeads = draw(1, 2);
    next.heads = next.keyHeads * draw(1, 2);
    next.width = widths[random() % 8];
    next.valueWidth =
        next.isPacked || n % 3 ? next.width : widths[random() % 8];
    next.causal = n % 5 < 2;
    next.window = n % 6 == 2 ? draw(1, longest) : 0;
    next.softcap = n % 8 == 3 ? 2.5 : 0;
    next.dropout = n % 5 == 1 ? 0.25 : 0;
    if (n % 9 == 4 || n % 9 == 7)
      next.mask = n % 2 ? DType::I1 : types[random() % 3];
    cases.push_back(next);
  }
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
  if (which.mask)
    made += ", mask of " + std::string(getInfo(*which.mask).name);
  made += which.isPacked ? ", packed" : "";
  return made;
}
