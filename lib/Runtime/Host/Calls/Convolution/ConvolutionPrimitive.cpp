#include "ConvolutionPrimitive.h"

using namespace mpc;
using namespace mpc::runtime;

static dnnl_status_t describe(dnnl_convolution_desc_t &operation,
                              const ConvolutionProblem &problem) {
  switch (problem.written) {
  case Written::Result:
    return dnnl_dilated_convolution_forward_desc_init(
        &operation, dnnl_forward_training, dnnl_convolution_direct,
        &problem.input, &problem.weight,
        problem.bias.ndims ? &problem.bias : nullptr, &problem.result,
        problem.strides, problem.dilations, problem.low, problem.high);
  case Written::Input:
    return dnnl_dilated_convolution_backward_data_desc_init(
        &operation, dnnl_convolution_direct, &problem.input, &problem.weight,
        &problem.result, problem.strides, problem.dilations, problem.low,
        problem.high);
  case Written::Weight:
    return dnnl_dilated_convolution_backward_weights_desc_init(
        &operation, dnnl_convolution_direct, &problem.input, &problem.weight,
        nullptr, &problem.result, problem.strides, problem.dilations,
        problem.low, problem.high);
  }
  return dnnl_invalid_arguments;
}

dnnl_status_t ConvolutionPrimitive::make(dnnl_engine_t engine,
                                         const ConvolutionProblem &problem) {
  written = problem.written;
  input = problem.input;
  bias = problem.bias;
  result = problem.result;
  dnnl_status_t status = checkMemory();
  DnnlAttributes attributes;
  if (status == dnnl_success)
    status = makeAttributes(attributes);
  dnnl_convolution_desc_t operation;
  if (status == dnnl_success)
    status = describe(operation, problem);
  dnnl_primitive_desc_t described = nullptr;
  if (status == dnnl_success)
    status = dnnl_primitive_desc_create(&described, &operation,
                                        attributes.get(), engine, nullptr);
  description.reset(described);
  dnnl_primitive_t made = nullptr;
  if (status == dnnl_success)
    status = dnnl_primitive_create(&made, described);
  primitive.reset(made);
  if (status != dnnl_success)
    return status;
  dnnl_query_t query = written == Written::Weight ? dnnl_query_diff_weights_md
                                                  : dnnl_query_weights_md;
  weightDescription = *dnnl_primitive_desc_query_md(described, query, 0);
  scratch =
      *dnnl_primitive_desc_query_md(described, dnnl_query_scratchpad_md, 0);
  return dnnl_primitive_desc_query(described, dnnl_query_impl_info_str, 0,
                                   static_cast<void *>(&name));
}

Result<std::unique_ptr<ConvolutionPrimitive>>
ConvolutionPrimitive::create(dnnl_engine_t engine,
                             const ConvolutionProblem &problem,
                             bool &unsupported) {
  auto made = std::make_unique<ConvolutionPrimitive>();
  dnnl_status_t status = callDnnl([&] { return made->make(engine, problem); });
  unsupported = status == dnnl_unimplemented;
  if (status == dnnl_success)
    return made;
  return dnnlFailure("convolution", status);
}

uint64_t ConvolutionPrimitive::scratchBytes() const {
  return dnnl_memory_desc_get_size(&scratch);
}

dnnl_status_t ConvolutionPrimitive::makeArguments(dnnl_engine_t engine,
                                                  Arguments &own,
                                                  uint8_t *scratchMemory) {
  dnnl_status_t status = checkMemory();
  if (status == dnnl_success)
    status = makeStream(own.stream, engine);
  for (auto [slot, description] :
       {std::pair(&own.input, &input),
        std::pair(&own.weight, &weightDescription), std::pair(&own.bias, &bias),
        std::pair(&own.result, &result)})
    if (status == dnnl_success && description->ndims)
      status = makeMemory(*slot, *description, engine, nullptr);
  if (status == dnnl_success)
    status = makeMemory(own.scratch, scratch, engine,
                        scratchBytes() ? scratchMemory : nullptr);
  return status;
}

Status ConvolutionPrimitive::bind(dnnl_engine_t engine, uint32_t buffers,
                                  uint8_t *memory, uint64_t stride) {
  arguments.resize(buffers);
  for (uint32_t buffer = 0; buffer < buffers; ++buffer) {
    dnnl_status_t status = callDnnl([&] {
      return makeArguments(engine, arguments[buffer], memory + buffer * stride);
    });
    if (status != dnnl_success)
      return dnnlFailure("arguments of a convolution", status);
  }
  return {};
}

dnnl_status_t ConvolutionPrimitive::run(uint32_t buffer, void *inputData,
                                        void *weightData, void *biasData,
                                        void *resultData) {
  Arguments &own = arguments[buffer];
  // A handle that cannot be set is an error of oneDNN's execution.
  auto set = [](DnnlMemory &memory, void *data) {
    return dnnl_memory_set_data_handle(memory.get(), data);
  };
  bool isForward = written == Written::Result;
  dnnl_exec_arg_t list[] = {
      {written == Written::Input ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC,
       own.input.get()},
      {written == Written::Weight ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS,
       own.weight.get()},
      {isForward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, own.result.get()},
      {DNNL_ARG_SCRATCHPAD, own.scratch.get()},
      {DNNL_ARG_BIAS, own.bias.get()}};
  int count = own.bias ? 5 : 4;
  // On a thread of the pool: an exception would end the process.
  return callDnnl([&] {
    dnnl_status_t status = set(own.input, inputData);
    if (status == dnnl_success)
      status = set(own.weight, weightData);
    if (status == dnnl_success)
      status = set(own.result, resultData);
    if (status == dnnl_success && own.bias)
      status = set(own.bias, biasData);
    if (status == dnnl_success)
      status = dnnl_primitive_execute(primitive.get(), own.stream.get(), count,
                                      list);
    return status;
  });
}
