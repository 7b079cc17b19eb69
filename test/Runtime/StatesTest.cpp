// States: how they begin, what sets them, and the copies made of them.
#include "LineProgram.h"
#include "OpenSession.h"
#include "mpc/Runtime/Random.h"
#include "mpc/Runtime/Session.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using runtime::Session;
using runtime::TensorView;

TEST(States, InitializersAndInitEntry) {
  HandMade made = makeLineProgram();
  made.state("half", ElementType::F16, {2000}, Init(InitKind::Uniform, -1, 3));
  made.state("count", ElementType::I32, {3}, Init(InitKind::Fill, 7, 0));
  made.state("flag", ElementType::I1, {2}, Init(InitKind::Fill, 1, 0));
  made.state("wide", ElementType::F64, {4000}, Init(InitKind::Normal, 5, 2));
  auto session = open(made);
  ASSERT_TRUE(session->initialize(1).ok());
  EXPECT_EQ(getState<float>(*session, "w", {1, 1}, DType::F32),
            getState<float>(*session, "w.copy", {1, 1}, DType::F32));
  EXPECT_EQ(getState<int32_t>(*session, "count", {3}, DType::I32),
            (std::vector<int32_t>{7, 7, 7}));
  EXPECT_EQ(getState<uint8_t>(*session, "flag", {2}, DType::I1),
            (std::vector<uint8_t>{1, 1}));
  double sum = 0;
  for (uint16_t bits :
       getState<uint16_t>(*session, "half", {2000}, DType::F16)) {
    EXPECT_GE(halfToFloat(bits), -1);
    EXPECT_LT(halfToFloat(bits), 3);
    sum += halfToFloat(bits);
  }
  EXPECT_NEAR(sum / 2000, 1, 0.15);
  sum = 0;
  for (double value : getState<double>(*session, "wide", {4000}, DType::F64))
    sum += value;
  EXPECT_NEAR(sum / 4000, 5, 0.2);
}

TEST(States, SeedsAreReproducible) {
  HandMade made = makeLineProgram();
  auto first = open(made), second = open(made, 3);
  ASSERT_TRUE(first->initialize(1).ok());
  ASSERT_TRUE(second->initialize(1).ok());
  auto w = [](Session &session) {
    return getState<float>(session, "w", {1, 1}, DType::F32);
  };
  EXPECT_EQ(w(*first), w(*second));
  ASSERT_TRUE(second->initialize(2).ok());
  EXPECT_NE(w(*first), w(*second));
}

/// Several pieces, and the ends of pieces where no group of numbers ends.
TEST(States, FirstValuesAreThoseOfTheStreamOnAnyThreads) {
  constexpr int64_t count = 300003;
  HandMade made = makeLineProgram();
  made.state("normal", ElementType::F32, {count},
             Init(InitKind::Normal, 0.5, 0.25));
  made.state("uniform", ElementType::F64, {count},
             Init(InitKind::Uniform, -1, 3));
  made.state("half", ElementType::F16, {count}, Init(InitKind::Normal, 0, 1));
  made.state("ones", ElementType::F32, {count}, Init(InitKind::Fill, 1, 0));
  std::vector<double> normal(count), uniform(count), half(count);
  runtime::RandomStream(7, "normal").normal(0, normal);
  runtime::RandomStream(7, "uniform").uniform(0, uniform);
  runtime::RandomStream(7, "half").normal(0, half);
  std::vector<float> normals;
  std::vector<double> uniforms;
  std::vector<uint16_t> halves;
  for (size_t i = 0; i < count; ++i) {
    normals.push_back(static_cast<float>(0.5 + 0.25 * normal[i]));
    uniforms.push_back(-1 + 4 * uniform[i]);
    halves.push_back(floatToHalf(static_cast<float>(half[i])));
  }
  for (uint32_t threads : {1, 2, 3, 7}) {
    auto session = open(made, threads);
    ASSERT_TRUE(session->initialize(7).ok());
    EXPECT_EQ(getState<float>(*session, "normal", {count}, DType::F32),
              normals);
    EXPECT_EQ(getState<double>(*session, "uniform", {count}, DType::F64),
              uniforms);
    EXPECT_EQ(getState<uint16_t>(*session, "half", {count}, DType::F16),
              halves);
    EXPECT_EQ(getState<float>(*session, "ones", {count}, DType::F32),
              std::vector<float>(count, 1));
  }
}

