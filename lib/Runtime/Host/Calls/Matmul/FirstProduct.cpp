#include "FirstProduct.h"

#include <mutex>

using namespace mpc;
using namespace mpc::runtime;

static Status run(dnnl_engine_t engine) {
  constexpr int64_t size = 64;
  constexpr DnnlProduct product = {.operandType = dnnl_bf16,
                                   .resultType = dnnl_bf16,
                                   .rows = size,
                                   .columns = size,
                                   .inner = size,
                                   .lhsRow = size,
                                   .lhsInner = 1,
                                   .rhsInner = size,
                                   .rhsColumn = 1,
                                   .resultRow = size,
                                   .hasBias = false,
                                   .epilogue = program::Epilogue::None};
  bool unsupported = false;
  Result<std::unique_ptr<DnnlPrimitive>> primitive =
      DnnlPrimitive::create(engine, product, unsupported);
  if (unsupported)
    return {};
  if (!primitive)
    return primitive.status();
  constexpr size_t line = 64;
  std::vector<uint8_t> scratch((*primitive)->scratchBytes() + line);
  void *aligned = scratch.data();
  size_t space = scratch.size();
  aligned = std::align(line, (*primitive)->scratchBytes(), aligned, space);
  if (Status status =
          (*primitive)->bind(engine, 1, static_cast<uint8_t *>(aligned), 0);
      !status.ok())
    return status;
  std::vector<uint16_t> operand(size * size), result(size * size);
  dnnl_status_t status =
      (*primitive)
          ->run(0, operand.data(), operand.data(), result.data(), nullptr);
  return status == dnnl_success ? Status()
                                : dnnlFailure("a first matmul", status);
}

Status runtime::runFirstProduct(dnnl_engine_t engine) {
  static std::mutex mutex;
  static bool done = false;
  std::lock_guard lock(mutex);
  if (done)
    return {};
  Status status = run(engine);
  done = status.ok();
  return status;
}
