// Variables as launchers set them. Values are of torchrun 2.15 (two processes
// of --standalone), srun's manual page, Open MPI 4.1 and MPICH 4.0.
#include "mpc/Ranks/Launch.h"

#include <gtest/gtest.h>
#include <map>

using namespace mpc;
using namespace mpc::ranks;

namespace {
using Environment = std::map<std::string, std::string>;

Result<Launch> read(const Environment &environment) {
  return readLaunch([&](const std::string &name) -> std::optional<std::string> {
    auto found = environment.find(name);
    return found == environment.end() ? std::nullopt
                                      : std::optional(found->second);
  });
}

const Environment kTorchrun = {{"RANK", "3"},
                               {"WORLD_SIZE", "4"},
                               {"LOCAL_RANK", "1"},
                               {"LOCAL_WORLD_SIZE", "2"},
                               {"MASTER_ADDR", "localhost"},
                               {"MASTER_PORT", "40183"},
                               {"TORCHELASTIC_RUN_ID", "45d8d6e1"},
                               {"TORCHELASTIC_RESTART_COUNT", "2"}};

const Environment kSlurm = {{"SLURM_PROCID", "5"},
                            {"SLURM_STEP_NUM_TASKS", "8"},
                            {"SLURM_NTASKS", "16"},
                            {"SLURM_LOCALID", "1"},
                            {"SLURM_STEP_TASKS_PER_NODE", "4(x2)"},
                            {"SLURM_STEP_NODELIST", "gpu[03-04]"},
                            {"SLURM_JOB_ID", "4711042"},
                            {"SLURM_STEP_ID", "0"}};

const Environment kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "1"},
                              {"OMPI_COMM_WORLD_SIZE", "2"},
                              {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                              {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                              {"PMIX_RANK", "1"},
                              {"PMIX_NAMESPACE", "3141599233"}};

const Environment kMpich = {{"PMI_RANK", "0"},        {"PMI_SIZE", "3"},
                            {"PMI_FD", "7"},          {"PMI_ID", "0"},
                            {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "3"}};

Environment with(Environment environment, const std::string &name,
                 const std::string &value) {
  environment[name] = value;
  return environment;
}
Environment without(Environment environment, const std::string &name) {
  environment.erase(name);
  return environment;
}

std::string refusalOf(const Environment &environment) {
  Result<Launch> launch = read(environment);
  if (launch)
    return launch->text();
  EXPECT_EQ(launch.status().code(), StatusCode::InvalidArgument);
  return launch.status().message();
}
} // namespace

TEST(Launch, Nobody) {
  Result<Launch> launch = read({{"HOME", "/"}});
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->text(),
            "rank 0 of 1 (0 of 1 on this machine), by no launcher");
}

TEST(Launch, Torchrun) {
  Result<Launch> launch = read(kTorchrun);
  ASSERT_TRUE(launch) << launch.status().message();
  EXPECT_EQ(launch->text(),
            "rank 3 of 4 (1 of 2 on this machine), by torchrun");
  EXPECT_EQ(launch->address, "localhost");
  EXPECT_EQ(launch->port, 40183);
  EXPECT_EQ(launch->run, "45d8d6e1/2/");
}

/// Its agent serves a store of its own at the port, unless it is told not to.
TEST(Launch, PortBehindTheAgents) {
  Result<Launch> launch =
      read(with(kTorchrun, "TORCHELASTIC_USE_AGENT_STORE", "True"));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->port, 40184);
}

/// A restart by torchrun has the same name and port.
TEST(Launch, RestartsAreOtherRuns) {
  Result<Launch> first = read(kTorchrun),
                 again =
                     read(with(kTorchrun, "TORCHELASTIC_RESTART_COUNT", "3"));
  ASSERT_TRUE(first && again);
  EXPECT_NE(first->run, again->run);
}

