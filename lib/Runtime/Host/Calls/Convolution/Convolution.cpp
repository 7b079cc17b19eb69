// Convolutions and their gradients for input and weight.
//
// f32 goes to oneDNN, and bf16 where the processor has the instructions; other
// 16 bits are widened image by image, and rounded once. f64, and what oneDNN
// does not take, is summed by the definition.
//
// As in products, the bits of a result must not depend on threads: the batch is
// cut into pieces by its size alone, and each is one call of a primitive made
// for one thread. The weight's gradient is a sum over all images, so each piece
// has one of its own, and they are added in order.
#include "../MakeCall.h"
#include "../Matmul/FirstProduct.h"
#include "../Matmul/PackedMatmul.h"
#include "ConvolutionPrimitive.h"
#include "PlainConvolution.h"
#include "mpc/Runtime/ThreadPool.h"

#include <array>
#include <atomic>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::CallOperand;
using mpc::program::ConvolutionCall;
using mpc::program::ElementType;
using mpc::program::toSpan;
using packed::Number;

static uint64_t alignUp(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

static uint64_t countElements(const CallOperand &operand) {
  uint64_t count = 1;
  for (int64_t size : toSpan(operand.shape()))
    count *= static_cast<uint64_t>(size);
  return count;
}

/// Images that one call of a primitive takes: pieces for several threads, but
/// no more than it takes to keep them busy, and of the weight's gradient no
/// more than what they add up is worth.
static int64_t chooseImages(const ConvolutionCall &call) {
  constexpr int64_t pieces = 16, summed = 8;
  constexpr uint64_t summedBytes = uint64_t(32) << 20;
  int64_t wanted = pieces;
  if (call.weight->written()) {
    uint64_t bytes = 4 * countElements(*call.weight);
    wanted = std::clamp<int64_t>(static_cast<int64_t>(summedBytes / bytes), 4,
                                 summed);
  }
  return (call.batch() + wanted - 1) / wanted;
}

namespace {
/// How one of the tensors that have a batch reaches the primitive.
struct Images {
  Number type = Number::F32; ///< in the caller's memory
  uint64_t count = 0;        ///< elements of an image
  bool isWidened = false;    ///< copied to, or from, f32

  uint64_t bytes() const { return type == Number::F32 ? 4 : 2; }
  /// Memory of a worker for `images` of them.
  uint64_t copyBytes(int64_t images) const {
    return isWidened ? alignUp(4 * count * static_cast<uint64_t>(images)) : 0;
  }
};

class DnnlConvolution final : public HostCall {
public:
  DnnlConvolution(const program::Call &call, uint32_t workers)
      : call(call), arguments(call), workers(workers),
        kernels(*findPackedKernels().back().kernels),
        written(getWritten(this->call)), images(chooseImages(this->call)) {}
  /// With bf16 as it is if `isNarrow`, else widened.
  Status create(bool isNarrow, bool &unsupported);
  /// Whether it is the library's loops by the definition, which it takes where
  /// it has no kernel.
  bool isReference() const {
    return std::string_view(whole->implementation()).starts_with("ref");
  }

  HostWorkspace workspace() const override;
  std::string describe() const override;
  Status bind(const HostMemory &given) override;
  Status run(ThreadPool &pool, void *const *args) override;

private:
  Status createPrimitives(const ConvolutionProblem &problem, bool &unsupported);
  Status createReorder(const dnnl_memory_desc_t &plain);
  uint32_t countPieces() const {
    return static_cast<uint32_t>((call.batch() + images - 1) / images);
  }
  int64_t imagesOf(uint32_t piece) const {
    return std::min<int64_t>(images, call.batch() - piece * images);
  }
  ConvolutionPrimitive &primitiveFor(uint32_t piece) {
    return imagesOf(piece) == images ? *whole : *rest;
  }
  uint64_t weightBytes() const {
    return alignUp(dnnl_memory_desc_get_size(&whole->weight()));
  }
  uint8_t *packedWeight(uint32_t piece) const {
    return memory.shared +
           (written == Written::Weight ? piece * weightBytes() : 0);
  }

  // Of the run in progress.
  void fail(dnnl_status_t status) {
    if (status != dnnl_success)
      failure.store(status, std::memory_order_relaxed);
  }
  void *packWeight();
  void unpackWeight(ThreadPool &pool);
  void sumPart(uint32_t part);
  void runPiece(uint32_t piece, uint32_t buffer);

  ConvolutionCall call;
  ConvolutionArguments arguments;
  uint32_t workers;
  const packed::Kernels &kernels;
  Written written;
  int64_t images; ///< of a piece; the last may have fewer
  Images input, result;
  Number weightType = Number::F32;
  bool weightIsWidened = false;

  DnnlEngine engine;
  std::unique_ptr<ConvolutionPrimitive> whole,
      rest; ///< rest: of the last piece
  std::unique_ptr<Reorder>
      reorder; ///< null where the library takes the plain one
  uint64_t scratchBytes = 0, plainBytes = 0;
  HostMemory memory;

  ConvolutionOperands operands;
  void *weight = nullptr; ///< as the primitives read it
  std::atomic<int> failure{dnnl_success};
};

constexpr int64_t kSummedAtOnce = 1 << 14; ///< elements of the weight

Number getNumber(ElementType type) {
  return type == ElementType::F16    ? Number::F16
         : type == ElementType::BF16 ? Number::BF16
                                     : Number::F32;
}

/// Whether the elements lie image by image, channels first or last, or are so
/// few that it is no matter; and the strides of that.
bool findLayout(const CallOperand &operand, dnnl_dims_t &strides) {
  std::span<const int64_t> shape = toSpan(operand.shape()),
                           given = toSpan(operand.strides());
  size_t rank = shape.size();
  for (bool isLast : {true, false}) {
    int64_t dense = 1;
    if (isLast) {
      strides[1] = dense;
      dense *= shape[1];
    }
    for (size_t dim = rank; dim-- > 2;) {
      strides[dim] = dense;
      dense *= shape[dim];
    }
    if (!isLast) {
      strides[1] = dense;
      dense *= shape[1];
    }
    strides[0] = dense;
    bool fits = true;
    for (size_t dim = 0; dim < rank; ++dim)
      fits &= shape[dim] == 1 || given[dim] == strides[dim];
    if (fits)
      return true;
  }
  return false;
}

dnnl_status_t describeImages(dnnl_memory_desc_t &made,
                             const CallOperand &operand, int64_t images,
                             dnnl_data_type_t type) {
  std::span<const int64_t> shape = toSpan(operand.shape());
  dnnl_dims_t dims, strides;
  std::ranges::copy(shape, dims);
  dims[0] = images;
  if (!findLayout(operand, strides))
    return dnnl_unimplemented;
  return dnnl_memory_desc_init_by_strides(&made, static_cast<int>(shape.size()),
                                          dims, type, strides);
}

/// The weight as it lies, and with no format, for the library to choose one;
/// groups are a dim of their own to it.
dnnl_status_t describeWeight(dnnl_memory_desc_t &plain, dnnl_memory_desc_t &any,
                             const ConvolutionCall &call,
                             dnnl_data_type_t type) {
  std::span<const int64_t> shape = toSpan(call.weight->shape()),
                           given = toSpan(call.weight->strides());
  int64_t groups = call.options.groups();
  dnnl_dims_t dims, strides;
  int rank = 0;
  auto add = [&](int64_t size, int64_t stride) {
    dims[rank] = size;
    strides[rank++] = stride;
  };
  if (groups != 1)
    add(groups, given[0] * (shape[0] / groups));
  add(shape[0] / groups, given[0]);
  for (size_t dim = 1; dim < shape.size(); ++dim)
    add(shape[dim], given[dim]);
  dnnl_status_t status =
      dnnl_memory_desc_init_by_strides(&plain, rank, dims, type, strides);
  if (status == dnnl_success)
    status = dnnl_memory_desc_init_by_tag(&any, rank, dims, type,
                                          dnnl_format_tag_any);
  return status;
}
} // namespace

Status DnnlConvolution::create(bool isNarrow, bool &unsupported) {
  auto prepare = [&](const CallOperand &operand) {
    Images made;
    made.type = getNumber(operand.type());
    made.count = countElements(operand) / static_cast<uint64_t>(call.batch());
    made.isWidened = made.type != Number::F32 && !isNarrow;
    return made;
  };
  input = prepare(*call.input);
  result = prepare(*call.result);
  weightType = getNumber(call.weight->type());
  // Sums of pieces are f32 whatever they are rounded to.
  bool isSum = written == Written::Weight;
  weightIsWidened = weightType != Number::F32 && (!isNarrow || isSum);
  dnnl_status_t status = callDnnl([&] { return makeEngine(engine); });
  if (status != dnnl_success)
    return dnnlFailure("engine", status);
  if (Status first =
          runFirstProduct(engine.get(), isNarrow ? dnnl_bf16 : dnnl_f32);
      !first.ok())
    return first;
  auto typeOf = [](Number type, bool isWidened) {
    return type == Number::F32 || isWidened ? dnnl_f32 : dnnl_bf16;
  };
  ConvolutionProblem problem;
  problem.written = written;
  dnnl_memory_desc_t plain;
  status = describeWeight(plain, problem.weight, call,
                          typeOf(weightType, weightIsWidened));
  if (status == dnnl_success)
    status = describeImages(problem.input, *call.input, images,
                            typeOf(input.type, input.isWidened));
  if (status == dnnl_success)
    status = describeImages(problem.result, *call.result, images,
                            typeOf(result.type, result.isWidened));
  unsupported = status == dnnl_unimplemented;
  if (status != dnnl_success)
    return dnnlFailure("tensors of a convolution", status);
  for (size_t dim = 0; dim < call.spaceRank(); ++dim) {
    problem.strides[dim] = toSpan(call.options.strides())[dim];
    problem.dilations[dim] = toSpan(call.options.dilations())[dim] - 1;
    problem.low[dim] = toSpan(call.options.low())[dim];
    problem.high[dim] = call.high(dim);
  }
  if (Status made = createPrimitives(problem, unsupported); !made.ok())
    return made;
  return createReorder(plain);
}

Status DnnlConvolution::createPrimitives(const ConvolutionProblem &problem,
                                         bool &unsupported) {
  Result<std::unique_ptr<ConvolutionPrimitive>> made =
      ConvolutionPrimitive::create(engine.get(), problem, unsupported);
  if (!made)
    return made.status();
  whole = std::move(*made);
  scratchBytes = alignUp(whole->scratchBytes());
  int64_t last = imagesOf(countPieces() - 1);
  if (last == images)
    return {};
  ConvolutionProblem shorter = problem;
  shorter.weight = whole->weight(); // which all pieces share
  dnnl_status_t status = callDnnl([&] {
    auto shorten = [&](dnnl_memory_desc_t &tensor) {
      dnnl_dims_t dims;
      std::ranges::copy(std::span(tensor.dims, size_t(tensor.ndims)), dims);
      dims[0] = last;
      return dnnl_memory_desc_init_by_strides(
          &tensor, tensor.ndims, dims, tensor.data_type,
          tensor.format_desc.blocking.strides);
    };
    dnnl_status_t answer = shorten(shorter.input);
    return answer == dnnl_success ? shorten(shorter.result) : answer;
  });
  if (status != dnnl_success)
    return dnnlFailure("the last piece of a convolution", status);
  made = ConvolutionPrimitive::create(engine.get(), shorter, unsupported);
  if (!made)
    return made.status();
  rest = std::move(*made);
  scratchBytes = std::max(scratchBytes, alignUp(rest->scratchBytes()));
  return {};
}

Status DnnlConvolution::createReorder(const dnnl_memory_desc_t &plain) {
  plainBytes = dnnl_memory_desc_get_size(&plain);
  if (dnnl_memory_desc_equal(&plain, &whole->weight()))
    return {};
  bool isGradient = written == Written::Weight;
  Result<std::unique_ptr<Reorder>> made =
      Reorder::create(engine.get(), isGradient ? whole->weight() : plain,
                      isGradient ? plain : whole->weight());
  if (!made)
    return made.status();
  reorder = std::move(*made);
  return {};
}

/// Shared: the weight as the primitives take it, or a gradient for each piece;
/// then, if it is widened or rounded, the plain one in f32. Each worker:
/// scratch of the library, then copies of images.
HostWorkspace DnnlConvolution::workspace() const {
  HostWorkspace made;
  made.pieces = countPieces();
  made.shared =
      weightBytes() * (written == Written::Weight ? countPieces() : 1) +
      (weightIsWidened ? alignUp(plainBytes) : 0);
  made.perWorker =
      scratchBytes + input.copyBytes(images) + result.copyBytes(images);
  return made;
}

std::string DnnlConvolution::describe() const {
  std::string text = std::to_string(countPieces()) + " pieces of " +
                     std::to_string(images) + " images by " +
                     whole->implementation();
  if (reorder)
    text += ", the weight in a layout of its own";
  if (input.isWidened || result.isWidened)
    text += ", widened to f32";
  return text;
}

Status DnnlConvolution::bind(const HostMemory &given) {
  memory = given;
  for (ConvolutionPrimitive *primitive : {whole.get(), rest.get()})
    if (primitive)
      if (Status status = primitive->bind(
              engine.get(), countBuffers(countPieces(), workers),
              memory.perWorker, memory.perWorkerBytes);
          !status.ok())
        return status;
  return {};
}

/// The weight as the primitives read it.
void *DnnlConvolution::packWeight() {
  void *plain = operands.weight;
  if (weightIsWidened) {
    auto *wide = reinterpret_cast<float *>(memory.shared + weightBytes());
    kernels.widen(weightType, plain, static_cast<int64_t>(plainBytes / 4),
                  wide);
    plain = wide;
  }
  if (!reorder)
    return plain;
  fail(reorder->run(plain, memory.shared));
  return memory.shared;
}

void DnnlConvolution::sumPart(uint32_t part) {
  auto *sum = reinterpret_cast<float *>(memory.shared);
  int64_t count = static_cast<int64_t>(weightBytes() / 4),
          begin = part * kSummedAtOnce,
          end = std::min(count, begin + kSummedAtOnce);
  for (uint32_t piece = 1; piece < countPieces(); ++piece) {
    auto *one = reinterpret_cast<const float *>(packedWeight(piece));
    for (int64_t i = begin; i < end; ++i)
      sum[i] += one[i];
  }
}

/// The sum of all pieces' gradients, where the caller wants it.
void DnnlConvolution::unpackWeight(ThreadPool &pool) {
  auto task = [](void *self, uint32_t part, uint32_t) {
    static_cast<DnnlConvolution *>(self)->sumPart(part);
  };
  uint64_t count = weightBytes() / 4;
  if (countPieces() > 1)
    pool.run(static_cast<uint32_t>((count + kSummedAtOnce - 1) / kSummedAtOnce),
             task, this);
  void *plain = memory.shared;
  if (reorder) {
    plain = weightIsWidened ? memory.shared + weightBytes() * countPieces()
                            : operands.weight;
    fail(reorder->run(memory.shared, plain));
  }
  if (plain != operands.weight)
    kernels.round(weightType, static_cast<const float *>(plain),
                  static_cast<int64_t>(plainBytes / 4), operands.weight);
}

void DnnlConvolution::runPiece(uint32_t piece, uint32_t buffer) {
  int64_t count = imagesOf(piece);
  uint8_t *copy =
      memory.perWorker + buffer * memory.perWorkerBytes + scratchBytes;
  auto locate = [&](const Images &tensor, void *data) {
    return static_cast<uint8_t *>(data) +
           static_cast<uint64_t>(piece * images) * tensor.count *
               tensor.bytes();
  };
  auto elementsOf = [&](const Images &tensor) {
    return static_cast<int64_t>(tensor.count) * count;
  };
  auto open = [&](const Images &tensor, void *data, bool isRead) -> void * {
    if (!tensor.isWidened)
      return locate(tensor, data);
    auto *wide = reinterpret_cast<float *>(copy);
    copy += tensor.copyBytes(images);
    if (isRead)
      kernels.widen(tensor.type, locate(tensor, data), elementsOf(tensor),
                    wide);
    return wide;
  };
  void *from = open(input, operands.input, written != Written::Input),
       *to = open(result, operands.result, written != Written::Result);
  void *factors = written == Written::Weight ? packedWeight(piece) : weight;
  fail(primitiveFor(piece).run(buffer, from, factors, to));
  if (written == Written::Result && result.isWidened)
    kernels.round(result.type, static_cast<const float *>(to),
                  elementsOf(result), locate(result, operands.result));
  if (written == Written::Input && input.isWidened)
    kernels.round(input.type, static_cast<const float *>(from),
                  elementsOf(input), locate(input, operands.input));
}

Status DnnlConvolution::run(ThreadPool &pool, void *const *args) {
  operands = arguments.pick(args);
  failure.store(dnnl_success, std::memory_order_relaxed);
  if (written != Written::Weight)
    weight = packWeight();
  auto task = [](void *self, uint32_t piece, uint32_t worker) {
    auto &own = *static_cast<DnnlConvolution *>(self);
    own.runPiece(piece,
                 pickBuffer(own.countPieces(), own.workers, piece, worker));
  };
  pool.run(countPieces(), task, this);
  if (written == Written::Weight)
    unpackWeight(pool);
  int status = failure.load(std::memory_order_relaxed);
  if (status != dnnl_success)
    return dnnlFailure("convolution", static_cast<dnnl_status_t>(status));
  return {};
}

Result<std::unique_ptr<HostCall>>
runtime::makeCall(const program::Convolution &, const program::Call &call,
                  uint32_t workers) {
  ConvolutionCall convolution(call);
  auto *read =
      convolution.input->written() ? convolution.result : convolution.input;
  if (read->type() == ElementType::F64)
    return makePlainConvolution(call);
  // As for a product: OpenMP ends the process where it finds no memory.
  if (dnnl_status_t status = checkMemory(); status != dnnl_success)
    return dnnlFailure("convolution", status);
  OneThread guard;
  for (bool isNarrow : {true, false}) {
    if (isNarrow && read->type() != ElementType::BF16)
      continue;
    bool unsupported = false;
    auto made = std::make_unique<DnnlConvolution>(call, workers);
    Status status = made->create(isNarrow, unsupported);
    // oneDNN may have only loops by the definition for bf16 where it has a
    // kernel for f32, which is faster by far, widening and all.
    bool isSlow = status.ok() && isNarrow && made->isReference();
    if (status.ok() && !isSlow)
      return std::unique_ptr<HostCall>(std::move(made));
    if (!status.ok() && !unsupported)
      return status;
  }
  return makePlainConvolution(call);
}
