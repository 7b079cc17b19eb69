#include "FirstProduct.h"

#include <memory>
#include <mutex>
#include <vector>

using namespace mpc;
using namespace mpc::runtime;

static Status run(dnnl_engine_t engine, dnnl_data_type_t type) {
  constexpr int64_t size = 64;
  const DnnlProduct product = {.operandType = type,
                               .resultType = type,
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
  std::vector<float> operand(size * size), result(size * size); // or narrower
  dnnl_status_t status =
      (*primitive)
          ->run(0, operand.data(), operand.data(), result.data(), nullptr);
  return status == dnnl_success ? Status()
                                : dnnlFailure("a first matmul", status);
}

Status runtime::runFirstProduct(dnnl_engine_t engine, dnnl_data_type_t type) {
  static std::mutex mutex;
  static bool ofFloat = false, ofBFloat = false;
  std::lock_guard lock(mutex);
  bool &isDone = type == dnnl_bf16 ? ofBFloat : ofFloat;
  if (isDone)
    return {};
  Status status = run(engine, type);
  isDone = status.ok();
  if (isDone)
    return {};
  return {status.code(), // of a product that is in no model
          "a first product, for what oneDNN makes once: " + status.message()};
}