TEST(Launch, StepOfSlurm) {
  Result<Launch> launch = read(kSlurm);
  ASSERT_TRUE(launch) << launch.status().message();
  EXPECT_EQ(launch->text(), "rank 5 of 8 (1 of 4 on this machine), by SLURM");
  EXPECT_EQ(launch->address, "gpu03");
  EXPECT_EQ(launch->port, 15000 + 1042);
  for (auto [list, first] : {std::pair("gpu[03,07-09],big1", "gpu03"),
                             {"big1,gpu[1-2]", "big1"},
                             {"n1", "n1"},
                             {"n[7]", "n7"}}) {
    launch = read(with(kSlurm, "SLURM_STEP_NODELIST", list));
    ASSERT_TRUE(launch);
    EXPECT_EQ(launch->address, first) << list;
  }
  launch = read(
      with(with(kSlurm, "MASTER_ADDR", "10.0.0.7"), "MASTER_PORT", "29500"));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->address, "10.0.0.7");
  EXPECT_EQ(launch->port, 29500);
}

/// It is one process, whatever the job has reserved.
TEST(Launch, BatchScriptOfSlurm) {
  Result<Launch> launch = read({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "16"}});
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->launcher, Launcher::None);
  EXPECT_EQ(launch->size, 1u);
}

/// A task of a step that would take itself for one process.
TEST(Launch, HalfAStepOfSlurm) {
  for (const Environment &each : {Environment{{"SLURM_PROCID", "1"},
                                              {"SLURM_NTASKS", "2"},
                                              {"SLURM_STEP_ID", "0"}},
                                  Environment{{"SLURM_PROCID", "0"},
                                              {"SLURM_NTASKS", "2"},
                                              {"SLURM_STEP_ID", "0"}},
                                  Environment{{"SLURM_PROCID", "x\n"}}}) {
    std::string refusal = refusalOf(each);
    EXPECT_EQ(refusal.find("expected variable SLURM_STEP_NUM_TASKS beside "
                           "SLURM_PROCID, which is '"),
              0u)
        << refusal;
    EXPECT_EQ(refusal.find('\n'), std::string::npos);
    Environment alone = {{"RANK", "0"}, {"WORLD_SIZE", "1"}};
    alone.insert(each.begin(), each.end());
    EXPECT_EQ(read(alone)->size, 1u);
  }
  EXPECT_EQ(read({{"SLURM_PROCID", "0"},
                  {"SLURM_NTASKS", "1"},
                  {"SLURM_STEP_ID", "0"}})
                ->size,
            1u);
}

TEST(Launch, OpenMpi) {
  EXPECT_EQ(refusalOf(kOpenMpi),
            "rank 1 of 2 (1 of 2 on this machine), by Open MPI");
}

/// mpirun says where rank 0 is on no machine; on this one it need not.
TEST(Launch, OpenMpiOnOneMachineMeetsHere) {
  Result<Launch> first = read(kOpenMpi),
                 second = read(with(with(kOpenMpi, "OMPI_COMM_WORLD_RANK", "0"),
                                    "OMPI_COMM_WORLD_LOCAL_RANK", "0")),
                 other = read(with(kOpenMpi, "PMIX_NAMESPACE", "3141665281")),
                 far = read(with(kOpenMpi, "OMPI_COMM_WORLD_SIZE", "4")),
                 told = read(with(with(kOpenMpi, "MASTER_ADDR", "10.0.0.7"),
                                  "MASTER_PORT", "29500"));
  ASSERT_TRUE(first && second && other && far && told);
  EXPECT_EQ(first->address, "127.0.0.1");
  EXPECT_GE(first->port, 15000);
  EXPECT_LT(first->port, 25000);
  EXPECT_EQ(first->port, second->port);
  EXPECT_NE(first->port, other->port);
  EXPECT_EQ(far->address, "");
  EXPECT_EQ(far->port, 0);
  EXPECT_EQ(told->address, "10.0.0.7");
  EXPECT_EQ(told->port, 29500);
}

/// MPI begins in a process that its launcher, or SLURM in its stead, started.
TEST(Launch, EngineByLauncher) {
  EXPECT_EQ(read(kTorchrun)->engine(), "gloo");
  EXPECT_EQ(read(kOpenMpi)->engine(), "mpi");
  EXPECT_EQ(read(kMpich)->engine(), "mpi");
  EXPECT_EQ(read(kSlurm)->engine(), "gloo");
  EXPECT_EQ(read(with(kSlurm, "PMIX_RANK", "5"))->engine(), "mpi");
  EXPECT_EQ(read(with(kSlurm, "PMI_RANK", "5"))->engine(), "mpi");
  EXPECT_EQ(read({})->engine(), "gloo");
}

