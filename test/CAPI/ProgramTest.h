// Tests of the function table on a program that is made by hand.
#ifndef MPC_TEST_CAPI_PROGRAMTEST_H
#define MPC_TEST_CAPI_PROGRAMTEST_H

#include "../Runtime/HandMade.h"
#include "mpc-c/Runtime.h"

#include <gtest/gtest.h>

namespace mpc::test {

/// The program that `make` makes, loaded.
template <HandMade (*make)()> class ProgramTest : public testing::Test {
protected:
  void SetUp() override {
    HandMade made = make();
    auto bytes = program::serialize(made.program);
    ASSERT_TRUE(bytes) << bytes.status().message();
    MPC_STRUCT(mpc_load_options, load);
    ASSERT_EQ(api->program_load_memory(bytes->data(), bytes->size(), &load,
                                       &program, &status),
              MPC_OK)
        << status.message;
  }
  void TearDown() override { api->program_release(program); }

  const mpc_api *api = mpc_get_api(MPC_API_VERSION);
  mpc_program *program = nullptr;
  mpc_status status = {};
};

/// And a session of it, of one thread, with first values.
template <HandMade (*make)()> class SessionTest : public ProgramTest<make> {
protected:
  void SetUp() override {
    ProgramTest<make>::SetUp();
    if (this->HasFatalFailure())
      return;
    MPC_STRUCT(mpc_session_options, options);
    options.threads = 1;
    ASSERT_EQ(this->api->session_create(this->program, &options, &session,
                                        &this->status),
              MPC_OK)
        << this->status.message;
    ASSERT_EQ(this->api->session_init(session, 0, &this->status), MPC_OK)
        << this->status.message;
  }
  void TearDown() override {
    this->api->session_destroy(session);
    ProgramTest<make>::TearDown();
  }

  mpc_session *session = nullptr;
};

} // namespace mpc::test

#endif // MPC_TEST_CAPI_PROGRAMTEST_H
