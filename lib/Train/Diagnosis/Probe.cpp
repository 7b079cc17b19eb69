#include "Probe.h"

#include "../Failure.h"

#include "mpc/Program/Names.h"

#include <cstring>

using namespace mpc;
using namespace mpc::train;

rt::Program mpc::train::compileProbe(const rt::Program &program,
                                     ProgramFile file,
                                     const Compiler &compiler) {
  if (!program.info().has_source)
    throw badInput("'" + program.path() +
                   "': expected a program with its source, but it was compiled "
                   "with --no-source; compile it again without");
  TemporaryFolder folder; // the program is read whole, so its file may go
  file.path = compiler.compileProbe(program.path(), folder);
  return loadProgram(file);
}

static DeviceOptions onProcessor(std::optional<uint64_t> threads) {
  DeviceOptions choice;
  choice.threads = threads;
  return choice;
}

Probe::Probe(rt::Program twin, std::optional<uint64_t> threads)
    : program(std::move(twin)),
      session(openSession(program, onProcessor(threads))),
      entry(requireEntry(program, program::kProbeEntry)) {
  readFacts();
  require(session.init(/*seed=*/0)); // states that the other program lacks
}

void Probe::readFacts() {
  for (uint32_t i = 0, count = program.info().num_probes; i < count; ++i) {
    MPC_STRUCT(mpc_probe_info, info);
    if (rt::api().program_probe(program.get(), i, &info) != MPC_OK)
      throw Failure(Fault::System, "the program changed while it was read");
    table.push_back({info.output,
                     entry.outputs[info.output].name,
                     info.what,
                     info.location,
                     static_cast<DType>(info.type),
                     {info.shape, info.shape + info.rank},
                     {info.reads, info.reads + info.num_reads},
                     info.backward != 0,
                     info.sink != 0});
  }
}

void Probe::copyStates(const rt::Program &trained, const rt::Session &from,
                       const StateValues &before) {
  for (const mpc_state_info &state : program.states()) {
    if (state.init == MPC_INIT_DERIVED)
      continue;
    if (auto kept = before.find(std::string_view(state.name));
        kept != before.end())
      setState(session, state, kept->second);
    else if (auto source = trained.findState(state.name))
      setState(session, state, getState(from, *source));
  }
  require(session.refresh());
}

std::vector<ObservedValue> Probe::run(const rt::Program &trained,
                                      const rt::Session &from,
                                      const StateValues &before,
                                      const data::Batch &batch) {
  copyStates(trained, from, before);
  return observe(batch);
}

std::vector<ObservedValue> Probe::observe(const data::Batch &batch) {
  runBatch(session, entry, batch);
  std::vector<ObservedValue> values;
  for (const ProbeFacts &facts : table) {
    ObservedValue &value = values.emplace_back(&facts, Observation());
    std::span<const std::byte> row = readOutput(session, entry, facts.output);
    if (row.size() != sizeof(value.seen))
      throw Failure(Fault::System,
                    "'" + facts.name +
                        "': expected an observation of this "
                        "version; mpc-run and mpc-compile differ");
    std::memcpy(&value.seen, row.data(), row.size());
  }
  return values;
}