TEST(Launch, Mpich) {
  EXPECT_EQ(refusalOf(kMpich), "rank 0 of 3 (0 of 3 on this machine), by PMI");
}

/// Hydra's PMI_ID is the number of the rank: no name of a run.
TEST(Launch, RanksOfMpichAreOfOneRun) {
  Result<Launch> first = read(kMpich),
                 second =
                     read(with(with(kMpich, "PMI_RANK", "1"), "PMI_ID", "1"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->run, second->run);
}

/// torchrun inside of a step, mpirun inside of a step.
TEST(Launch, TheInnermostWins) {
  Environment all = kTorchrun;
  all.insert(kSlurm.begin(), kSlurm.end());
  all.insert(kOpenMpi.begin(), kOpenMpi.end());
  Result<Launch> launch = read(all);
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->launcher, Launcher::Torchrun);
  Environment step = kSlurm;
  step.insert(kOpenMpi.begin(), kOpenMpi.end());
  launch = read(step);
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->launcher, Launcher::OpenMpi);
}

TEST(Launch, RanksOfOurLauncherAreToldApart) {
  Result<Launch> launch = read(with(kTorchrun, "MPC_RANKS_LAUNCHER", "3"));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->launcher, Launcher::Local);
  EXPECT_EQ(launch->text(),
            "rank 3 of 4 (1 of 2 on this machine), by mpc-run --ranks");
  EXPECT_EQ(launch->engine(), "gloo");
}

TEST(Launch, AddressesMayHaveTheBracketsOfUrls) {
  Result<Launch> launch = read(with(kTorchrun, "MASTER_ADDR", "[fd00::1]"));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->address, "fd00::1");
}

TEST(Launch, AloneNeedsNoAddress) {
  EXPECT_EQ(refusalOf({{"RANK", "0"}, {"WORLD_SIZE", "1"}}),
            "rank 0 of 1 (0 of 1 on this machine), by torchrun");
}

TEST(Launch, Refusals) {
  const std::pair<Environment, std::string> cases[] = {
      {with(kTorchrun, "WORLD_SIZE", "0"),
       "expected WORLD_SIZE to be 1 or more, but got 0 (torchrun)"},
      {with(kTorchrun, "WORLD_SIZE", "two"),
       "expected WORLD_SIZE to be a number of ranks, but got 'two' (torchrun)"},
      {with(kTorchrun, "RANK", "-1"),
       "expected RANK to be a number of ranks, but got '-1' (torchrun)"},
      {with(kTorchrun, "RANK", "4"),
       "expected RANK below WORLD_SIZE=4, but got 4 (torchrun)"},
      {without(kTorchrun, "RANK"), "expected variable RANK beside the others, "
                                   "but it is not set (torchrun)"},
      {without(kTorchrun, "WORLD_SIZE"),
       "expected variable WORLD_SIZE beside the others, but it is not set "
       "(torchrun)"},
      {without(kTorchrun, "LOCAL_WORLD_SIZE"),
       "expected variable LOCAL_WORLD_SIZE beside the others, but it is not "
       "set (torchrun)"},
      {with(kTorchrun, "LOCAL_WORLD_SIZE", "5"),
       "expected LOCAL_WORLD_SIZE of at most WORLD_SIZE=4, but got 5 "
       "(torchrun)"},
      {with(kTorchrun, "LOCAL_RANK", "2"),
       "expected LOCAL_RANK below LOCAL_WORLD_SIZE=2, but got 2 (torchrun)"},
      {without(kTorchrun, "MASTER_ADDR"),
       "expected MASTER_ADDR and MASTER_PORT, where rank 0 can be reached, but "
       "MASTER_ADDR is not set (torchrun)"},
      {without(kTorchrun, "MASTER_PORT"),
       "expected MASTER_ADDR and MASTER_PORT, where rank 0 can be reached, but "
       "MASTER_PORT is not set (torchrun)"},
      {with(kTorchrun, "MASTER_PORT", "65536"),
       "expected MASTER_PORT to be a port from 1 to 65535, but got '65536' "
       "(torchrun)"},
      {with(kTorchrun, "MASTER_PORT", "0"),
       "expected MASTER_PORT to be a port from 1 to 65535, but got '0' "
       "(torchrun)"},
      {with(kOpenMpi, "OMPI_COMM_WORLD_RANK", "2"),
       "expected OMPI_COMM_WORLD_RANK below OMPI_COMM_WORLD_SIZE=2, but got 2 "
       "(Open MPI)"},
      {without(kMpich, "PMI_SIZE"),
       "expected variable PMI_SIZE beside the others, but it is not set (PMI)"},
      {without(kSlurm, "SLURM_PROCID"),
       "expected variable SLURM_PROCID beside the others, but it is not set "
       "(SLURM)"}};
  for (const auto &[environment, message] : cases)
    EXPECT_EQ(refusalOf(environment), message);
}

