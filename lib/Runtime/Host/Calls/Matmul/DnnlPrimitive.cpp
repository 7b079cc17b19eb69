#include "DnnlPrimitive.h"

#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::Epilogue;

static dnnl_alg_kind_t getAlgorithm(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::None:
  case Epilogue::Relu: // ours
    break;
  case Epilogue::GeluErf:
    return dnnl_eltwise_gelu_erf;
  case Epilogue::GeluTanh:
    return dnnl_eltwise_gelu_tanh;
  case Epilogue::Tanh:
    return dnnl_eltwise_tanh;
  case Epilogue::Sigmoid:
    return dnnl_eltwise_logistic;
  }
  return dnnl_alg_kind_undef;
}

using PostOps = DnnlHandle<dnnl_post_ops_t, dnnl_post_ops_destroy>;

static dnnl_status_t makeAttributes(Epilogue epilogue,
                                    DnnlAttributes &attributes) {
  dnnl_status_t status = makeAttributes(attributes);
  dnnl_alg_kind_t algorithm = getAlgorithm(epilogue);
  if (status != dnnl_success || algorithm == dnnl_alg_kind_undef)
    return status;
  dnnl_post_ops_t list = nullptr;
  status = dnnl_post_ops_create(&list);
  PostOps owner(list);
  if (status == dnnl_success)
    status = dnnl_post_ops_append_eltwise(list, 1.0f, algorithm, 0.0f, 0.0f);
  if (status == dnnl_success)
    status = dnnl_primitive_attr_set_post_ops(attributes.get(), list);
  return status;
}

/// On floats as integers of their width: what becomes 0 has the bits of -inf or
/// smaller ones, and every NaN has larger ones.
template <typename Bits>
static void applyRelu(Bits minusInfinity, Bits *row, int64_t columns) {
  using Vector [[gnu::vector_size(64)]] = Bits;
  constexpr int64_t lanes = sizeof(Vector) / sizeof(Bits);
  int64_t j = 0;
  for (; j + lanes <= columns; j += lanes) {
    Vector x;
    std::memcpy(&x, row + j, sizeof x);
    x &= x > minusInfinity;
    std::memcpy(row + j, &x, sizeof x);
  }
  for (; j < columns; ++j)
    row[j] = row[j] > minusInfinity ? row[j] : Bits(0);
}

void DnnlPrimitive::Relu::apply(void *data) const {
  for (int64_t row = 0; row < rows; ++row)
    if (isNarrow)
      applyRelu<int16_t>(-0x80, static_cast<int16_t *>(data) + row * distance,
                         columns);
    else
      applyRelu<int32_t>(
          -0x800000, static_cast<int32_t *>(data) + row * distance, columns);
}

namespace {
/// Of matrices that lie `matrix` elements apart; of one: a matrix.
struct Layout {
  int64_t rows, columns, row, column;
  int64_t matrices = 1, matrix = 0;
};
} // namespace

static dnnl_status_t describe(dnnl_memory_desc_t &memory, dnnl_data_type_t type,
                              const Layout &layout) {
  dnnl_dims_t dims = {layout.matrices, layout.rows, layout.columns},
              strides = {layout.matrix, layout.row, layout.column};
  int first = layout.matrices == 1;
  return dnnl_memory_desc_init_by_strides(&memory, 3 - first, dims + first,
                                          type, strides + first);
}

dnnl_status_t runtime::describeRight(const DnnlProduct &product,
                                     dnnl_memory_desc_t &right) {
  return describe(right, product.operandType,
                  {product.inner, product.columns, product.rhsInner,
                   product.rhsColumn, product.matrices, product.rhsMatrix});
}

/// One row, for all matrices.
static dnnl_status_t describeBias(const DnnlProduct &product,
                                  dnnl_memory_desc_t &bias) {
  dnnl_dims_t dims = {1, 1, product.columns},
              strides = {product.columns, product.columns, 1};
  int first = product.matrices == 1;
  return dnnl_memory_desc_init_by_strides(&bias, 3 - first, dims + first,
                                          product.resultType, strides + first);
}

