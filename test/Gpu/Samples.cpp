#include "Samples.h"

using namespace mpc;
using namespace mpc::test;

Samples::Samples(data::Dataset loaded)
    : dataset(std::move(loaded)), current(dataset.makeBatch()),
      order(dataset.batchSize()) {}

Result<Samples> Samples::load(const rt::Program &program,
                              const std::vector<std::string> &files) {
  rt::Expected<uint32_t> step = program.findEntry("step");
  if (!step)
    return Status(StatusCode::NotFound, step.message());
  std::vector<data::InputSpec> specs;
  for (const mpc_tensor_info &input : program.inputs(*step))
    specs.push_back({input.name,
                     static_cast<DType>(input.type),
                     {input.shape, input.shape + input.rank}});
  std::vector<data::InputFileChoice> choices;
  for (const std::string &file : files) {
    size_t equals = file.find('=');
    if (equals == std::string::npos)
      return Status(StatusCode::InvalidArgument,
                    "expected name=file.npy, but got '" + file + "'");
    choices.push_back({file.substr(0, equals), file.substr(equals + 1)});
  }
  data::DatasetOptions options;
  options.convertTypes = true;
  Result<data::Dataset> dataset =
      data::Dataset::load(std::move(specs), choices, options);
  if (!dataset)
    return dataset.status();
  if (dataset->numFullBatches() == 0)
    return Status(StatusCode::InvalidArgument,
                  "expected samples for at least one batch");
  return Samples(std::move(*dataset));
}

const std::vector<mpc_input> &Samples::batch(uint64_t number) {
  uint64_t first = number % dataset.numFullBatches() * dataset.batchSize();
  for (uint64_t i = 0; i < order.size(); ++i)
    order[i] = first + i;
  dataset.fill(current, order);
  inputs.clear();
  for (const data::Bytes &bytes : current.inputs)
    inputs.push_back({bytes.data(), bytes.size()});
  return inputs;
}
