// Labels through the C interface: what a program says of them, and that no run
// begins with one that is outside of the classes.
#include "ProgramTest.h"

#include <cstring>

using namespace mpc;
using namespace mpc::test;

namespace {

constexpr int64_t kBig = int64_t(1) << 40;

/// Entry `forward` that copies its labels: 3 samples of 2 labels of 10 classes,
/// as i32 with -100 for those that do not count; then 3 as i64, of many.
HandMade makeLabelsProgram() {
  HandMade made;
  Arg copy = made.arena(24);
  EntryT &entry = made.entry("forward");
  Arg label = HandMade::input(entry, "label", ElementType::I32, {3, 2});
  HandMade::input(entry, "wide", ElementType::I64, {3});
  entry.inputs[0]->classes = std::make_unique<Classes>(10, -100, true);
  entry.inputs[0]->loss_only = true;
  entry.inputs[1]->classes = std::make_unique<Classes>(kBig, 0, false);
  HandMade::record(entry, RecordKind::Copy, 0, {label, copy}, 24);
  HandMade::output(entry, "copy", ElementType::I32, {3, 2}, copy);
  return made;
}

class LabelsApi : public SessionTest<makeLabelsProgram> {
protected:
  mpc_code run() {
    mpc_input inputs[] = {{label, sizeof(label)}, {wide, sizeof(wide)}};
    return api->session_run(session, 0, inputs, 2, &status);
  }
  /// The label that the last run has copied.
  int32_t copied(int index) {
    const void *data = nullptr;
    uint64_t bytes = 0;
    int32_t values[6] = {};
    EXPECT_EQ(api->session_output(session, 0, 0, &data, &bytes, &status),
              MPC_OK);
    std::memcpy(values, data, sizeof(values));
    return values[index];
  }

  int32_t label[6] = {0, 9, -100, 3, 4, 5};
  int64_t wide[3] = {0, 1, kBig - 1};
};

TEST_F(LabelsApi, TellsOfClasses) {
  MPC_STRUCT(mpc_tensor_info, info);
  ASSERT_EQ(api->program_input(program, 0, 0, &info), MPC_OK);
  EXPECT_EQ(info.classes, 10);
  EXPECT_EQ(info.has_ignored_label, 1u);
  EXPECT_EQ(info.ignored_label, -100);
  EXPECT_EQ(info.loss_only, 1u);
  ASSERT_EQ(api->program_input(program, 0, 1, &info), MPC_OK);
  EXPECT_EQ(info.classes, kBig);
  EXPECT_EQ(info.has_ignored_label, 0u);
  EXPECT_EQ(info.loss_only, 0u);
  ASSERT_EQ(api->program_output(program, 0, 0, &info), MPC_OK);
  EXPECT_EQ(info.classes, 0);
}

TEST_F(LabelsApi, RunsWithLabels) {
  ASSERT_EQ(run(), MPC_OK) << status.message;
  EXPECT_EQ(copied(2), -100);
}

TEST_F(LabelsApi, RefusesOthers) {
  ASSERT_EQ(run(), MPC_OK) << status.message;
  for (int32_t bad : {10, -1, -99, INT32_MAX, INT32_MIN}) {
    label[3] = bad;
    EXPECT_EQ(run(), MPC_INVALID_ARGUMENT);
    EXPECT_STREQ(status.message,
                 ("input 'label': expected a label, index or length in [0, "
                  "10), or -100, which "
                  "does not count, but got " +
                  std::to_string(bad) + " in sample 1, element 1")
                     .c_str());
    EXPECT_EQ(copied(3), 3) << "it ran";
  }
  label[3] = 7;
  wide[2] = kBig;
  EXPECT_EQ(run(), MPC_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message, "input 'wide': expected a label, index or "
                               "length in [0, 1099511627776), but got "
                               "1099511627776 in sample 2");
  wide[2] = 2;
  ASSERT_EQ(run(), MPC_OK) << status.message;
  EXPECT_EQ(copied(3), 7);
}

} // namespace
