// Memory as a thread of a GPU reads and writes it.
#ifndef MPC_EMIT_GPU_MEMORY_H
#define MPC_EMIT_GPU_MEMORY_H

#include "../Common/Memory.h"

namespace mpc::emit {

/// One access of up to 16 bytes per instruction and thread, aligned to its own
/// size; branches around accesses where the scope has a predicate.
class GpuMemory final : public Memory {
public:
  GpuMemory(mlir::ImplicitLocOpBuilder &builder, int64_t lanes)
      : b(builder), lanes(lanes) {}
  Value read(Value memref, Value address, int64_t stride,
             const Scope &scope) override;
  Value readEach(Value memref, Value address, Value offsets,
                 const Scope &scope) override;
  void write(Value memref, Value address, int64_t stride, Value value,
             const Scope &scope) override;

private:
  /// What `build` reads, or 0 where the scope's predicate does not hold.
  Value guard(Type type, const Scope &scope, function_ref<Value()> build);
  Value readAll(Value memref, Value address, int64_t stride, Type type);
  void writeAll(Value memref, Value address, int64_t stride, Value value);
  Value toIndex(Value address, int64_t offset = 0);
  mlir::ImplicitLocOpBuilder &b;
  int64_t lanes;
};

} // namespace mpc::emit

#endif // MPC_EMIT_GPU_MEMORY_H