TEST(States, SetStateNeedsTypeAndShape) {
  HandMade made = makeLineProgram();
  auto session = open(made);
  float value = 5;
  Dims matrix = {1, 1}, row = {1}, scalar = {};
  auto set = [&](const char *name, DType type, const Dims &shape,
                 uint64_t bytes = 4) {
    return session->setState(name, {type, shape, &value, bytes});
  };
  EXPECT_EQ(set("q", DType::F32, matrix).message(),
            "no state 'q'; there are: w b w.copy optimizer.lr");
  EXPECT_EQ(set("w", DType::F16, matrix).message(),
            "state 'w': expected 1x1xf32, but got 1x1xf16");
  EXPECT_EQ(set("w", DType::F32, row).code(), StatusCode::ShapeMismatch);
  EXPECT_EQ(set("w", DType::F32, matrix, 8).code(), StatusCode::SizeMismatch);
  EXPECT_EQ(set("w.copy", DType::F32, matrix).code(),
            StatusCode::InvalidArgument);

  Line line;
  EXPECT_EQ(session->run(1, line.inputs()).code(), StatusCode::NotInitialized);
  EXPECT_TRUE(set("w", DType::F32, matrix).ok());
  EXPECT_EQ(session->refresh().message(),
            "state 'b' has no value yet: initialise the session with a seed, "
            "before parameters are loaded, or load all states, or set it");
  EXPECT_TRUE(set("b", DType::F32, row).ok());
  EXPECT_TRUE(set("optimizer.lr", DType::F32, scalar).ok());
  ASSERT_TRUE(session->refresh().ok());
  EXPECT_EQ(getState<float>(*session, "w.copy", {1, 1}, DType::F32)[0], 5);
  EXPECT_TRUE(session->run(1, line.inputs()).ok());
}

namespace {
/// A weight and a learning rate; "init" makes a copy of the weight, and
/// "forward" and "step" give the copy out.
struct Copied {
  HandMade made;
  std::unique_ptr<Session> session;
  static constexpr uint32_t init = 0, forward = 1, step = 2;

  Copied() {
    constexpr ElementType f32 = ElementType::F32;
    Arg w = made.state("w", f32, {2});
    Arg copy = made.state("w.copy", f32, {2}, Init(InitKind::Derived, 0, 0),
                          Role::WeightCopy);
    made.state("lr", f32, {}, Init(InitKind::Zeros, 0, 0),
               Role::Hyperparameter);
    made.program.states[1]->of = "w";
    EntryT &first = made.entry("init");
    HandMade::record(first, RecordKind::Copy, 0, {w, copy}, 8);
    HandMade::output(first, "copy", f32, {2}, copy);
    for (const char *name : {"forward", "step"})
      HandMade::output(made.entry(name), "used", f32, {2}, copy);
    session = open(made);
  }
  Status set(const char *name, std::vector<float> values) {
    Dims row = {2}, scalar = {};
    return session->setState(name,
                             {DType::F32, values.size() == 1 ? scalar : row,
                              values.data(), values.size() * 4});
  }
  /// The copy that a run of `entry` has used.
  std::vector<float> use(uint32_t entry) {
    EXPECT_TRUE(session->run(entry, {}).ok());
    auto output = session->output(entry, 0);
    EXPECT_TRUE(output) << output.status().message();
    std::vector<float> values(2);
    std::memcpy(values.data(), output->data(), 8);
    return values;
  }
  /// How often "init" has run, as far as its results are kept.
  uint32_t runsOfInit() {
    uint32_t age = 0;
    while (session->result(init, 0, age))
      ++age;
    return age;
  }
};
} // namespace

/// Whatever runs next sees what was set: no entry works with an old copy.
TEST(States, CopiesFollowWhatIsSet) {
  for (uint32_t entry : {Copied::forward, Copied::step}) {
    Copied program;
    ASSERT_TRUE(program.session->initialize(1).ok());
    EXPECT_EQ(program.use(entry), (std::vector<float>{0, 0}));
    ASSERT_TRUE(program.set("w", {3, -4}).ok());
    EXPECT_EQ(program.use(entry), (std::vector<float>{3, -4}));
    ASSERT_TRUE(program.set("w", {5, 6}).ok());
    EXPECT_EQ(getState<float>(*program.session, "w.copy", {2}, DType::F32),
              (std::vector<float>{5, 6}));
    EXPECT_EQ(program.use(entry), (std::vector<float>{5, 6}));
  }
}

