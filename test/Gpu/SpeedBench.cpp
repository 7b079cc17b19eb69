#include "SpeedBench.h"

#include "mpc/Program/Operands.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

using namespace mpc;
using namespace mpc::runtime;
using mpc::test::ProductSpeed;
using mpc::test::SpeedBench;

/// Compared of each output, from its start.
static constexpr uint64_t kCompared = uint64_t(16) << 20;

static Status allocate(const CudaApi &cuda, uint64_t bytes,
                       DeviceMemory &memory) {
  void *block = nullptr;
  if (auto error = cuda.cudaMalloc(&block, bytes))
    return makeStatus(cuda, error, "cudaMalloc");
  memory = DeviceMemory(cuda, block);
  return {};
}

/// An event that measures time.
static Status makeTimer(const CudaApi &cuda, Event &event) {
  cudaEvent_t made = nullptr;
  if (auto error = cuda.cudaEventCreateWithFlags(&made, cudaEventDefault))
    return makeStatus(cuda, error, "cudaEventCreateWithFlags");
  event = Event(cuda, made);
  return {};
}

Result<SpeedBench> SpeedBench::open(const Platform &platform, uint64_t bytes) {
  const CudaApi &cuda = *platform.cuda;
  Result<Device> device = findDevice(cuda, 0);
  if (!device)
    return device.status();
  SpeedBench made(cuda);
  made.card = std::move(*device);
  Result<Stream> stream = makeStream(cuda);
  if (!stream)
    return stream.status();
  made.stream = std::move(*stream);
  Result<const CublasLtApi *> blas = platform.openCublasLt();
  if (!blas)
    return blas.status();
  made.blas = *blas;
  uint64_t workspace = CublasLt::workspaceBytes(made.card.capability());
  for (Status status : {makeTimer(cuda, made.begin), makeTimer(cuda, made.end),
                        allocate(cuda, bytes, made.operands),
                        allocate(cuda, workspace, made.workspace)})
    if (!status.ok())
      return status;
  if (Status status = made.fillRandom(bytes); !status.ok())
    return status;
  return made;
}

/// Magnitudes from 0.5 to 2 as bf16, of either sign. A piece is made here, and
/// doubled there.
Status SpeedBench::fillRandom(uint64_t bytes) {
  std::vector<uint16_t> piece(std::min<uint64_t>(bytes, uint64_t(32) << 20) /
                              2);
  std::mt19937 generator(1);
  for (uint16_t &number : piece)
    number = static_cast<uint16_t>((generator() & 0x80ff) | 0x3f00);
  auto *block = static_cast<uint8_t *>(operands.get());
  uint64_t filled = piece.size() * 2;
  auto error = cuda.cudaMemcpyAsync(block, piece.data(), filled,
                                    cudaMemcpyHostToDevice, stream.get());
  while (!error && filled < bytes) {
    uint64_t more = std::min(filled, bytes - filled);
    error = cuda.cudaMemcpyAsync(block + filled, block, more,
                                 cudaMemcpyDeviceToDevice, stream.get());
    filled += more;
  }
  if (error)
    return makeStatus(cuda, error, "cudaMemcpyAsync of random numbers");
  return makeStatus(cuda, cuda.cudaStreamSynchronize(stream.get()),
                    "cudaStreamSynchronize");
}

Result<double> SpeedBench::time(const std::function<Status()> &work,
                                double seconds) {
  auto run = [&](int count) -> Result<double> {
    Status status =
        makeStatus(cuda, cuda.cudaEventRecord(begin.get(), stream.get()),
                   "cudaEventRecord");
    for (int i = 0; i < count && status.ok(); ++i)
      status = work();
    if (status.ok())
      status = makeStatus(cuda, cuda.cudaEventRecord(end.get(), stream.get()),
                          "cudaEventRecord");
    if (status.ok())
      status = makeStatus(cuda, cuda.cudaEventSynchronize(end.get()),
                          "cudaEventSynchronize");
    float milliseconds = 0;
    if (status.ok())
      status = makeStatus(
          cuda,
          cuda.cudaEventElapsedTime(&milliseconds, begin.get(), end.get()),
          "cudaEventElapsedTime");
    if (!status.ok())
      return status;
    return static_cast<double>(milliseconds) * 1e-3 / count;
  };
  // The first loads kernels, the second tells how often.
  Result<double> estimate = run(1);
  if (estimate)
    estimate = run(1);
  if (!estimate)
    return estimate;
  return run(static_cast<int>(
      std::clamp(seconds / std::max(*estimate, 1e-7), 1.0, 1000.0)));
}

Result<double> SpeedBench::timeCopy(uint64_t bytes, double seconds) {
  auto *block = static_cast<uint8_t *>(operands.get());
  return time(
      [&] {
        return makeStatus(cuda,
                          cuda.cudaMemcpyAsync(block + bytes, block, bytes,
                                               cudaMemcpyDeviceToDevice,
                                               stream.get()),
                          "cudaMemcpyAsync");
      },
      seconds);
}

/// The arguments, one after the other.
std::vector<void *> SpeedBench::place(const program::Call &product) const {
  auto *next = static_cast<uint8_t *>(operands.get());
  std::vector<void *> pointers;
  for (const program::Operand &operand : program::getOperands(product)) {
    pointers.push_back(next);
    next += (operand.bytes + program::kAlignment - 1) / program::kAlignment *
            program::kAlignment;
  }
  return pointers;
}

Result<std::unique_ptr<CublasLt>> SpeedBench::openLibrary(double tuning) const {
  CublasLtOptions options;
  options.tuningBudget = tuning;
  return CublasLt::create(*blas, cuda, {card.name, card.capability()},
                          std::move(options));
}

