// Models of other systems: read to the text that a compilation goes on from,
// and the weights that they bring.
#ifndef MPC_LIB_COMPILE_IMPORT_H
#define MPC_LIB_COMPILE_IMPORT_H

#include "Diagnoser.h"
#include "mpc/Compile/Options.h"
#include "mpc/Import/Onnx.h"
#include "mpc/Program/Program.h"
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

/// The weights of states that `program` has, in the memory of the model, which
/// they keep. How many there are becomes its setting `weights`: a program file
/// has none of them, and begins with random numbers without.
void takeWeights(onnx::Model imported, program::ProgramT &program,
                 Compiled &compiled);

/// Writes the weights where the options say, if they do, and tells how many.
/// Usage: that is a file of the model; Failed: it cannot be written. Either was
/// told.
Exit writeWeights(const Options &options, const Model &model,
                  const Compiled &compiled,
                  const std::vector<std::string> &filesOfModel, Teller &teller);

} // namespace mpc::compile

#endif // MPC_LIB_COMPILE_IMPORT_H
