#include "Importer.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Import/Onnx.h"
#include "mpc/Onnx/ExternalData.h"
#include "mpc/Onnx/Nodes.h"
#include "llvm/Support/Path.h"

using namespace mpc;

bool mpc::onnx::isOnnx(StringRef bytes) {
  // The version of the format stands first: field 1, a small number.
  return bytes.size() > 2 && bytes[0] == 0x08 && bytes[1] > 0 &&
         bytes[1] < 0x40;
}

FailureOr<mpc::onnx::Model> mpc::onnx::importModel(llvm::MemoryBufferRef bytes,
                                                   const Options &options,
                                                   MLIRContext &context) {
  std::string file =
      llvm::sys::path::filename(bytes.getBufferIdentifier()).str();
  auto error = [&] {
    return mlir::emitError(mlir::FileLineColLoc::get(&context, file, 0, 0));
  };
  context.loadDialect<graph::GraphDialect, mlir::func::FuncDialect>();
  if (bytes.getBufferSize() > size_t(std::numeric_limits<int32_t>::max()))
    return error() << "expected a file of less than 2 GiB, beside which larger "
                      "weights lie as external data";
  auto proto = std::make_shared<::onnx::ModelProto>();
  if (!proto->ParseFromArray(bytes.getBufferStart(),
                             int(bytes.getBufferSize())))
    return error() << "expected a model in ONNX's format, but it is damaged or "
                      "something else";
  Model model;
  model.message = proto;
  onnx::forEachTensor(*proto, [&](::onnx::TensorProto &tensor) {
    if (auto place = placeOf(tensor); tensor.external_data_size() && place)
      model.files.push_back(options.folder + "/" + place->location);
  });
  if (failed(Importer(*proto, file, options, context, model).run()))
    return failure();
  return model;
}

std::string mpc::onnx::folderOf(StringRef path) {
  if (path == "-")
    return "";
  StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder.str();
}
