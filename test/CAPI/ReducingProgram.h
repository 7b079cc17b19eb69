// A program that asks other ranks, for tests of what an application hands in.
#ifndef MPC_TEST_CAPI_REDUCINGPROGRAM_H
#define MPC_TEST_CAPI_REDUCINGPROGRAM_H

#include "../Runtime/HandMade.h"
#include "mpc-c/Runtime.hpp"

namespace mpc::test {

/// "step" writes its input to the parameter between two questions to the peer.
inline rt::Program makeReducingProgram() {
  HandMade made;
  auto collective = std::make_unique<program::CollectiveT>();
  collective->type = ElementType::F32;
  collective->counts = {1};
  made.program.collectives.push_back(std::move(collective));
  Arg w = made.state("w", ElementType::F32, {1});
  Arg unused = made.arena(4);
  auto &step = made.entry("step");
  Arg x = HandMade::input(step, "x", ElementType::F32, {1});
  HandMade::record(step, RecordKind::AllReduce, 0, {x, unused});
  HandMade::record(step, RecordKind::Copy, 0, {x, w}, 4);
  HandMade::record(step, RecordKind::AllReduce, 0, {x, unused});
  std::vector<uint8_t> bytes = *program::serialize(made.program);
  return *rt::Program::loadMemory(bytes.data(), bytes.size());
}

} // namespace mpc::test

#endif // MPC_TEST_CAPI_REDUCINGPROGRAM_H
