// Runs ONNX's own tests of nodes: each folder holds a model of one node,
// usually, and its inputs and outputs. Models are imported as they are;
// operands that shapes follow from, which the tests pass as inputs, are made
// initializers where that is what is missing. What an imported module computes
// is told by the reference interpreter, in f64 and with each value rounded to
// its type, which a formula must survive; tolerances are those of ONNX. Inputs
// and expected outputs are read here, by no code of the importer's.
//
//   onnx-nodes FOLDER [NAME] [--rtol=1e-3]
//
// of the cases whose names have NAME in them, with a relative tolerance,
// prints how many passed, how many do not apply and why, and which failed. Exit
// status: 0 none failed, 1 some did, 2 there is nothing to run.
#include "Reference/Inputs.h"
#include "Reference/Interpreter.h"
#include "mlir/IR/MLIRContext.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Import/Onnx.h"
#include "onnx.pb.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <cstring>
#include <map>
#include <set>

using namespace mpc;
using ::onnx::ModelProto;
using ::onnx::TensorProto;
namespace path = llvm::sys::path;

namespace {
/// One folder.
struct Case {
  std::string name;
  ModelProto model;
  std::vector<TensorProto> inputs, outputs;
};

enum class Outcome { Passed, Fails, DoesNotApply };

struct Verdict {
  Outcome outcome;
  std::string reason;
  bool wasFrozen = false;
};
} // namespace

template <typename Message>
static bool readMessage(const std::string &file, Message &message) {
  auto buffer = llvm::MemoryBuffer::getFile(file, false, false);
  return buffer && message.ParseFromArray((*buffer)->getBufferStart(),
                                          int((*buffer)->getBufferSize()));
}

static std::vector<TensorProto> readTensors(StringRef folder, StringRef kind) {
  std::vector<TensorProto> tensors;
  for (int i = 0;; ++i) {
    std::string file =
        (folder + "/test_data_set_0/" + kind + "_" + Twine(i) + ".pb").str();
    TensorProto tensor;
    if (!llvm::sys::fs::exists(file) || !readMessage(file, tensor))
      return tensors;
    tensors.push_back(std::move(tensor));
  }
}

namespace {
/// A tensor as its file has it.
struct Data {
  std::vector<int64_t> shape;
  std::vector<double> reals; ///< Of float types.
  std::vector<int64_t> ints; ///< Of the others.
};
} // namespace

/// Elements of type T, little-endian in raw data or one by one in `field`.
template <typename T, typename Field, typename Out>
static bool read(const TensorProto &tensor, const Field &field,
                 std::vector<Out> &out, Out (*convert)(T)) {
  size_t count = 1;
  for (int64_t dim : tensor.dims())
    count *= size_t(dim);
  const std::string &raw = tensor.raw_data();
  if (!raw.empty() && raw.size() != count * sizeof(T))
    return false;
  if (raw.empty() && size_t(field.size()) != count)
    return false;
  for (size_t i = 0; i < count; ++i) {
    T value;
    if (raw.empty())
      value = T(field.Get(int(i)));
    else
      std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
    out.push_back(convert(value));
  }
  return true;
}

/// A half by its fields: (-1)^s * 1.m * 2^(e - 15), subnormals 0.m * 2^-14.
static double halfOf(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double size = exponent == 31 ? (mantissa ? NAN : HUGE_VAL)
                : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                               : std::ldexp(mantissa, -24);
  return bits & 0x8000 ? -size : size;
}

