// Programs for diagnosis through the C interface: what is told of each probe,
// and the row that a run leaves.
#include "ProgramTest.h"
#include "mpc/Support/Observation.h"

#include <cmath>
#include <cstring>
#include <memory>

using namespace mpc;
using namespace mpc::test;

namespace {

/// Entry `probe` that observes its input of 5 f16 elements.
HandMade makeProbeProgram() {
  HandMade made;
  Arg row = made.arena(sizeof(Observation));
  EntryT &entry = made.entry("probe");
  Arg x = HandMade::input(entry, "x", ElementType::F16, {5});
  auto type = static_cast<uint32_t>(ElementType::F16);
  HandMade::record(entry, RecordKind::Observe, type, {x, row}, 5);
  HandMade::output(entry, "x", ElementType::F64,
                   {static_cast<int64_t>(kObservedNumbers)}, row);
  auto probe = std::make_unique<ProbeT>();
  probe->what = "input";
  probe->location = "m.mlir:1:2";
  probe->type = ElementType::F16;
  probe->shape = {5};
  probe->sink = true;
  made.program.probes.push_back(std::move(probe));
  made.program.source = std::make_unique<SourceT>();
  made.program.source->model = "module {}";
  return made;
}

using ProbeApi = ProgramTest<makeProbeProgram>;

TEST_F(ProbeApi, TellsOfEachProbe) {
  MPC_STRUCT(mpc_program_info, info);
  ASSERT_EQ(api->program_info(program, &info), MPC_OK);
  EXPECT_EQ(info.num_probes, 1u);
  EXPECT_EQ(info.has_source, 1u);
  MPC_STRUCT(mpc_probe_info, probe);
  ASSERT_EQ(api->program_probe(program, 0, &probe), MPC_OK);
  EXPECT_EQ(probe.output, 0u);
  EXPECT_STREQ(probe.what, "input");
  EXPECT_STREQ(probe.location, "m.mlir:1:2");
  EXPECT_EQ(probe.type, MPC_F16);
  ASSERT_EQ(probe.rank, 1u);
  EXPECT_EQ(probe.shape[0], 5);
  EXPECT_EQ(probe.num_reads, 0u);
  EXPECT_EQ(probe.backward, 0u);
  EXPECT_EQ(probe.sink, 1u);
  EXPECT_EQ(api->program_probe(program, 1, &probe), MPC_NOT_FOUND);
  EXPECT_EQ(api->program_probe(program, 0, nullptr), MPC_INVALID_ARGUMENT);
}

TEST_F(ProbeApi, RunsLeaveARow) {
  MPC_STRUCT(mpc_session_options, options);
  options.threads = 1;
  mpc_session *session = nullptr;
  mpc_status status = {};
  ASSERT_EQ(api->session_create(program, &options, &session, &status), MPC_OK)
      << status.message;
  ASSERT_EQ(api->session_init(session, 0, &status), MPC_OK) << status.message;
  uint16_t x[5] = {0x3c00, 0x7c00, 0xfe00, 0x0000, 0xc400}; // 1 inf NaN 0 -4
  mpc_input input = {x, sizeof(x)};
  ASSERT_EQ(api->session_run(session, 0, &input, 1, &status), MPC_OK)
      << status.message;
  const void *data = nullptr;
  uint64_t bytes = 0;
  ASSERT_EQ(api->session_output(session, 0, 0, &data, &bytes, &status), MPC_OK);
  Observation seen;
  ASSERT_EQ(bytes, sizeof(seen));
  std::memcpy(&seen, data, bytes);
  EXPECT_EQ(seen.elements, 5);
  EXPECT_EQ(seen.infinite, 1);
  EXPECT_EQ(seen.nan, 1);
  EXPECT_EQ(seen.zeros, 1);
  EXPECT_EQ(seen.largest, 4);
  EXPECT_EQ(seen.smallest, 1);
  EXPECT_EQ(seen.exponents[0 - kLowestExponent], 1); // 1
  EXPECT_EQ(seen.exponents[2 - kLowestExponent], 1); // 4
  api->session_destroy(session);
}

} // namespace
