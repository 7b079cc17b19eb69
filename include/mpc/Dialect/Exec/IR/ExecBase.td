// Base classes and type constraints of the exec dialect.
#ifndef MPC_DIALECT_EXEC_IR_EXECBASE_TD
#define MPC_DIALECT_EXEC_IR_EXECBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mpc/Dialect/Exec/IR/ExecAttrs.td"
include "mpc/Dialect/Exec/IR/ExecDialect.td"
include "mpc/Dialect/Exec/IR/ExecInterfaces.td"
include "mpc/Dialect/Exec/IR/ExecTypes.td"
include "mpc/Dialect/Graph/IR/GraphAttrs.td"
include "mpc/Interfaces/TensorBytes.td"

def Exec_Element : AnyTypeOf<[F64, F32, F16, BF16, I64, I32, I1],
                             "f64, f32, f16, bf16, i64, i32 or i1">;
def Exec_Buffer : ConfinedType<MemRefOf<[Exec_Element]>, [
    CPred<"::mlir::cast<::mlir::MemRefType>($_self).hasStaticShape()">,
    CPred<"::mlir::cast<::mlir::MemRefType>($_self).getLayout().isIdentity()">],
  "statically shaped buffer of f64, f32, f16, bf16, i64, i32 or i1 elements",
  "::mlir::MemRefType">;

def Exec_StridedBuffer : ConfinedType<MemRefOf<[Exec_Element]>, [
    CPred<"::mpc::exec::isStrided(::mlir::cast<::mlir::MemRefType>($_self))">],
  "statically shaped and strided buffer of f64, f32, f16, bf16, i64, i32 or i1 elements",
  "::mlir::MemRefType">;
def Exec_CallKindAttr : Attr<CPred<"::mlir::isa<::mpc::exec::CallKindAttrInterface>($_self)">,
                             "kind of library call"> {
  let storageType = "::mpc::exec::CallKindAttrInterface";
  let returnType = "::mpc::exec::CallKindAttrInterface";
  let convertFromStorage = "$_self";
}

class Exec_Op<string mnemonic, list<Trait> traits = []>
    : Op<Exec_Dialect, mnemonic, [BoundedTensors] # traits>;

#endif // MPC_DIALECT_EXEC_IR_EXECBASE_TD