/// The upper half of a float.
static double bfloatOf(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

template <typename To, typename From> static To as(From x) { return To(x); }

static std::optional<Data> decode(const TensorProto &x) {
  Data data;
  data.shape.assign(x.dims().begin(), x.dims().end());
  auto isRead = [&] {
    switch (x.data_type()) {
    case TensorProto::FLOAT:
      return read<float>(x, x.float_data(), data.reals, as<double, float>);
    case TensorProto::DOUBLE:
      return read<double>(x, x.double_data(), data.reals, as<double, double>);
    case TensorProto::FLOAT16:
      return read<uint16_t>(x, x.int32_data(), data.reals, halfOf);
    case TensorProto::BFLOAT16:
      return read<uint16_t>(x, x.int32_data(), data.reals, bfloatOf);
    case TensorProto::INT64:
      return read(x, x.int64_data(), data.ints, as<int64_t, int64_t>);
    case TensorProto::INT32:
      return read(x, x.int32_data(), data.ints, as<int64_t, int32_t>);
    case TensorProto::BOOL:
      return read(x, x.int32_data(), data.ints, as<int64_t, uint8_t>);
    case TensorProto::UINT8:
      return read(x, x.int32_data(), data.ints, as<int64_t, uint8_t>);
    case TensorProto::INT8:
      return read(x, x.int32_data(), data.ints, as<int64_t, int8_t>);
    default:
      return false;
    }
  }();
  return isRead ? std::optional<Data>(data) : std::nullopt;
}

/// The model with the inputs from `first` on as initializers.
static ModelProto freeze(const Case &test, size_t first) {
  ModelProto model = test.model;
  auto *graph = model.mutable_graph();
  google::protobuf::RepeatedPtrField<::onnx::ValueInfoProto> left;
  for (size_t i = 0; i < test.inputs.size() && int(i) < graph->input_size();
       ++i) {
    if (i < first) {
      *left.Add() = graph->input(int(i));
      continue;
    }
    *graph->add_initializer() = test.inputs[i];
    graph->mutable_initializer()->rbegin()->set_name(
        graph->input(int(i)).name());
  }
  graph->mutable_input()->Swap(&left);
  return model;
}

static reference::Tensor toTensor(const Data &data,
                                  const reference::Tensor &like) {
  reference::Tensor tensor(like.type, data.shape);
  size_t count = std::max(data.reals.size(), data.ints.size());
  for (size_t i = 0; i < count; ++i) {
    bool isReal = !data.reals.empty();
    if (tensor.isFloat())
      tensor.reals[i] = isReal ? data.reals[i] : double(data.ints[i]);
    else
      tensor.ints[i] = isReal ? int64_t(data.reals[i]) : data.ints[i];
  }
  return tensor;
}

/// What the arguments are: inputs by name, weights from the model.
static std::vector<reference::Tensor> argumentsOf(const Case &test,
                                                  const ModelProto &model,
                                                  mlir::func::FuncOp function) {
  std::map<std::string, const TensorProto *> known;
  for (int i = 0;
       i < test.model.graph().input_size() && i < int(test.inputs.size()); ++i)
    known[test.model.graph().input(i).name()] = &test.inputs[i];
  for (const auto &tensor : model.graph().initializer())
    known[tensor.name()] = &tensor;
  std::vector<reference::Tensor> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto zeros = reference::Tensor::zeros(function.getArgumentTypes()[i]);
    auto tensor = decode(*known[reference::argumentName(function, i)]);
    arguments.push_back(tensor ? toTensor(*tensor, zeros) : zeros);
  }
  return arguments;
}

static double tolerance = 1e-3; ///< Of floats of 32 bits and more.

/// Whether a value of `type` is what the test expects as `dataType`.
static bool isOfType(DType type, int dataType) {
  switch (dataType) {
  case TensorProto::FLOAT:
    return type == DType::F32;
  case TensorProto::DOUBLE:
    return type == DType::F64;
  case TensorProto::FLOAT16:
    return type == DType::F16;
  case TensorProto::BFLOAT16:
    return type == DType::BF16;
  case TensorProto::INT64:
    return type == DType::I64;
  case TensorProto::INT32:
    return type == DType::I32;
  default:
    return dataType == TensorProto::BOOL && type == DType::I1;
  }
}

/// The distance of 1 from the next larger value.
static double getUnit(DType type) {
  return type == DType::F16 ? 0x1p-10 : 0x1p-7;
}

/// The largest magnitude that is finite.
static double largest(const reference::Tensor &tensor) {
  double found = 0;
  for (size_t i = 0; i < tensor.size(); ++i)
    if (double x = std::abs(tensor.value(i)); std::isfinite(x))
      found = std::max(found, x);
  return found;
}

