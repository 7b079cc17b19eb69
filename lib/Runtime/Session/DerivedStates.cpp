#include "DerivedStates.h"
#include "mpc/Program/Names.h"
#include "mpc/Program/Operands.h"

using namespace mpc;
using namespace mpc::program;

namespace {
/// Marks the states that arguments lie in.
class Marker {
public:
  explicit Marker(const Program &program) : states(program.states()) {
    marks.resize(states ? states->size() : 0);
  }
  void mark(const Arg &arg) {
    for (uint32_t i = 0; i < marks.size(); ++i) {
      const State &state = *states->Get(i);
      if (arg.space() == Space::State && arg.offset() >= state.offset() &&
          arg.offset() - state.offset() < state.bytes())
        marks[i] = true;
    }
  }
  std::vector<bool> take() { return std::move(marks); }

private:
  const flatbuffers::Vector<flatbuffers::Offset<State>> *states;
  std::vector<bool> marks;
};
} // namespace

std::vector<bool>
runtime::findDerivationSources(const program::Program &program) {
  Marker marker(program);
  const auto *entries = program.entries();
  for (uint32_t i = 0; entries && i < entries->size(); ++i) {
    const Entry &entry = *entries->Get(i);
    if (entry.name()->string_view() != program::kInitEntry || !entry.records())
      continue;
    for (const Record *record : *entry.records()) {
      // Files of version 1 do not tell what a kernel writes: it reads all then.
      std::vector<Operand> operands = getOperands(program, *record);
      for (uint32_t k = 0; k < record->num_args(); ++k)
        if (k >= operands.size() || !operands[k].written)
          marker.mark(*entry.args()->Get(record->first_arg() + k));
    }
  }
  return marker.take();
}