static double operationsOf(const program::Call &product) {
  program::MatmulCall matmul(product);
  double operations = 2;
  for (int64_t dim : {matmul.rows(), matmul.inner(), matmul.columns()})
    operations *= static_cast<double>(dim);
  for (int64_t dim : matmul.batch())
    operations *= static_cast<double>(dim);
  return operations;
}

/// A product whose algorithm is chosen.
struct SpeedBench::Chosen {
  std::unique_ptr<CublasLt> library;
  CublasLtMatmul product;
  double operations;
  std::vector<double> seconds; ///< of a run, each turn
};

Result<SpeedBench::Chosen> SpeedBench::choose(const program::Call &product,
                                              double tuning) {
  auto library = openLibrary(tuning);
  if (!library)
    return library.status();
  auto made = (*library)->make(product, readPointers(product, place(product)),
                               /*mayBePlain=*/true);
  if (!made)
    return made.status();
  LibraryCall *list[] = {&*made};
  if (Status status = (*library)->prepare(list, workspace.get(), stream.get());
      !status.ok())
    return status;
  return Chosen{
      std::move(*library), std::move(*made), operationsOf(product), {}};
}

/// What is measured first meets a cool device, so they take turns.
Status SpeedBench::timeInTurns(std::span<Chosen> products, double seconds) {
  constexpr int kTurns = 3;
  for (int turn = 0; turn < kTurns; ++turn)
    for (Chosen &one : products) {
      Result<double> spent = time(
          [&] { return one.product.enqueue(stream.get(), workspace.get()); },
          seconds / kTurns);
      if (!spent)
        return spent.status();
      one.seconds.push_back(*spent);
    }
  return {};
}

/// 10^12 operations per second.
static double getRate(double operations, std::vector<double> seconds) {
  auto middle = seconds.begin() + static_cast<ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return operations / *middle * 1e-12;
}

/// Whether all outputs have the same bytes, the second time too.
Result<bool> SpeedBench::repeats(const program::Call &call, LibraryCall &made,
                                 std::span<void *const> pointers,
                                 void *workspace) {
  std::vector<program::Operand> outputs = program::getOperands(call);
  auto run = [&]() -> Result<std::vector<uint8_t>> {
    std::vector<uint8_t> bytes;
    Status status = made.enqueue(stream.get(), workspace);
    for (size_t i = 0; i < outputs.size() && status.ok(); ++i) {
      if (!outputs[i].written)
        continue;
      size_t before = bytes.size();
      bytes.resize(before + std::min(outputs[i].bytes, kCompared));
      status =
          makeStatus(cuda,
                     cuda.cudaMemcpyAsync(bytes.data() + before, pointers[i],
                                          bytes.size() - before,
                                          cudaMemcpyDeviceToHost, stream.get()),
                     "cudaMemcpyAsync");
      if (status.ok())
        status = makeStatus(cuda, cuda.cudaStreamSynchronize(stream.get()),
                            "cudaStreamSynchronize");
    }
    if (!status.ok())
      return status;
    return bytes;
  };
  Result<std::vector<uint8_t>> first = run();
  if (!first)
    return first.status();
  for (int again = 0; again < 3; ++again) {
    Result<std::vector<uint8_t>> next = run();
    if (!next)
      return next.status();
    if (*next != *first)
      return false;
  }
  return true;
}

Result<bool> SpeedBench::repeats(const program::Call &product) {
  auto library = openLibrary(0);
  if (!library)
    return library.status();
  std::vector<void *> pointers = place(product);
  auto made = (*library)->make(product, readPointers(product, pointers), true);
  if (!made)
    return made.status();
  return repeats(product, *made, pointers, workspace.get());
}

Result<SpeedBench::CallSpeed> SpeedBench::measure(CallLibrary &library,
                                                  const program::Call &call,
                                                  double seconds) {
  std::vector<void *> pointers = place(call);
  CallSpeed speed = {.workspaceBytes = library.workspaceBytes(call)};
  DeviceMemory block;
  if (Status status =
          allocate(cuda, std::max<uint64_t>(speed.workspaceBytes, 1), block);
      !status.ok())
    return status;
  auto made = library.makeCall(call, pointers, /*mayBePlain=*/false);
  if (!made)
    return made.status();
  Result<double> spent = time(
      [&] { return (*made)->enqueue(stream.get(), block.get()); }, seconds);
  if (!spent)
    return spent.status();
  Result<bool> same = repeats(call, **made, pointers, block.get());
  if (!same)
    return same.status();
  speed.seconds = *spent;
  speed.repeats = *same;
  return speed;
}

Result<ProductSpeed> SpeedBench::measure(const std::string &name,
                                         fake::MatmulCase product,
                                         const SpeedOptions &options) {
  ProductSpeed row = {
      .product = name,
      .asked = runtime::describe(program::MatmulCall(product.call()))};
  fake::MatmulCase bare = product;
  bare.spec.epilogue = program::Epilogue::None;
  bare.spec.bias = bare.spec.aux = bare.spec.derivative = false;
  std::vector<Chosen> variants;
  for (auto [of, tuning] :
       {std::pair(&product, 0.0), std::pair(&product, options.tuning),
        std::pair(&bare, options.tuning)}) {
    Result<Chosen> chosen = choose(of->call(), tuning);
    if (!chosen)
      return chosen.status();
    variants.push_back(std::move(*chosen));
  }
  row.fused = !variants[0].product.isPlain();
  if (Status status = timeInTurns(variants, options.seconds); !status.ok())
    return status;
  double *rates[] = {&row.first, &row.best, &row.plain};
  for (size_t i = 0; i < variants.size(); ++i)
    *rates[i] = getRate(variants[i].operations, variants[i].seconds);
  Result<bool> same = repeats(product.call());
  if (!same)
    return same.status();
  row.repeats = *same;
  return row;
}