/// What is different, or nothing. A value without a type of its own in the
/// graph dialect has been refused before.
static std::string differ(ArrayRef<reference::Tensor> results,
                          ArrayRef<TensorProto> outputs) {
  if (results.size() != outputs.size())
    return "expected " + std::to_string(outputs.size()) + " outputs, but got " +
           std::to_string(results.size());
  for (auto [index, result] : llvm::enumerate(results)) {
    auto expected = decode(outputs[index]);
    if (!expected)
      return "an expected output cannot be read";
    if (result.shape != expected->shape)
      return "output " + std::to_string(index) + " has another shape";
    if (!isOfType(result.type, outputs[index].data_type()))
      return "output " + std::to_string(index) + " has another type";
    // 16 bits are compared by the digits that they have; what is a sum of
    // rounded values is off by units of those, however small it is.
    int type = outputs[index].data_type();
    bool isShort =
        type == TensorProto::FLOAT16 || type == TensorProto::BFLOAT16;
    double rtol = isShort ? 1e-2 : tolerance;
    auto wanted = toTensor(*expected, result);
    double atol = 1e-6;
    if (isShort)
      atol += getUnit(result.type) * largest(wanted);
    auto difference = reference::compare(result, wanted, rtol, atol);
    if (!difference.within)
      return "output " + std::to_string(index) + " differs: element " +
             std::to_string(difference.at) + " expected " +
             std::to_string(wanted.value(difference.at)) + ", but got " +
             std::to_string(result.value(difference.at));
  }
  return "";
}

/// Takes out dropout, as the entry forward does; false where other random
/// numbers are drawn, or those of NumPy's training are expected.
static bool evaluateDraws(mlir::func::FuncOp function, bool trains) {
  bool draws = false;
  SmallVector<Operation *> dropouts;
  function.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (name == "graph.dropout")
      dropouts.push_back(op);
    draws |= name == "graph.uniform" || name == "graph.normal";
  });
  for (Operation *op : dropouts) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
  return !draws && (dropouts.empty() || !trains);
}

/// The tests write some 16-bit floats as data of another type.
static bool haveTheirTypes(const Case &test) {
  for (int i = 0;
       i < test.model.graph().input_size() && i < int(test.inputs.size()); ++i)
    if (test.inputs[i].data_type() !=
        test.model.graph().input(i).type().tensor_type().elem_type())
      return false;
  for (int i = 0;
       i < test.model.graph().output_size() && i < int(test.outputs.size());
       ++i)
    if (test.outputs[i].data_type() !=
        test.model.graph().output(i).type().tensor_type().elem_type())
      return false;
  return true;
}

static Verdict runOnce(const Case &test, const ModelProto &model) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, graph::GraphDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) {
          said = diagnostic.str();
          for (mlir::Diagnostic &note : diagnostic.getNotes())
            said = note.str();
        }
        return success();
      });
  std::string bytes = model.SerializeAsString();
  auto imported = mpc::onnx::importModel({bytes, test.name}, {}, context);
  if (failed(imported))
    return {Outcome::DoesNotApply, said};
  auto function = *(*imported->module).getOps<mlir::func::FuncOp>().begin();
  bool trains = StringRef(test.name).starts_with("test_training_dropout");
  if (!evaluateDraws(function, trains))
    return {Outcome::DoesNotApply, "random numbers"};
  for (auto mode : {reference::Mode::Exact, reference::Mode::Rounded}) {
    auto results =
        reference::evaluate(function, argumentsOf(test, model, function), mode);
    if (failed(results))
      return {Outcome::Fails, "cannot be evaluated: " + said};
    std::string difference = differ(*results, test.outputs);
    if (!difference.empty())
      return {Outcome::Fails, difference + (mode == reference::Mode::Rounded
                                                ? ", each value rounded"
                                                : "")};
  }
  return {Outcome::Passed, ""};
}

/// Cases whose numbers are not those of the standard's text: by that a corner
/// is aligned by the length that there is, (length_original - 1) /
/// (length_resized - 1), as PyTorch and ONNX Runtime do it; here it is that
/// before it was rounded down.
static bool contradictsText(StringRef name) {
  return name == "test_resize_downsample_scales_linear_align_corners" ||
         name == "test_resize_downsample_scales_cubic_align_corners";
}

