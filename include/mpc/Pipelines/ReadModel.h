// The text of a model, ready for MLIR's parser.
#ifndef MPC_PIPELINES_READMODEL_H
#define MPC_PIPELINES_READMODEL_H

#include "mpc/Text/ReadFile.h"

namespace mpc {

/// MLIR's parser descends with every bracket and every operator of an affine
/// map, its printer with every alias, and passes with every region: fails with
/// a message in `error` that names the place if `text` goes deeper than anybody
/// writes.
LogicalResult checkNesting(const llvm::MemoryBuffer &text, std::string &error);

} // namespace mpc

#endif // MPC_PIPELINES_READMODEL_H
