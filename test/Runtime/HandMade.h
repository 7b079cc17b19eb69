// Hand-made programs for tests and benchmarks: what mpc-compile would write.
#ifndef MPC_TEST_RUNTIME_HANDMADE_H
#define MPC_TEST_RUNTIME_HANDMADE_H

#include "mpc/Program/Program.h"
#include "mpc/Support/DType.h"

#include <string>
#include <vector>

namespace mpc::test {

using namespace mpc::program;
using Dims = std::vector<int64_t>;

/// A program under construction; everything public, to be broken by tests.
struct HandMade {
  ProgramT program;

  HandMade() {
    program.producer = "test";
    program.target = "cpu";
    program.model = "hand-made";
  }

  /// Adds a state after the others and returns where it lies.
  Arg state(const std::string &name, ElementType type, Dims shape,
            Init init = Init(InitKind::Zeros, 0, 0),
            Role role = Role::Parameter) {
    auto state = std::make_unique<StateT>();
    state->name = name;
    state->type = type;
    state->bytes = *getTensorBytes(type, shape);
    state->shape = std::move(shape);
    state->role = role;
    state->init = std::make_unique<Init>(init);
    state->offset = program.state_bytes;
    program.state_bytes += align(state->bytes);
    Arg where(Space::State, 0, state->offset);
    program.states.push_back(std::move(state));
    return where;
  }
  Arg arena(uint64_t bytes) {
    Arg where(Space::Arena, 0, program.arena_bytes);
    program.arena_bytes += align(bytes);
    return where;
  }
  EntryT &entry(const std::string &name) {
    program.entries.push_back(std::make_unique<EntryT>());
    program.entries.back()->name = name;
    return *program.entries.back();
  }
  static Arg input(EntryT &entry, const std::string &name, ElementType type,
                   Dims shape) {
    entry.inputs.push_back(tensor(name, type, std::move(shape)));
    auto index = static_cast<uint16_t>(entry.inputs.size() - 1);
    return Arg(Space::Input, index, 0);
  }
  static void output(EntryT &entry, const std::string &name, ElementType type,
                     Dims shape, Arg where) {
    entry.outputs.push_back(tensor(name, type, std::move(shape)));
    entry.outputs.back()->location = std::make_unique<Arg>(where);
  }
  static void record(EntryT &entry, RecordKind kind, uint32_t target,
                     const std::vector<Arg> &args, uint64_t extent = 1,
                     uint64_t grain = 1, uint32_t name = kNoName) {
    entry.records.emplace_back(kind, static_cast<uint16_t>(args.size()),
                               static_cast<uint32_t>(entry.args.size()), target,
                               name, extent, grain);
    entry.args.insert(entry.args.end(), args.begin(), args.end());
  }
  uint32_t kernel(const std::string &symbol, std::vector<uint64_t> argBytes,
                  uint16_t numResults = 1,
                  uint64_t extent = uint64_t(1) << 32) {
    auto kernel = std::make_unique<KernelT>();
    kernel->symbol = symbol;
    kernel->arg_bytes = std::move(argBytes);
    kernel->num_results = numResults;
    kernel->extent = extent;
    program.kernels.push_back(std::move(kernel));
    return static_cast<uint32_t>(program.kernels.size() - 1);
  }
  void code(const std::string &target, std::vector<uint8_t> object) {
    program.code.push_back(std::make_unique<CodeSectionT>());
    program.code.back()->target = target;
    program.code.back()->data = std::move(object);
  }

  static uint64_t align(uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

private:
  static std::unique_ptr<TensorT> tensor(const std::string &name,
                                         ElementType type, Dims shape) {
    auto made = std::make_unique<TensorT>();
    made->name = name;
    made->type = type;
    made->shape = std::move(shape);
    return made;
  }
};

/// One matrix product, its matrices as they are stored: dense, and swapped when
/// they are read if it says so. Batch dims broadcast.
struct MatmulSpec {
  ElementType operand = ElementType::F32, result = operand;
  Dims lhs, rhs, out;
  bool transposeLhs = false, transposeRhs = false, bias = false;
  Epilogue epilogue = Epilogue::None;
  ElementType rhsOperand = operand;
  bool addend = false, aux = false, derivative = false, scales = false;

  std::unique_ptr<CallT> call() const {
    MatmulT options;
    options.epilogue = epilogue;
    options.derivative = derivative;
    auto made = std::make_unique<CallT>();
    made->options.Set(std::move(options));
    auto add = [&](OperandRole role, ElementType type, Dims shape, Dims strides,
                   bool isWritten = false) {
      auto operand = std::make_unique<CallOperandT>();
      operand->role = role;
      operand->type = type;
      operand->shape = std::move(shape);
      operand->strides = std::move(strides);
      operand->written = isWritten;
      made->operands.push_back(std::move(operand));
    };
    auto row = [](int64_t size) { return Dims{size}; };
    auto [lhsShape, lhsStrides] = read(lhs, transposeLhs);
    auto [rhsShape, rhsStrides] = read(rhs, transposeRhs);
    add(OperandRole::Lhs, operand, lhsShape, lhsStrides);
    add(OperandRole::Rhs, rhsOperand, rhsShape, rhsStrides);
    add(OperandRole::Result, result, out, dense(out), true);
    if (bias)
      add(OperandRole::Bias, result, row(out.back()), {1});
    if (addend)
      add(OperandRole::Addend, result, out, dense(out));
    if (aux || derivative)
      add(OperandRole::Aux, result, out, dense(out), !derivative);
    if (scales) {
      add(OperandRole::LhsScale, ElementType::F32, {}, {});
      add(OperandRole::RhsScale, ElementType::F32, {}, {});
    }
    return made;
  }

private:
  static Dims dense(const Dims &shape) {
    Dims strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;)
      strides[i - 1] = strides[i] * shape[i];
    return strides;
  }
  /// Shape and strides of a stored operand as the product reads it.
  std::pair<Dims, Dims> read(Dims shape, bool isSwapped) const {
    Dims strides = dense(shape);
    size_t rank = shape.size();
    if (isSwapped && rank >= 2) {
      std::swap(shape[rank - 1], shape[rank - 2]);
      std::swap(strides[rank - 1], strides[rank - 2]);
    }
    while (shape.size() < out.size() && rank >= 2) {
      shape.insert(shape.begin(), 1);
      strides.insert(strides.begin(), 0);
    }
    for (size_t i = 0; i + 2 < out.size() && i + 2 < shape.size(); ++i)
      if (shape[i] == 1) {
        shape[i] = out[i];
        strides[i] = 0;
      }
    return {shape, strides};
  }
};

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_HANDMADE_H
