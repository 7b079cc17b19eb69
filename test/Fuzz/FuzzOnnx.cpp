// Models in ONNX's format: read to a module, or refused with an error; and
// written back with the weights that they brought. Inputs that are such models
// are changed in what they say: sizes, types, names, attributes and the order
// of nodes; the others byte by byte.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Import/Onnx.h"
#include "mpc/Onnx/WriteBack.h"
#include "onnx.pb.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>

using namespace mpc;
using ::onnx::ModelProto;
using ::onnx::NodeProto;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "expected: %s\n", what);
  std::abort();
}

/// All weights that a model brought go back into it.
static void writeBack(StringRef bytes, const mpc::onnx::Model &model) {
  std::vector<mpc::onnx::TrainedTensor> tensors;
  for (const mpc::onnx::Weight &weight : model.weights)
    tensors.push_back(
        {weight.name,
         weight.type.getElementType().isF64() ? DType::F64 : DType::F32,
         {weight.type.getShape().data(), weight.type.getShape().size()},
         std::as_bytes(std::span(weight.bytes.data(), weight.bytes.size()))});
  mpc::onnx::WriteBackOptions options;
  options.output = "/dev/null";
  options.inference = bytes.size() % 3 == 0;
  auto done = mpc::onnx::writeBack(bytes, tensors, options);
  require(!done || done->written == tensors.size(), "all weights are written");
  require(done || !done.status().message().empty(), "a refusal has a reason");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, graph::GraphDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  size_t errors = 0;
  mlir::ScopedDiagnosticHandler count(&context, [&](mlir::Diagnostic &said) {
    errors += said.getSeverity() == mlir::DiagnosticSeverity::Error;
    return success();
  });
  mpc::onnx::Options options;
  options.trainBatchNorm = size % 2 == 1;
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  auto model = mpc::onnx::importModel({bytes, "model.onnx"}, options, context);
  require(failed(model) == (errors > 0), "each refusal has an error");
  if (failed(model))
    return 0;
  require(succeeded(mlir::verify(*model->module)), "what is read is valid");
  writeBack(bytes, *model);
  return 0;
}

namespace {
/// A change of what a model says.
class Change {
public:
  Change(ModelProto &model, unsigned seed) : model(model), random(seed) {}

  void make() {
    auto *graph = model.mutable_graph();
    if (graph->node_size() == 0)
      return;
    NodeProto &node = *graph->mutable_node(pick(graph->node_size()));
    switch (pick(10)) {
    case 0:
      return changeAttribute(node);
    case 1:
      return changeSizes(*graph);
    case 2:
      return changeTypes(*graph);
    case 3:
      node.set_op_type(anyType());
      return;
    case 4:
      return changeInput(node);
    case 5: // its outputs, twice
      graph->add_node()->CopyFrom(NodeProto(node));
      return;
    case 6:
      graph->mutable_node()->SwapElements(pick(graph->node_size()),
                                          pick(graph->node_size()));
      return;
    case 7:
      node.mutable_attribute()->Clear();
      return;
    case 8:
      model.mutable_opset_import(0)->set_version(pick(30));
      return;
    default:
      return changeValues(*graph);
    }
  }

private:
  int pick(int count) {
    return count > 0 ? int(random() % unsigned(count)) : 0;
  }

  int64_t anyNumber() {
    static constexpr int64_t numbers[] = {-1,
                                          0,
                                          1,
                                          2,
                                          3,
                                          7,
                                          -2,
                                          255,
                                          65536,
                                          INT32_MAX,
                                          int64_t(1) << 40,
                                          INT64_MAX,
                                          INT64_MIN};
    return numbers[pick(std::size(numbers))];
  }

  std::string anyType() {
    static const std::vector<StringRef> types = mpc::onnx::knownOpTypes();
    return types[pick(int(types.size()))].str();
  }

  void changeAttribute(NodeProto &node) {
    if (node.attribute_size() == 0) {
      auto *axis = node.add_attribute();
      axis->set_name("axis");
      axis->set_type(::onnx::AttributeProto::INT);
      axis->set_i(anyNumber());
      return;
    }
    auto &attribute = *node.mutable_attribute(pick(node.attribute_size()));
    attribute.set_i(anyNumber());
    attribute.set_f(float(anyNumber()));
    if (attribute.ints_size() > 0)
      attribute.set_ints(pick(attribute.ints_size()), anyNumber());
    else
      attribute.add_ints(anyNumber());
  }

  /// Of an initializer, with a dim of 0 at times, so that it may have no data.
  void changeDims(::onnx::TensorProto &tensor) {
    if (tensor.dims_size() == 0 || pick(4) == 0)
      tensor.add_dims(pick(2) ? 0 : anyNumber());
    else
      tensor.set_dims(pick(tensor.dims_size()), anyNumber());
    if (pick(2))
      tensor.clear_raw_data();
  }

  void changeSizes(::onnx::GraphProto &graph) {
    if (graph.initializer_size() > 0 && pick(2))
      return changeDims(
          *graph.mutable_initializer(pick(graph.initializer_size())));
    if (graph.input_size() == 0)
      return;
    auto *shape = graph.mutable_input(pick(graph.input_size()))
                      ->mutable_type()
                      ->mutable_tensor_type()
                      ->mutable_shape();
    if (shape->dim_size() == 0 || pick(4) == 0)
      shape->add_dim()->set_dim_value(anyNumber());
    else
      shape->mutable_dim(pick(shape->dim_size()))->set_dim_value(anyNumber());
  }

  void changeTypes(::onnx::GraphProto &graph) {
    if (graph.initializer_size() > 0 && pick(2) == 0)
      graph.mutable_initializer(pick(graph.initializer_size()))
          ->set_data_type(pick(28));
    else if (graph.input_size() > 0)
      graph.mutable_input(pick(graph.input_size()))
          ->mutable_type()
          ->mutable_tensor_type()
          ->set_elem_type(pick(28));
  }

  void changeInput(NodeProto &node) {
    if (node.input_size() == 0 || pick(4) == 0)
      node.add_input(node.output_size() > 0 ? node.output(0) : "");
    else if (pick(2) == 0)
      node.set_input(pick(node.input_size()),
                     std::string(node.input(pick(node.input_size()))));
    else
      node.mutable_input()->RemoveLast();
  }

  /// An input becomes an initializer, of any numbers.
  void changeValues(::onnx::GraphProto &graph) {
    if (graph.input_size() == 0)
      return;
    auto *tensor = graph.add_initializer();
    tensor->set_name(graph.input(pick(graph.input_size())).name());
    tensor->set_data_type(pick(2) ? ::onnx::TensorProto::INT64
                                  : ::onnx::TensorProto::FLOAT);
    int count = pick(4) + 1;
    tensor->add_dims(count);
    for (int i = 0; i < count; ++i)
      if (tensor->data_type() == ::onnx::TensorProto::INT64)
        tensor->add_int64_data(anyNumber());
      else
        tensor->add_float_data(float(anyNumber()));
  }

  ModelProto &model;
  std::minstd_rand random;
};
} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  ModelProto model;
  if (seed % 4 == 0 || !model.ParseFromArray(data, int(size)) ||
      model.opset_import_size() == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  Change(model, seed).make();
  std::string bytes = model.SerializeAsString();
  if (bytes.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