TEST(States, StatesThatWereAllSetNeedNoInit) {
  Copied program;
  std::vector<float> copy(2);
  Dims row = {2};
  TensorView view = {DType::F32, row, copy.data(), 8};
  ASSERT_TRUE(program.set("w", {3, -4}).ok());
  EXPECT_EQ(program.session->run(Copied::forward, {}).message(),
            "state 'lr' has no value yet: initialise the session with a seed, "
            "before parameters are loaded, or load all states, or set it");
  EXPECT_EQ(program.session->getState("w.copy", view).code(),
            StatusCode::NotInitialized);
  ASSERT_TRUE(program.set("lr", {0.5}).ok());
  EXPECT_EQ(program.use(Copied::forward), (std::vector<float>{3, -4}));
}

/// A schedule of the application costs nothing: the learning rate feeds no
/// copy.
TEST(States, OnlyWhatCopiesAreMadeOfMakesThemAgain) {
  Copied program;
  ASSERT_TRUE(program.session->initialize(1).ok());
  EXPECT_EQ(program.runsOfInit(), 1u);
  ASSERT_TRUE(program.set("lr", {0.5}).ok());
  program.use(Copied::step);
  program.use(Copied::step);
  EXPECT_EQ(program.runsOfInit(), 1u);
  ASSERT_TRUE(program.set("w", {1, 2}).ok());
  EXPECT_EQ(program.runsOfInit(), 1u) << "not before it is needed";
  program.use(Copied::step);
  program.use(Copied::step);
  EXPECT_EQ(program.runsOfInit(), 2u);
}

namespace {
struct Rank final : runtime::BlockingCommunicator {
  explicit Rank(uint32_t number) : number(number) {}
  uint32_t rank() const override { return number; }
  uint32_t size() const override { return 3; }
  Status allReduce(const void *, void *, uint64_t, DType,
                   runtime::ReduceKind) override {
    return {StatusCode::CollectiveFailed, "nobody asks for this"};
  }
  uint32_t number;
};

/// A session whose entry "forward" gives out what ops draw from.
std::unique_ptr<Session> openDrawing(uint32_t rank) {
  HandMade made;
  constexpr ElementType i32 = ElementType::I32;
  Arg seed = made.state("random.seed", i32, {}, Init(InitKind::Zeros, 0, 0),
                        Role::RandomSeed);
  made.state("random.step", i32, {}, Init(InitKind::Zeros, 0, 0),
             Role::RandomStep);
  HandMade::output(made.entry("forward"), "seed", i32, {}, seed);
  auto collective = std::make_unique<CollectiveT>();
  collective->kind = ReduceKind::Average;
  collective->type = ElementType::F32;
  collective->counts = {4};
  made.program.collectives.push_back(std::move(collective));
  made.program.names = {"all_reduce"};
  Arg sum = made.arena(16);
  HandMade::record(made.entry("step"), RecordKind::AllReduce, 0, {sum, sum}, 1,
                   1, 0);
  SessionOptions options;
  options.communicator = std::make_unique<Rank>(rank);
  auto session = Session::create(load(made), std::move(options));
  EXPECT_TRUE(session) << session.status().message();
  return std::move(*session);
}

uint32_t getDrawnSeed(Session &session) {
  EXPECT_TRUE(session.run(0, {}).ok());
  uint32_t seed;
  std::memcpy(&seed, session.output(0, 0)->data(), sizeof seed);
  return seed;
}
} // namespace

/// Ranks draw numbers of their own from one seed, which each of them tells.
TEST(States, RanksDrawFromSeedsOfTheirOwn) {
  std::vector<uint32_t> drawn;
  for (uint32_t rank : {0, 1, 2}) {
    auto session = openDrawing(rank);
    ASSERT_TRUE(session->initialize(7).ok());
    auto seed = getState<uint32_t>(*session, "random.seed", {}, DType::I32);
    EXPECT_EQ(seed[0], 7u);
    drawn.push_back(getDrawnSeed(*session));
    uint32_t other = 0xFFFFFFF0;
    ASSERT_TRUE(
        session->setState("random.seed", {DType::I32, {}, &other, 4}).ok());
    seed = getState<uint32_t>(*session, "random.seed", {}, DType::I32);
    EXPECT_EQ(seed[0], other);
    EXPECT_EQ(getDrawnSeed(*session), other - 7 + drawn.back());
  }
  EXPECT_EQ(drawn[0], 7u);
  EXPECT_NE(drawn[1], drawn[0]);
  EXPECT_NE(drawn[2], drawn[0]);
  EXPECT_NE(drawn[2], drawn[1]);
}
