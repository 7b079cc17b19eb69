#include "Lowering.h"
#include <gtest/gtest.h>

using namespace mpc;

static const char *kFirst =
    "//\n// Generated\n//\n\n.version 9.0\n.target sm_90\n"
    ".address_size 64\n\n.visible .entry a()\n{\n}\n";
static const char *kSecond = "// Generated\n.version 9.0\n.target sm_90\n"
                             ".address_size 64\n\n.visible .entry b()\n{\n}\n";

TEST(JoinPtxTest, KeepsTheHeadOnce) {
  EXPECT_EQ(target::joinPtx({kFirst, kSecond, kSecond}),
            std::string(kFirst) + "\n.visible .entry b()\n{\n}\n" +
                "\n.visible .entry b()\n{\n}\n");
}

TEST(JoinPtxTest, LeavesOneModuleAsItIs) {
  EXPECT_EQ(target::joinPtx({kFirst}), kFirst);
}