/// As it is; else with what shapes follow from known; then with all known.
static Verdict run(const Case &test) {
  if (contradictsText(test.name))
    return {Outcome::DoesNotApply, "numbers that the text contradicts"};
  if (test.model.graph().input_size() > 0 && test.inputs.size() &&
      test.model.graph().input(0).type().has_tensor_type() &&
      !haveTheirTypes(test))
    return {Outcome::DoesNotApply,
            "data that are not of the type of the model"};
  Verdict verdict = runOnce(test, test.model);
  for (size_t first : {size_t(1), size_t(0)}) {
    if (verdict.outcome != Outcome::DoesNotApply ||
        !StringRef(verdict.reason)
             .contains("to be known while the model is read"))
      return verdict;
    if (test.inputs.size() <= first)
      continue;
    verdict = runOnce(test, freeze(test, first));
    verdict.wasFrozen = true;
  }
  return verdict;
}

/// Evaluators, too: with all inputs known the result must be the same.
static Verdict runFolded(const Case &test) {
  Verdict verdict = runOnce(test, freeze(test, 0));
  verdict.reason = "with all inputs known: " + verdict.reason;
  return verdict;
}

static std::vector<std::string> listCases(StringRef folder) {
  std::vector<std::string> cases;
  std::error_code failed;
  for (llvm::sys::fs::directory_iterator at(folder, failed), end;
       at != end && !failed; at.increment(failed))
    if (llvm::sys::fs::exists(at->path() + "/model.onnx"))
      cases.push_back(at->path());
  llvm::sort(cases);
  return cases;
}

/// Words of the reason that name what the class is, without numbers and names.
static std::string classOf(StringRef reason) {
  if (reason.contains("the op type is not supported")) {
    bool isTraining = reason.contains("ai.onnx.preview.training");
    return isTraining ? "optimizers as nodes"
                      : "op type " + reason.split(',').first.str();
  }
  for (StringRef type : {"uint8", "int8", "uint16", "int16", "uint32", "uint64",
                         "string", "complex", "float8", "int4"})
    if (reason.contains(type))
      return "elements of " + type.str();
  if (reason.contains("to be a tensor, but it is none"))
    return "sequences or optionals as inputs";
  if (reason.contains("without elements") || reason.contains("no elements") ||
      reason.contains("the model leaves"))
    return "tensors without elements";
  if (!reason.contains(" node"))
    return reason.str();
  return reason.split(" node").first.split(',').first.str() + ": " +
         reason.rsplit("): ").second.str();
}

int main(int argc, char **argv) {
  std::vector<std::string> cases;
  std::string part;
  for (int i = 2; i < argc; ++i)
    if (StringRef(argv[i]).starts_with("--rtol="))
      tolerance = std::strtod(argv[i] + 7, nullptr);
    else
      part = argv[i];
  if (argc > 1)
    cases = listCases(argv[1]);
  if (cases.empty()) {
    llvm::errs()
        << "usage: onnx-nodes FOLDER [NAME] [--rtol=X]: expected a folder of "
           "cases\n";
    return 2;
  }
  unsigned passed = 0, folded = 0, frozen = 0, failed = 0, others = 0;
  std::map<std::string, std::vector<std::string>> classes;
  for (const std::string &folder : cases) {
    Case test;
    test.name = path::filename(folder).str();
    if (!StringRef(test.name).contains(part))
      continue;
    if (!readMessage(folder + "/model.onnx", test.model)) {
      llvm::outs() << "FAILED " << test.name
                   << ": the model cannot be parsed\n";
      ++failed;
      continue;
    }
    test.inputs = readTensors(folder, "input");
    test.outputs = readTensors(folder, "output");
    Verdict verdict = run(test);
    if (verdict.outcome == Outcome::Passed && !test.inputs.empty()) {
      Verdict again = runFolded(test);
      folded += again.outcome == Outcome::Passed;
      if (again.outcome == Outcome::Fails)
        verdict = again;
    }
    switch (verdict.outcome) {
    case Outcome::Passed:
      ++passed;
      frozen += verdict.wasFrozen;
      break;
    case Outcome::Fails:
      ++failed;
      llvm::outs() << "FAILED " << test.name << ": " << verdict.reason << "\n";
      break;
    case Outcome::DoesNotApply:
      ++others;
      classes[classOf(verdict.reason)].push_back(test.name);
    }
  }
  llvm::outs() << "passed " << passed << " (" << frozen
               << " with operands made known, " << folded
               << " also with all of them known)\nfailed " << failed
               << "\nnot applicable " << others << "\n";
  for (const auto &[reason, names] : classes)
    llvm::outs() << "  " << names.size() << "  " << reason << " ("
                 << names.front() << ")\n";
  return failed ? 1 : 0;
}
