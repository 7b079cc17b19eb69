#include "Import.h"
#include "mpc/Data/Safetensors.h"
#include "mpc/Text/Module.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"

#include <span>

using namespace mpc;
using namespace mpc::compile;

bool compile::isForeign(const Model &model) {
  return StringRef(model.name).ends_with(".onnx") || onnx::isOnnx(model.bytes);
}

Exit compile::importModel(const Model &model, const Options &options,
                          MLIRContext &context, Teller &teller,
                          std::unique_ptr<llvm::MemoryBuffer> &buffer,
                          onnx::Model &imported) {
  auto fail = [&](Exit exit, const Twine &message) {
    teller.tell(Severity::Error, message);
    return exit;
  };
  if (!options.pipeline.inference && options.onnx.loss.empty())
    return fail(Exit::Usage,
                "expected a loss to train a model in ONNX's format: give "
                "'--loss', as in --loss=cross_entropy:OUTPUT,labels or "
                "--loss=OUTPUT, or '--inference'");
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer("", model.name),
                             llvm::SMLoc());
  Diagnoser handler(sources, &context, teller);
  bool warned = false;
  mlir::ScopedDiagnosticHandler watch(&context, [&](mlir::Diagnostic &said) {
    warned |= said.getSeverity() == mlir::DiagnosticSeverity::Warning;
    return failure(); // go on to who tells it
  });
  auto read = onnx::importModel(llvm::MemoryBufferRef(model.bytes, model.name),
                                options.onnx, context);
  if (failed(read))
    return Exit::BadInput;
  if (warned && options.pipeline.werror)
    return fail(Exit::BadInput, "warnings are errors by '--werror'");
  for (auto function : read->module->getOps<mlir::func::FuncOp>())
    if (function.getNumArguments() == 0)
      return fail(Exit::BadInput,
                  "expected a model with an input or a parameter, but all that "
                  "it computes is known while it is read");
  imported = std::move(*read);
  buffer = llvm::MemoryBuffer::getMemBufferCopy(printModule(*imported.module),
                                                model.name);
  imported.module = {};
  return Exit::Ok;
}

void compile::takeWeights(onnx::Model imported, program::ProgramT &program,
                          Compiled &compiled) {
  llvm::StringSet<> states;
  for (const auto &state : program.states)
    states.insert(state->name);
  for (const onnx::Weight &weight : imported.weights)
    if (states.contains(weight.name))
      compiled.weights.push_back(
          {weight.name,
           weight.type.getElementType().isF64() ? DType::F64 : DType::F32,
           weight.type.getShape().vec(), weight.bytes});
  if (!compiled.weights.empty()) {
    auto setting = std::make_unique<program::KeyValueT>();
    setting->key = "weights";
    setting->value = std::to_string(compiled.weights.size());
    program.settings.push_back(std::move(setting));
  }
  // Without what belongs to the context, which ends.
  imported.weights.clear();
  imported.module = {};
  compiled.memory = std::make_shared<onnx::Model>(std::move(imported));
}

Exit compile::writeWeights(const Options &options, const Model &model,
                           const Compiled &compiled,
                           const std::vector<std::string> &filesOfModel,
                           Teller &teller) {
  if (compiled.weights.empty() || options.weights.empty())
    return Exit::Ok;
  auto isFile = [&](const std::string &file) {
    return llvm::sys::fs::equivalent(file, options.weights);
  };
  if (isFile(model.name) || llvm::any_of(filesOfModel, isFile)) {
    teller.tell(Severity::Error, "--weights=" + options.weights +
                                     ": expected a file of its own, but that "
                                     "is one of the model's");
    return Exit::Usage;
  }
  std::vector<data::TensorToStore> tensors;
  for (const Weight &weight : compiled.weights)
    tensors.push_back(
        {weight.name, weight.type, weight.shape,
         std::as_bytes(std::span(weight.bytes.data(), weight.bytes.size()))});
  Status written = data::writeSafetensors(data::OutputFile(options.weights),
                                          std::move(tensors), {});
  if (!written.ok()) {
    teller.tell(Severity::Error, written.message());
    return Exit::Failed;
  }
  teller.reports() << compiled.weights.size() << " weights in "
                   << options.weights << ", for mpc-run's --weights\n";
  return Exit::Ok;
}
