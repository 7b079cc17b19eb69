// Groups of ranks that the application hands in.
#include "../Data/TemporaryFolder.h"
#include "ReducingProgram.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace mpc::rt;
using mpc::test::makeReducingProgram;

/// A group of the application that works beside the session: a step that fails
/// says so by its code.
TEST(RanksApi, AGroupThatWorksBesideTheSession) {
  struct Peer {
    std::vector<mpc_reduced> tensors;
    mpc_code answer = MPC_OK;
    std::string reason;
    static mpc_code failure(void *self, mpc_status *status) {
      const std::string &reason = static_cast<Peer *>(self)->reason;
      std::strncpy(status->message, reason.c_str(), sizeof status->message);
      return MPC_OK; // which is not heeded
    }
    static mpc_code start(void *self, const mpc_bucket *bucket,
                          uint64_t *ticket) {
      EXPECT_EQ(bucket->struct_size, sizeof(mpc_bucket));
      EXPECT_EQ(bucket->type, MPC_F32);
      EXPECT_EQ(bucket->kind, MPC_SUM);
      EXPECT_EQ(bucket->num_tensors, 1u);
      auto &tensors = static_cast<Peer *>(self)->tensors;
      tensors.push_back(bucket->tensors[0]);
      EXPECT_EQ(bucket->name, tensors.size() % 2
                                  ? std::string("bucket 1 of 2 of entry "
                                                "'step' (1 tensor), record 0")
                                  : std::string("bucket 2 of 2 of entry "
                                                "'step' (1 tensor), record 2"));
      *ticket = tensors.size();
      return MPC_OK;
    }
    static mpc_code finish(void *self, uint64_t ticket) {
      auto &peer = *static_cast<Peer *>(self);
      EXPECT_EQ(ticket, peer.tensors.size());
      const mpc_reduced &tensor = peer.tensors[ticket - 1];
      EXPECT_EQ(tensor.count, 1u);
      EXPECT_EQ(*static_cast<const float *>(tensor.source), 3);
      return peer.answer;
    }
  } peer;
  MPC_STRUCT(mpc_rank_group, group);
  group.context = &peer;
  group.rank = 1;
  group.size = 2;
  SessionOptions options;
  options.ranks = &group;
  EXPECT_EQ(Session::create(makeReducingProgram(), options).message(),
            "expected a group with start, finish and a rank below its size, "
            "but got rank 1 of 2");
  group.start = Peer::start;
  group.finish = Peer::finish;
  group.failure = Peer::failure;
  mpc_communicator communicator = {};
  communicator.size = 2;
  communicator.all_reduce = [](auto...) { return MPC_OK; };
  options.communicator = &communicator;
  EXPECT_EQ(Session::create(makeReducingProgram(), options).message(),
            "expected a communicator or a group of ranks, but got both");
  options.communicator = nullptr;
  auto made = Session::create(makeReducingProgram(), options);
  ASSERT_TRUE(made) << made.message();
  Session &session = *made;
  ASSERT_TRUE(session.init(1));
  float x = 3;
  ASSERT_TRUE(session.run("step", {{&x, 4}}));
  EXPECT_EQ(peer.tensors.size(), 2u);
  peer.answer = MPC_COLLECTIVE_TIMED_OUT;
  Status late = session.run("step", {{&x, 4}});
  EXPECT_EQ(late.code(), MPC_COLLECTIVE_TIMED_OUT);
  EXPECT_CONTAINS(late.message(), "rank 1 of 2: all-reduce (sum) of 1 tensor, "
                                  "4 bytes of f32: finish of the group of "
                                  "ranks answered");
  EXPECT_TRUE(late.message().ends_with("timed out")) << late.message();
  peer.tensors.clear();
  peer.reason = "rank 0 sleeps";
  late = session.run("step", {{&x, 4}});
  EXPECT_TRUE(late.message().ends_with("timed out: rank 0 sleeps"))
      << late.message();
  // One that does not say, as groups of older headers do not.
  peer.tensors.clear();
  group.failure = nullptr;
  made = Session::create(makeReducingProgram(), options);
  ASSERT_TRUE(made) << made.message();
  ASSERT_TRUE(made->init(1));
  EXPECT_TRUE(made->run("step", {{&x, 4}}).message().ends_with("timed out"));
}
