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

/// One matrix product, as a verified record.
struct MatmulSpec {
  ElementType operand, result;
  Dims lhs, rhs, out;
  bool transposeLhs = false, transposeRhs = false, bias = false;
  Epilogue epilogue = Epilogue::None;

  std::unique_ptr<MatmulT> record() const {
    auto made = std::make_unique<MatmulT>();
    made->lhs_type = made->rhs_type = operand;
    made->result_type = result;
    made->lhs_shape = lhs;
    made->rhs_shape = rhs;
    made->result_shape = out;
    made->transpose_lhs = transposeLhs;
    made->transpose_rhs = transposeRhs;
    made->has_bias = bias;
    made->epilogue = epilogue;
    return made;
  }
};

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_HANDMADE_H
