// Memory as a thread of a CPU reads and writes it.
#ifndef MPC_EMIT_CPU_HOSTMEMORY_H
#define MPC_EMIT_CPU_HOSTMEMORY_H

#include "../Common/Memory.h"

namespace mpc::emit {

/// Vectors with masks, gathers and scatters.
class HostMemory final : public Memory {
public:
  HostMemory(mlir::ImplicitLocOpBuilder &builder, int64_t lanes)
      : b(builder), lanes(lanes) {}
  bool hasMasks() const override { return true; }
  Value read(Value memref, Value address, int64_t stride,
             const Scope &scope) override;
  Value readEach(Value memref, Value address, Value offsets,
                 const Scope &scope) override;
  void write(Value memref, Value address, int64_t stride, Value value,
             const Scope &scope) override;

private:
  /// The first `count` lanes, the others being 0.
  Value readOneByOne(Value memref, Value address, int64_t stride,
                     int64_t count);
  Value readApart(Value memref, Value address, int64_t stride, int64_t count);
  Value getMask(const Scope &scope);
  mlir::ImplicitLocOpBuilder &b;
  int64_t lanes;
};

} // namespace mpc::emit

#endif // MPC_EMIT_CPU_HOSTMEMORY_H
