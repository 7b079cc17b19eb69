// The C++ wrapper where a function of the table fails in the middle: the table
// of libmpcrt with one of its functions exchanged, as no program makes it fail.
#include "mpc-c/Runtime.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <limits>

using namespace mpc::rt;

namespace {

uint32_t failingRecord = std::numeric_limits<uint32_t>::max();
unsigned described = 0;

const mpc_api *realApi(uint32_t version) {
  using Get = const mpc_api *(*)(uint32_t);
  static const auto get =
      reinterpret_cast<Get>(dlsym(RTLD_NEXT, "mpc_get_api"));
  return get(version);
}

mpc_code describeRecord(const mpc_program *program, uint32_t entry,
                        uint32_t index, mpc_record_info *info) {
  if (index == failingRecord)
    return MPC_OUT_OF_MEMORY;
  ++described;
  return realApi(MPC_API_VERSION)->program_record(program, entry, index, info);
}

} // namespace

/// Taken by the wrapper in the place of the library's.
extern "C" const mpc_api *mpc_get_api(uint32_t version) {
  static mpc_api table = *realApi(version);
  table.program_record = describeRecord;
  return &table;
}

// A list that ends early would be read by the indices of the whole one.
TEST(FaultsApi, RecordsAreAllOrNone) {
  auto program = Program::load(MPC_TEST_LINE_PROGRAM, {true});
  ASSERT_TRUE(program) << program.message();
  auto step = program->entry("step");
  ASSERT_TRUE(step) << step.message();
  ASSERT_GE(step->numRecords, 2u);
  auto all = program->records(step->index);
  ASSERT_TRUE(all) << all.message();
  EXPECT_EQ(all->size(), step->numRecords);
  for (uint32_t index : {0u, 1u, step->numRecords - 1}) {
    failingRecord = index;
    described = 0;
    auto records = program->records(step->index);
    EXPECT_EQ(records.code(), MPC_OUT_OF_MEMORY);
    EXPECT_EQ(described, index) << "none is asked for after the failure";
    EXPECT_NE(records.message().find(std::string(MPC_TEST_LINE_PROGRAM) +
                                     "': records of entry " +
                                     std::to_string(step->index)),
              std::string::npos)
        << records.message();
  }
  // Those of another entry are there: init has fewer.
  auto init = program->entry("init");
  ASSERT_TRUE(init) << init.message();
  failingRecord = init->numRecords;
  EXPECT_TRUE(program->records(init->index));
}