/// Names are those of mpirun_rsh, jsrun, flux-environment(7), and mpiexec of
/// PALS. Of one process there is nothing to say; what is told beside them wins.
TEST(Launch, RanksOfOtherLaunchersAreNotAlone) {
  struct Case {
    const char *name;
    Environment environment;
    const char *says;
  };
  const Case cases[] = {
      {"MVAPICH2",
       {{"MV2_COMM_WORLD_RANK", "1"}, {"MV2_COMM_WORLD_SIZE", "4"}},
       "this is rank 1 of 4 by MVAPICH2, of which they are not set; give each "
       "rank RANK (of MV2_COMM_WORLD_RANK), WORLD_SIZE (of "
       "MV2_COMM_WORLD_SIZE), LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and "
       "MASTER_PORT, or RANK=0 and WORLD_SIZE=1 to be alone"},
      {"JSM",
       {{"JSM_NAMESPACE_RANK", "0"}, {"JSM_NAMESPACE_SIZE", "6"}},
       "this is rank 0 of 6 by JSM"},
      {"Flux",
       {{"FLUX_TASK_RANK", "7"}, {"FLUX_JOB_SIZE", "8"}},
       "this is rank 7 of 8 by Flux"},
      {"Flux", {{"FLUX_JOB_SIZE", "8"}}, "this is rank ? of 8 by Flux"},
      {"Flux", {{"FLUX_TASK_RANK", "7"}}, "this is rank 7 by Flux"},
      {"PALS", {{"PALS_RANKID", "0"}}, "this is rank 0 by PALS"},
      {"PMIx", {{"PMIX_RANK", "3"}}, "this is rank 3 by PMIx"}};
  for (const Case &each : cases) {
    std::string refusal = refusalOf(each.environment);
    EXPECT_EQ(refusal.find("expected variables of torchrun, Open MPI, SLURM or "
                           "PMI, but "),
              0u)
        << refusal;
    EXPECT_NE(refusal.find(each.says), std::string::npos) << refusal;
    Environment told = kTorchrun;
    told.insert(each.environment.begin(), each.environment.end());
    EXPECT_EQ(read(told)->launcher, Launcher::Torchrun) << each.name;
    told = {{"RANK", "0"}, {"WORLD_SIZE", "1"}};
    told.insert(each.environment.begin(), each.environment.end());
    EXPECT_EQ(read(told)->size, 1u) << each.name;
  }
  for (const char *size :
       {"MV2_COMM_WORLD_SIZE", "JSM_NAMESPACE_SIZE", "FLUX_JOB_SIZE"})
    EXPECT_EQ(read({{size, "1"}})->launcher, Launcher::None) << size;
}

TEST(Launch, OfAnApplication) {
  Launch launch;
  launch.launcher = Launcher::Application;
  EXPECT_TRUE(check(launch).ok());
  EXPECT_EQ(launch.text(),
            "rank 0 of 1 (0 of 1 on this machine), by the application");
  launch.size = 0;
  EXPECT_EQ(check(launch).message(),
            "expected a size of 1 rank or more, but got 0");
  launch.size = launch.rank = 4;
  EXPECT_EQ(check(launch).message(),
            "expected a rank below the size, 4, but got 4");
  launch.rank = 3;
  launch.localRank = launch.localSize = 2;
  EXPECT_EQ(check(launch).message(),
            "expected a local rank below the local size, 2, but got 2");
}
