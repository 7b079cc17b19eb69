#include "KeptProduct.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;

static uint64_t alignUp(uint64_t bytes) { return (bytes + 63) / 64 * 64; }
static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t getWidth(dnnl_data_type_t type) {
  return type == dnnl_bf16 ? 2 : 4;
}

/// Of more rows the layout is made for little beside the product.
static constexpr int64_t kMostRows = 256;

/// Measured on Zen 5: a block of 16 rows is as fast as one of more, 8 take a
/// tenth longer than half of 16, and where there are 32 and more two are enough
/// to be. Columns stay whole: bf16 of part of them is rounded by way of
/// memory.
static int64_t chooseRows(const DnnlProduct &product) {
  constexpr int64_t many = 64, least = 8;
  constexpr double minFlops = 1 << 20;
  double flops = 2.0 * static_cast<double>(product.rows) *
                 static_cast<double>(product.columns) *
                 static_cast<double>(product.inner);
  if (product.rows < least || flops < minFlops)
    return product.rows;
  return ceilDiv(product.rows, product.rows >= many ? 4 : 2);
}

/// The first block chooses the layout, the others take it. There may be no
/// kernel of so few rows that does.
bool KeptProduct::makeBlock(dnnl_engine_t engine, int64_t rows,
                            std::unique_ptr<DnnlPrimitive> &made) {
  DnnlProduct block = product;
  block.rows = rows;
  bool unsupported = false;
  Result<std::unique_ptr<DnnlPrimitive>> primitive =
      DnnlPrimitive::create(engine, block, unsupported);
  if (!primitive)
    return false;
  made = std::move(*primitive);
  scratch = std::max(scratch, alignUp(made->scratchBytes()));
  return true;
}

bool KeptProduct::make(dnnl_engine_t engine) {
  blockRows = chooseRows(product);
  dnnl_memory_desc_t plain;
  dnnl_dims_t dims = {product.inner, product.columns};
  product.right.emplace();
  if (describeRight(product, plain) != dnnl_success ||
      dnnl_memory_desc_init_by_tag(&*product.right, 2, dims,
                                   product.operandType,
                                   dnnl_format_tag_any) != dnnl_success ||
      !makeBlock(engine, blockRows, primitives[0]) ||
      dnnl_memory_desc_equal(&plain, &primitives[0]->right()))
    return false;
  product.right = primitives[0]->right();
  if (int64_t rest = product.rows % blockRows)
    if (!makeBlock(engine, rest, primitives[1]))
      return false;
  Result<std::unique_ptr<Reorder>> made =
      Reorder::create(engine, plain, *product.right);
  if (!made)
    return false;
  reorder = std::move(*made);
  return true;
}

std::unique_ptr<KeptProduct> KeptProduct::create(dnnl_engine_t engine,
                                                 const DnnlProduct &product,
                                                 uint32_t workers) {
  std::unique_ptr<KeptProduct> made;
  if (product.rows > kMostRows || product.lhsInner != 1)
    return made;
  made.reset(new KeptProduct(product, workers));
  if (!made->make(engine))
    made.reset();
  return made;
}

uint64_t KeptProduct::bytes() const {
  return alignUp(dnnl_memory_desc_get_size(&*product.right));
}

uint32_t KeptProduct::countBlocks() const {
  return static_cast<uint32_t>(ceilDiv(product.rows, blockRows));
}

std::string KeptProduct::describe() const {
  uint32_t blocks = countBlocks();
  return std::to_string(blocks) + (blocks == 1 ? " block of " : " blocks of ") +
         std::to_string(blockRows) + " rows where the right matrix stays";
}

Status KeptProduct::bind(dnnl_engine_t engine, const HostMemory &memory) {
  for (auto &primitive : primitives)
    if (primitive)
      if (Status status =
              primitive->bind(engine, countBuffers(countBlocks(), workers),
                              memory.perWorker, memory.perWorkerBytes);
          !status.ok())
        return status;
  return reorder->bind(engine, countBuffers(reorder->parts(), workers));
}

Status KeptProduct::takeFailure(const char *what) {
  int status = failure.load(std::memory_order_relaxed);
  return status == dnnl_success
             ? Status()
             : dnnlFailure(what, static_cast<dnnl_status_t>(status));
}

void KeptProduct::reorderPart(uint32_t part, uint32_t buffer) {
  dnnl_status_t status =
      reorder->run(buffer, part, operands.rhs, operands.result);
  if (status != dnnl_success)
    failure.store(status, std::memory_order_relaxed);
}

Status KeptProduct::keep(ThreadPool &pool, const void *right, uint8_t *memory) {
  operands = {.rhs = right, .result = memory};
  failure.store(dnnl_success, std::memory_order_relaxed);
  auto task = [](void *self, uint32_t part, uint32_t worker) {
    auto &own = *static_cast<KeptProduct *>(self);
    own.reorderPart(
        part, pickBuffer(own.reorder->parts(), own.workers, part, worker));
  };
  pool.run(reorder->parts(), task, this);
  return takeFailure("layout of a right matrix");
}

void KeptProduct::runBlock(uint32_t block, uint32_t buffer) {
  int64_t row = block * blockRows;
  bool isShort = product.rows - row < blockRows;
  auto *left = static_cast<const uint8_t *>(operands.lhs) +
               row * product.lhsRow * getWidth(product.operandType);
  auto *result = static_cast<uint8_t *>(operands.result) +
                 row * product.resultRow * getWidth(product.resultType);
  dnnl_status_t status = primitives[isShort]->run(buffer, left, operands.rhs,
                                                  result, operands.bias);
  if (status != dnnl_success)
    failure.store(status, std::memory_order_relaxed);
}

Status KeptProduct::run(ThreadPool &pool, const MatmulOperands &given) {
  operands = given;
  failure.store(dnnl_success, std::memory_order_relaxed);
  auto task = [](void *self, uint32_t block, uint32_t worker) {
    auto &own = *static_cast<KeptProduct *>(self);
    own.runBlock(block,
                 pickBuffer(own.countBlocks(), own.workers, block, worker));
  };
  pool.run(countBlocks(), task, this);
  return takeFailure("matmul");
}
