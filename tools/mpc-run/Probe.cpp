#include "Probe.h"

#include "Failure.h"

#include "mpc/Program/Names.h"

#include <cstring>

using namespace mpc;
using namespace mpc::run;

Program mpc::run::compileProbe(const Program &program,
                               const Compiler &compiler) {
  if (!program.info().has_source)
    throw badInput("'" + program.path() +
                   "': expected a program with its source, but it was compiled "
                   "with --no-source; compile it again without");
  TemporaryFolder folder; // the program is read whole, so its file may go
  return Program(compiler.compileProbe(program.path(), folder));
}

static DeviceChoice onProcessor(std::optional<uint64_t> threads) {
  DeviceChoice choice;
  choice.threads = threads;
  return choice;
}

Probe::Probe(Program twin, std::optional<uint64_t> threads)
    : program(std::move(twin)), session(program, onProcessor(threads)),
      entry(program.entry(program::kProbeEntry)) {
  readFacts();
  session.init(/*seed=*/0); // states that the other program lacks
}

void Probe::readFacts() {
  for (uint32_t i = 0, count = program.info().num_probes; i < count; ++i) {
    MPC_STRUCT(mpc_probe_info, info);
    if (program.api()->program_probe(program.get(), i, &info) != MPC_OK)
      throw Failure(Exit::Failed, "the program changed while it was read");
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

void Probe::copyStates(const Program &trained, const Session &from,
                       const StateValues &before) {
  for (const StateFacts &state : program.states()) {
    if (state.isDerived)
      continue;
    if (auto kept = before.find(state.name); kept != before.end())
      session.setState(state, kept->second);
    else if (const StateFacts *source = trained.findState(state.name))
      session.setState(state, from.getState(*source));
  }
  session.refresh();
}

std::vector<ObservedValue> Probe::run(const Program &trained,
                                      const Session &from,
                                      const StateValues &before,
                                      const data::Batch &batch) {
  copyStates(trained, from, before);
  return observe(batch);
}

std::vector<ObservedValue> Probe::observe(const data::Batch &batch) {
  session.run(entry, batch);
  std::vector<ObservedValue> values;
  for (const ProbeFacts &facts : table) {
    ObservedValue &value = values.emplace_back(&facts, Observation());
    std::span<const std::byte> row = session.output(entry, facts.output);
    if (row.size() != sizeof(value.seen))
      throw Failure(Exit::Failed,
                    "'" + facts.name +
                        "': expected an observation of this "
                        "version; mpc-run and mpc-compile differ");
    std::memcpy(&value.seen, row.data(), row.size());
  }
  return values;
}
