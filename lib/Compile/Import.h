// Models of other systems: read to the text that a compilation goes on from,
// and the weights that they bring.
#ifndef MPC_LIB_COMPILE_IMPORT_H
#define MPC_LIB_COMPILE_IMPORT_H

#include "Diagnoser.h"
#include "mpc/Compile/Options.h"
#include "mpc/Import/Onnx.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mpc::compile {

/// Whether the model is in ONNX's format, by its name or its first bytes.
bool isForeign(const Model &model);

/// Reads the model, whose text becomes `buffer`, and its weights to `imported`.
/// What is wrong has been told.
Exit importModel(const Model &model, const Options &options,
                 MLIRContext &context, Teller &teller,
                 std::unique_ptr<llvm::MemoryBuffer> &buffer,
                 onnx::Model &imported);

/// Writes the weights where the options say, and tells how many, or that they
/// are left out. Failed: a file cannot be written, which was told.
Exit writeWeights(const Options &options, const onnx::Model &imported,
                  Teller &teller);

} // namespace mpc::compile

#endif // MPC_LIB_COMPILE_IMPORT_H
