// Convolutions and their gradients for input and weight.
//
// f32 goes to oneDNN, and bf16 where the processor has the instructions; other
// 16 bits are widened image by image, and rounded once. f64, and what oneDNN
// does not take, is summed by the definition.
//
// As in products, the bits of a result must not depend on threads: the work is
// cut into pieces by the shape alone, and each is one call of a primitive made
// for one thread. The weight's gradient is a sum over all images, so each piece
// of the batch has one of its own, and they are added in order.
#include "../Dnnl/Reorder.h"
#include "../MakeCall.h"
#include "../Matmul/FirstProduct.h"
#include "../Matmul/PackedMatmul.h"
#include "ConvolutionPrimitive.h"
#include "ConvolutionShape.h"
#include "PlainConvolution.h"
#include "mpc/Runtime/ThreadPool.h"

#include <atomic>
#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::CallOperand;
using mpc::program::ConvolutionCall;
using mpc::program::ElementType;
using mpc::program::toSpan;
using packed::Number;

namespace {
class DnnlConvolution final : public HostCall {
public:
  DnnlConvolution(const program::Call &call, uint32_t workers)
      : call(call), arguments(call), workers(workers),
        kernels(*findPackedKernels().back().kernels),
        written(getWritten(this->call)), cut(cutBatch(this->call)) {}
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
  Status createCut(bool isNarrow, bool &unsupported);
  Status createPrimitives(const ConvolutionProblem &problem, bool &unsupported);
  Status createReorder(const dnnl_memory_desc_t &plain);
  /// Of a piece: which of the batch, and which of the channels.
  uint32_t batchOf(uint32_t piece) const { return piece / cut.channelPieces; }
  uint32_t channelsOf(uint32_t piece) const {
    return piece % cut.channelPieces;
  }
  int64_t imagesOf(uint32_t piece) const {
    return std::min<int64_t>(cut.images,
                             call.batch() - batchOf(piece) * cut.images);
  }
  ConvolutionPrimitive &primitiveFor(uint32_t piece) {
    return imagesOf(piece) == cut.images ? *whole : *rest;
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
  template <void (DnnlConvolution::*Do)(uint32_t piece, uint32_t worker)>
  void runAll(ThreadPool &pool, uint32_t pieces);
  void *packWeight(ThreadPool &pool);
  void *widenBias();
  void unpackWeight(ThreadPool &pool);
  void widenPart(uint32_t part, uint32_t worker);
  void packPart(uint32_t part, uint32_t worker);
  void sumPart(uint32_t part, uint32_t worker);
  void unpackPart(uint32_t part, uint32_t worker);
  void roundPart(uint32_t part, uint32_t worker);
  void copyChannels(const uint8_t *from, uint32_t piece, uint8_t *to) const;
  void runPiece(uint32_t piece, uint32_t worker);

  ConvolutionCall call;
  ConvolutionArguments arguments;
  uint32_t workers;
  const packed::Kernels &kernels;
  Written written;
  ConvolutionCut cut;
  Images input, result;
  Number weightType = Number::F32, biasType = Number::F32;
  bool weightIsWidened = false;
  bool biasIsWidened = false; ///< it reaches the primitives as f32 in any case
  /// Of the gradient: oneDNN's kernels of bf16 do not write what is 0 there.
  bool leavesPlaces = false;

  DnnlEngine engine;
  std::unique_ptr<ConvolutionPrimitive> whole,
      rest; ///< rest: of the last piece
  std::unique_ptr<Reorder>
      reorder; ///< null where the library takes the plain one
  uint64_t scratchBytes = 0, plainBytes = 0; ///< plain: of the whole weight
  HostMemory memory;

  ConvolutionOperands operands;
  void *weight = nullptr, *bias = nullptr; ///< as the primitives read them
  void *plain = nullptr; ///< as it lies, in the type of the primitives
  std::atomic<int> failure{dnnl_success};
};

constexpr int64_t kAtOnce = 1 << 14; ///< elements of the weight

uint32_t countParts(uint64_t elements) {
  return static_cast<uint32_t>((elements + kAtOnce - 1) / kAtOnce);
}

Number getNumber(ElementType type) {
  return type == ElementType::F16    ? Number::F16
         : type == ElementType::BF16 ? Number::BF16
                                     : Number::F32;
}
} // namespace

Status DnnlConvolution::create(bool isNarrow, bool &unsupported) {
  dnnl_status_t status = callDnnl([&] { return makeEngine(engine); });
  if (status != dnnl_success)
    return dnnlFailure("engine", status);
  if (Status first =
          runFirstProduct(engine.get(), isNarrow ? dnnl_bf16 : dnnl_f32);
      !first.ok())
    return first;
  cut = chooseCut(call, isNarrow ? 2 : 4);
  Status made = createCut(isNarrow, unsupported);
  if (cut.channelPieces == 1 || (made.ok() && !isReference()) ||
      (!made.ok() && !unsupported))
    return made;
  // There is no kernel for so few channels.
  cut = cutBatch(call);
  return createCut(isNarrow, unsupported);
}

/// What there is to make, for `cut`.
Status DnnlConvolution::createCut(bool isNarrow, bool &unsupported) {
  auto prepare = [&](const CallOperand &operand, uint32_t channelPieces) {
    Images made;
    made.type = getNumber(operand.type());
    made.count = countElements(operand) / static_cast<uint64_t>(call.batch());
    made.taken = made.count / channelPieces;
    made.isWidened = made.type != Number::F32 && !isNarrow;
    return made;
  };
  input = prepare(*call.input, cut.channelPieces);
  result = prepare(*call.result, 1);
  weightType = getNumber(call.weight->type());
  // Sums of pieces are f32 whatever they are rounded to.
  bool isSum = written == Written::Weight;
  weightIsWidened = weightType != Number::F32 && (!isNarrow || isSum);
  leavesPlaces = isSum && call.hasPlaceOfZeros();
  plainBytes = countElements(*call.weight) *
               (weightType == Number::F32 || weightIsWidened ? 4 : 2);
  auto typeOf = [](Number type, bool isWidened) {
    return type == Number::F32 || isWidened ? dnnl_f32 : dnnl_bf16;
  };
  ConvolutionProblem problem;
  problem.written = written;
  if (call.bias) {
    biasType = getNumber(call.bias->type());
    biasIsWidened = biasType != Number::F32;
  }
  dnnl_memory_desc_t plain;
  dnnl_status_t status =
      describeWeight(plain, problem.weight, call, cut.channels,
                     typeOf(weightType, weightIsWidened));
  if (status == dnnl_success)
    status = describeImages(problem.input, *call.input, cut.images,
                            cut.channels, typeOf(input.type, input.isWidened));
  if (status == dnnl_success)
    status =
        describeImages(problem.result, *call.result, cut.images, call.results(),
                       typeOf(result.type, result.isWidened));
  if (status == dnnl_success && call.bias)
    status = describeBias(problem.bias, call);
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
  rest.reset();
  scratchBytes = alignUp(whole->scratchBytes());
  int64_t last = imagesOf(cut.pieces() - 1);
  if (last == cut.images)
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
  reorder.reset();
  if (cut.channelPieces == 1 &&
      dnnl_memory_desc_equal(&plain, &whole->weight()))
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
/// then, if it is widened or rounded, the plain one in f32; then, if it is
/// widened, the bias. Each worker: scratch of the library, then copies of
/// images.
HostWorkspace DnnlConvolution::workspace() const {
  HostWorkspace made;
  made.pieces = cut.pieces();
  made.shared =
      weightBytes() * (written == Written::Weight ? cut.pieces() : 1) +
      (weightIsWidened ? alignUp(plainBytes) : 0) +
      (biasIsWidened ? alignUp(4 * countElements(*call.bias)) : 0);
  made.perWorker =
      scratchBytes + input.copyBytes(cut.images) + result.copyBytes(cut.images);
  return made;
}

std::string DnnlConvolution::describe() const {
  std::string text = std::to_string(cut.pieces()) + " pieces of " +
                     std::to_string(cut.images) + " images";
  if (cut.channelPieces != 1)
    text += " and " + std::to_string(cut.channels) + " channels";
  text += std::string(" by ") + whole->implementation();
  if (reorder)
    text += ", the weight in a layout of its own, made in " +
            std::to_string(reorder->parts()) + " parts";
  if (input.isWidened || result.isWidened)
    text += ", widened to f32";
  return text;
}

Status DnnlConvolution::bind(const HostMemory &given) {
  memory = given;
  for (ConvolutionPrimitive *primitive : {whole.get(), rest.get()})
    if (primitive)
      if (Status status =
              primitive->bind(engine.get(), countBuffers(cut.pieces(), workers),
                              memory.perWorker, memory.perWorkerBytes);
          !status.ok())
        return status;
  return reorder ? reorder->bind(engine.get(), workers) : Status();
}

template <void (DnnlConvolution::*Do)(uint32_t piece, uint32_t worker)>
void DnnlConvolution::runAll(ThreadPool &pool, uint32_t pieces) {
  auto task = [](void *self, uint32_t piece, uint32_t worker) {
    (static_cast<DnnlConvolution *>(self)->*Do)(piece, worker);
  };
  pool.run(pieces, task, this);
}

void DnnlConvolution::widenPart(uint32_t part, uint32_t) {
  int64_t begin = part * kAtOnce,
          end = std::min(static_cast<int64_t>(plainBytes / 4), begin + kAtOnce);
  kernels.widen(weightType, static_cast<uint16_t *>(operands.weight) + begin,
                end - begin, static_cast<float *>(plain) + begin);
}

void DnnlConvolution::packPart(uint32_t part, uint32_t worker) {
  fail(reorder->run(worker, part, plain, memory.shared));
}

/// The weight as the primitives read it.
void *DnnlConvolution::packWeight(ThreadPool &pool) {
  plain = operands.weight;
  if (weightIsWidened) {
    plain = memory.shared + weightBytes();
    runAll<&DnnlConvolution::widenPart>(pool, countParts(plainBytes / 4));
  }
  if (!reorder)
    return plain;
  runAll<&DnnlConvolution::packPart>(pool, reorder->parts());
  return memory.shared;
}

/// The bias as the primitives read it: so few numbers that one thread has them.
void *DnnlConvolution::widenBias() {
  if (!biasIsWidened)
    return operands.bias;
  uint8_t *wide = memory.shared + weightBytes() +
                  (weightIsWidened ? alignUp(plainBytes) : 0);
  kernels.widen(biasType, operands.bias, call.results(),
                reinterpret_cast<float *>(wide));
  return wide;
}

/// The gradients of one piece of the batch follow each other.
void DnnlConvolution::sumPart(uint32_t part, uint32_t) {
  uint64_t count = weightBytes() * cut.channelPieces / 4;
  auto *sum = reinterpret_cast<float *>(memory.shared);
  int64_t begin = part * kAtOnce,
          end = std::min(static_cast<int64_t>(count), begin + kAtOnce);
  for (uint32_t piece = 1; piece < cut.imagePieces; ++piece) {
    const float *one = sum + piece * count;
    for (int64_t i = begin; i < end; ++i)
      sum[i] += one[i];
  }
}

void DnnlConvolution::unpackPart(uint32_t part, uint32_t worker) {
  uint32_t channels = part / reorder->parts();
  int64_t stride = toSpan(call.weight->strides())[1];
  fail(reorder->run(worker, part % reorder->parts(), packedWeight(channels),
                    static_cast<float *>(plain) +
                        channels * cut.channels * stride));
}

void DnnlConvolution::roundPart(uint32_t part, uint32_t) {
  int64_t begin = part * kAtOnce,
          end = std::min(static_cast<int64_t>(plainBytes / 4), begin + kAtOnce);
  kernels.round(weightType, static_cast<const float *>(plain) + begin,
                end - begin, static_cast<uint16_t *>(operands.weight) + begin);
}

/// The sum of all pieces' gradients, where the caller wants it.
void DnnlConvolution::unpackWeight(ThreadPool &pool) {
  uint64_t ofBatch = weightBytes() * cut.channelPieces;
  if (cut.imagePieces > 1)
    runAll<&DnnlConvolution::sumPart>(pool, countParts(ofBatch / 4));
  plain = memory.shared;
  if (reorder) {
    plain = weightIsWidened ? memory.shared + ofBatch * cut.imagePieces
                            : operands.weight;
    runAll<&DnnlConvolution::unpackPart>(pool,
                                         reorder->parts() * cut.channelPieces);
  }
  if (plain == operands.weight)
    return;
  if (weightIsWidened)
    runAll<&DnnlConvolution::roundPart>(pool, countParts(plainBytes / 4));
  else
    std::memcpy(operands.weight, plain, plainBytes);
}

/// The channels of a piece, of as many images, one place after the other.
void DnnlConvolution::copyChannels(const uint8_t *from, uint32_t piece,
                                   uint8_t *to) const {
  constexpr uint64_t line = 64; // a piece is a multiple of it
  auto channels = static_cast<uint64_t>(cut.channels);
  uint64_t step = static_cast<uint64_t>(call.channels()) * input.bytes(),
           bytes = channels * input.bytes(),
           places =
               static_cast<uint64_t>(imagesOf(piece)) * input.taken / channels;
  from += channelsOf(piece) * bytes;
  for (uint64_t place = 0; place < places; ++place, from += step)
    if (input.isWidened) {
      kernels.widen(input.type, from, cut.channels,
                    reinterpret_cast<float *>(to));
      to += channels * sizeof(float);
    } else {
      for (uint64_t at = 0; at < bytes; at += line, to += line)
        std::memcpy(to, from + at, line);
    }
}

void DnnlConvolution::runPiece(uint32_t piece, uint32_t worker) {
  uint32_t buffer = pickBuffer(cut.pieces(), workers, piece, worker);
  int64_t count = imagesOf(piece);
  uint8_t *copy =
      memory.perWorker + buffer * memory.perWorkerBytes + scratchBytes;
  auto locate = [&](const Images &tensor, void *data) {
    return static_cast<uint8_t *>(data) +
           static_cast<uint64_t>(batchOf(piece) * cut.images) * tensor.count *
               tensor.bytes();
  };
  auto elementsOf = [&](const Images &tensor) {
    return static_cast<int64_t>(tensor.count) * count;
  };
  auto open = [&](const Images &tensor, void *data, bool isRead) -> void * {
    if (!tensor.isCopied())
      return locate(tensor, data);
    uint8_t *own = copy;
    copy += tensor.copyBytes(cut.images);
    if (tensor.taken != tensor.count)
      copyChannels(locate(tensor, data), piece, own);
    else if (isRead)
      kernels.widen(tensor.type, locate(tensor, data), elementsOf(tensor),
                    reinterpret_cast<float *>(own));
    return own;
  };
  void *from = open(input, operands.input, written != Written::Input),
       *to = open(result, operands.result, written != Written::Result);
  void *factors = written == Written::Weight ? packedWeight(piece) : weight;
  if (leavesPlaces) {
    std::memset(factors, 0, weightBytes());
    std::memset(memory.perWorker + buffer * memory.perWorkerBytes, 0,
                scratchBytes);
  }
  fail(primitiveFor(piece).run(buffer, from, factors, bias, to));
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
    weight = packWeight(pool);
  bias = widenBias();
  runAll<&DnnlConvolution::runPiece>(pool, cut.pieces());
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
  if (read->type() == ElementType::F64 || isMostlyZeros(convolution))
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
