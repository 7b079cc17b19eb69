// The semantic checks of a program: shared state of the files that hold them,
// one for each table (VerifyKernels.cpp, VerifyCalls.cpp, ...) and one for
// entries.
#ifndef MPC_LIB_PROGRAM_VERIFIER_H
#define MPC_LIB_PROGRAM_VERIFIER_H

#include "mpc/Program/Operands.h"
#include "mpc/Support/DType.h"

#include <string>
#include <vector>

namespace mpc::program {

/// FlatBuffers does not check that an enum holds one of its values.
template <typename Enum> bool isKnown(Enum value) { return value <= Enum::MAX; }

/// `bytes` at `offset` end within `limit`.
inline bool fits(uint64_t offset, uint64_t bytes, uint64_t limit) {
  return offset <= limit && bytes <= limit - offset;
}

/// A vector of tables that may be absent, as a range.
template <typename Vector> class Range {
public:
  explicit Range(const Vector *vector) : vector(vector) {}
  auto begin() const { return vector ? vector->begin() : Iterator(nullptr, 0); }
  auto end() const { return vector ? vector->end() : Iterator(nullptr, 0); }
  size_t size() const { return vector ? vector->size() : 0; }

private:
  using Iterator = decltype(std::declval<const Vector>().begin());
  const Vector *vector;
};
template <typename Vector> Range<Vector> each(const Vector *vector) {
  return Range<Vector>(vector);
}

/// No block is larger than this; sums of two offsets never overflow.
constexpr uint64_t kMaxBytes = uint64_t(1) << 48;
/// No range of work items is larger; ends of ranges never overflow.
constexpr uint64_t kMaxExtent = uint64_t(1) << 48;

/// All lists of a program in memory as a ProgramFile has it can be read as they
/// lie. To be asked before anything reads them.
Status verifyAlignment(const Program &program);

class Verifier {
public:
  explicit Verifier(const Program &program) : program(program) {}
  Status checkTables() const;
  Status checkEntries() const;

private:
  bool isForGpu() const { return program.target()->string_view() == "cuda"; }
  /// Files of version 1 do not tell the extents of kernels.
  bool statesExtents() const { return program.format_version() >= 2; }

  Status fail(const std::string &what) const;
  Status checkTensor(const std::string &who, ElementType type,
                     const flatbuffers::Vector<int64_t> *shape,
                     uint64_t &bytes) const;
  Status checkState(const State &state) const;
  Status checkInitialiser(const State &state, const std::string &who) const;
  Status checkStates() const;
  Status checkCollectives() const;

  Status checkKernel(const Kernel &kernel) const;
  Status checkKernels() const;
  Status checkCode() const;
  Status checkSection(const CodeSection &section, const std::string &who) const;
  Status checkKernelLaunch(const KernelLaunch &launch,
                           const std::string &who) const;
  Status checkStage(const KernelStage &stage, const std::string &who) const;

  Status checkCall(const Call &call, size_t index) const;
  Status checkTail(const Call &call, const std::string &who) const;
  /// What a call writes lies apart from all else that it uses.
  Status checkApart(const Entry &entry, const Record &record,
                    const std::string &who) const;
  Status checkMultiTensor(const MultiTensor &operation, size_t index) const;

  /// Each probe tells about an output of entry "probe".
  Status checkProbes() const;
  Status checkEntry(const Entry &entry) const;
  Status checkInterface(const Entry &entry) const;
  Status checkClasses(const Tensor &input, const std::string &who) const;
  Status checkStarts(const Entry &entry) const;
  Status checkArgs(const Entry &entry) const;
  Status checkAccumulate() const;
  Status checkRecord(const Entry &entry, const Record &record,
                     const std::string &who) const;
  Status checkLaunch(const Entry &entry, const Record &record,
                     const std::string &who) const;
  Status checkTarget(const Record &record, const std::string &who) const;
  Status checkObserved(const Record &record, const std::string &who) const;
  /// The record has one argument for each operand, and they fit.
  Status checkOperands(const Entry &entry, const Record &record,
                       std::span<const Operand> operands,
                       const std::string &who) const;
  /// What `operand` is lies in the space of `arg`, aligned, and may be written
  /// if it is.
  Status checkArg(const Entry &entry, const Arg &arg, const Operand &operand,
                  const std::string &who) const;

  const Program &program;
};

} // namespace mpc::program

#endif // MPC_LIB_PROGRAM_VERIFIER_H