dnnl_status_t DnnlPrimitive::make(dnnl_engine_t engine,
                                  const DnnlProduct &product) {
  hasBias = product.hasBias;
  if (product.epilogue == Epilogue::Relu)
    relu = {product.matrices * product.rows, product.columns, product.resultRow,
            product.resultType == dnnl_bf16};
  dnnl_status_t status = checkMemory();
  if (status == dnnl_success)
    status = describe(lhs, product.operandType,
                      {product.rows, product.inner, product.lhsRow,
                       product.lhsInner, product.matrices, product.lhsMatrix});
  if (product.right)
    rhs = *product.right;
  else if (status == dnnl_success)
    status = describeRight(product, rhs);
  if (status == dnnl_success)
    status = describe(result, product.resultType,
                      {product.rows, product.columns, product.resultRow, 1,
                       product.matrices, product.rows * product.resultRow});
  if (status == dnnl_success)
    status = describeBias(product, bias);
  DnnlAttributes attributes;
  if (status == dnnl_success)
    status = makeAttributes(product.epilogue, attributes);
  dnnl_matmul_desc_t operation;
  if (status == dnnl_success)
    status = dnnl_matmul_desc_init(&operation, &lhs, &rhs,
                                   hasBias ? &bias : nullptr, &result);
  dnnl_primitive_desc_t description = nullptr;
  if (status == dnnl_success)
    status = dnnl_primitive_desc_create(&description, &operation,
                                        attributes.get(), engine, nullptr);
  DnnlDescription owner(description);
  if (status == dnnl_success)
    status = dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0,
                                       &chosen);
  dnnl_primitive_t made = nullptr;
  if (status == dnnl_success)
    status = dnnl_primitive_create(&made, description);
  primitive.reset(made);
  if (status == dnnl_success) {
    rhs = *dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0);
    scratch =
        *dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
  }
  return status;
}

Result<std::unique_ptr<DnnlPrimitive>>
DnnlPrimitive::create(dnnl_engine_t engine, const DnnlProduct &product,
                      bool &unsupported) {
  auto made = std::make_unique<DnnlPrimitive>();
  dnnl_status_t status = callDnnl([&] { return made->make(engine, product); });
  unsupported = status == dnnl_unimplemented;
  if (status == dnnl_success)
    return made;
  return dnnlFailure("matmul " + std::to_string(product.rows) + "x" +
                         std::to_string(product.inner) + "x" +
                         std::to_string(product.columns),
                     status);
}

uint64_t DnnlPrimitive::scratchBytes() const {
  return dnnl_memory_desc_get_size(&scratch);
}

dnnl_status_t DnnlPrimitive::makeArguments(dnnl_engine_t engine, Arguments &own,
                                           uint8_t *scratchMemory) {
  dnnl_status_t status = checkMemory();
  if (status == dnnl_success)
    status = makeStream(own.stream, engine);
  for (auto [slot, description] :
       {std::pair(&own.lhs, &lhs), std::pair(&own.rhs, &rhs),
        std::pair(&own.result, &result), std::pair(&own.bias, &bias)})
    if (status == dnnl_success)
      status = makeMemory(*slot, *description, engine, nullptr);
  if (status == dnnl_success)
    status = makeMemory(own.scratch, scratch, engine,
                        scratchBytes() ? scratchMemory : nullptr);
  return status;
}

Status DnnlPrimitive::bind(dnnl_engine_t engine, uint32_t buffers,
                           uint8_t *memory, uint64_t stride) {
  arguments.resize(buffers);
  for (uint32_t buffer = 0; buffer < buffers; ++buffer) {
    dnnl_status_t status = callDnnl([&] {
      return makeArguments(engine, arguments[buffer], memory + buffer * stride);
    });
    if (status != dnnl_success)
      return dnnlFailure("arguments of a matmul", status);
  }
  return {};
}

dnnl_status_t DnnlPrimitive::run(uint32_t buffer, const void *lhsData,
                                 const void *rhsData, void *resultData,
                                 const void *biasData) {
  Arguments &own = arguments[buffer];
  // These set a pointer of a plain layout; they cannot fail.
  (void)dnnl_memory_set_data_handle(own.lhs.get(), const_cast<void *>(lhsData));
  (void)dnnl_memory_set_data_handle(own.rhs.get(), const_cast<void *>(rhsData));
  (void)dnnl_memory_set_data_handle(own.result.get(), resultData);
  dnnl_exec_arg_t list[5] = {{DNNL_ARG_SRC, own.lhs.get()},
                             {DNNL_ARG_WEIGHTS, own.rhs.get()},
                             {DNNL_ARG_DST, own.result.get()},
                             {DNNL_ARG_SCRATCHPAD, own.scratch.get()},
                             {DNNL_ARG_BIAS, own.bias.get()}};
  if (hasBias)
    (void)dnnl_memory_set_data_handle(own.bias.get(),
                                      const_cast<void *>(biasData));
  // On a thread of the pool: an exception would end the process.
  dnnl_status_t status = callDnnl([&] {
    return dnnl_primitive_execute(primitive.get(), own.stream.get(),
                                  hasBias ? 5 : 4, list);
  });
  if (relu && status == dnnl_success)
    relu->apply(resultData);
  return status;
}
