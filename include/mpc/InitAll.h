// Everything that a tool must register, in two calls.
#ifndef MPC_INITALL_H
#define MPC_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mpc {

/// Adds the dialects of models and programs, and of what they lower to.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Makes all passes known by their arguments. Call once per process.
void registerAllPasses();

} // namespace mpc

#endif // MPC_INITALL_H
