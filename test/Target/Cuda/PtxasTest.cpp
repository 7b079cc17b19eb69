// What ptxas says, and what is made of it.
#include "Lowering.h"
#include <gtest/gtest.h>

using namespace mpc;

static const char *kLog =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
    "ptxas info    : Function properties for a\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 30 registers, used 1 barriers, 128 bytes smem\n"
    "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
    "ptxas info    : Function properties for b\n"
    "    16 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads\n"
    "ptxas info    : Used 64 registers, used 1 barriers\n"
    "ptxas info    : Compiling entry function 'c' for 'sm_90'\n"
    "ptxas info    : Function properties for c\n"
    "    0 bytes stack frame, 100 bytes spill stores, 100 bytes spill loads\n";

TEST(PtxasTest, ReadsWhichKernelsSpill) {
  EXPECT_EQ(target::spillingKernels(kLog), (SmallVector<StringRef>{"b", "c"}));
  EXPECT_TRUE(target::spillingKernels("").empty());
  EXPECT_TRUE(target::spillingKernels("ptxas info : Function properties for a")
                  .empty());
}

TEST(PtxasTest, AsksForOneBlockOnce) {
  std::string ptx = ".visible .entry a(\n)\n.maxntid 64\n{\n}\n"
                    ".visible .entry ab(\n)\n.maxntid 64\n{\n}\n";
  EXPECT_TRUE(target::relaxRegisters(ptx, "ab"));
  EXPECT_EQ(ptx,
            ".visible .entry a(\n)\n.maxntid 64\n{\n}\n"
            ".visible .entry ab(\n)\n.maxntid 64\n.minnctapersm 1\n{\n}\n");
  EXPECT_FALSE(target::relaxRegisters(ptx, "ab"));
  EXPECT_FALSE(target::relaxRegisters(ptx, "b"));
  EXPECT_TRUE(target::relaxRegisters(ptx, "a"));
}
