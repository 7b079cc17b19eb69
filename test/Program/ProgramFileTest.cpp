// Whatever happened to a file, opening it gives a typed error or a program
// that is safe to run; never a crash.
#include "../Runtime/LineProgram.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;

static std::vector<uint8_t> makeFile() {
  HandMade made = makeLineProgram();
  made.program.code[0]->data.resize(64); // small, so that every byte is tried
  Result<std::vector<uint8_t>> bytes = serialize(made.program);
  EXPECT_TRUE(bytes) << bytes.status().message();
  return *bytes;
}

static constexpr std::string_view kCpu[] = {"cpu"};

static StatusCode codeOf(std::span<const uint8_t> bytes,
                         ProgramFile::Targets targets = kCpu) {
  Result<ProgramFile> file = ProgramFile::copy(bytes, targets);
  EXPECT_EQ(file ? StatusCode::Ok : file.status().code(), file.status().code());
  EXPECT_EQ(bool(file), file.status().message().empty());
  return file.status().code();
}

template <typename T>
static void patch(std::vector<uint8_t> &bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// Makes the hash right again, as an attacker would.
static void seal(std::vector<uint8_t> &bytes) {
  patch<uint64_t>(bytes, 24, XXH64(bytes.data() + 64, bytes.size() - 64, 0));
}

/// The file of `made` as if it were of version 2.
static std::vector<uint8_t> makeOldFile(HandMade &made) {
  Result<std::vector<uint8_t>> written = serialize(made.program);
  EXPECT_TRUE(written) << written.status().message();
  std::vector<uint8_t> bytes = *written;
  auto *root = flatbuffers::GetMutableRoot<program::Program>(bytes.data() + 64);
  EXPECT_TRUE(root->mutate_format_version(2));
  patch<uint32_t>(bytes, 8, 2);
  seal(bytes);
  return bytes;
}

TEST(ProgramFile, RoundTrip) {
  std::vector<uint8_t> bytes = makeFile();
  Result<ProgramFile> file = ProgramFile::copy(bytes, kCpu);
  ASSERT_TRUE(file) << file.status().message();
  EXPECT_EQ((*file)->model()->str(), "hand-made");
  EXPECT_EQ((*file)->states()->size(), 4u);
  EXPECT_EQ(file->bytes(), bytes.size());
  auto *constants = (*file)->code()->Get(0)->data()->data();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(constants) % 64, 0u);
}

TEST(ProgramFile, EveryTruncationIsTold) {
  std::vector<uint8_t> bytes = makeFile();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(codeOf({bytes.data(), size}), StatusCode::Truncated) << size;
}

TEST(ProgramFile, EveryFlippedBitIsFound) {
  std::vector<uint8_t> bytes = makeFile();
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= 1 << (i % 8);
    StatusCode code = codeOf(bytes);
    bytes[i] ^= 1 << (i % 8);
    EXPECT_NE(code, StatusCode::Ok) << "byte " << i;
    if (i < 8) {
      EXPECT_EQ(code, StatusCode::BadMagic);
    } else if (i >= 64) {
      EXPECT_EQ(code, StatusCode::ChecksumMismatch);
    }
  }
}

/// With the hash made right, the verifiers alone stand between the bytes and
/// the machine. A program that passes must stay inside its blocks; the
/// sanitizers watch the reading here.
static void flipAndReseal(const std::vector<uint8_t> &bytes) {
  size_t refused = 0;
  for (size_t i = 64; i < bytes.size(); ++i)
    for (uint8_t mask : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> broken = bytes;
      broken[i] ^= mask;
      seal(broken);
      Result<ProgramFile> file = ProgramFile::copy(broken, kCpu);
      refused += !file;
      if (!file) {
        EXPECT_TRUE(file.status().code() == StatusCode::Corrupt ||
                    file.status().code() == StatusCode::InvalidProgram ||
                    file.status().code() == StatusCode::WrongTarget)
            << file.status().message();
      }
    }
  EXPECT_GT(refused, 100u);
}

TEST(ProgramFile, FlippedAndResealedNeverCrashes) {
  flipAndReseal(makeFile());
  HandMade made = makeLineProgram();
  made.program.code[0]->data.resize(64);
  flipAndReseal(makeOldFile(made));
}

TEST(ProgramFile, VersionsAreCompared) {
  std::vector<uint8_t> bytes = makeFile();
  patch<uint32_t>(bytes, 8, kFormatVersion + 1);
  EXPECT_EQ(codeOf(bytes), StatusCode::VersionTooNew);
  patch<uint32_t>(bytes, 8, kOldestFormatVersion - 1);
  EXPECT_EQ(codeOf(bytes), StatusCode::VersionTooOld);
}

/// Version 1 had no extents of kernels.
TEST(ProgramFile, ReadsTheVersionBefore) {
  HandMade made = makeLineProgram();
  for (auto &kernel : made.program.kernels)
    kernel->extent = 1;
  std::vector<uint8_t> bytes = *serialize(made.program);
  auto *root = reinterpret_cast<flatbuffers::Table *>(
      flatbuffers::GetMutableRoot<program::Program>(bytes.data() + 64));
  ASSERT_TRUE(
      root->SetField<uint32_t>(program::Program::VT_FORMAT_VERSION, 1, 0));
  seal(bytes);
  EXPECT_EQ(codeOf(bytes), StatusCode::Corrupt); // the header says another
  patch<uint32_t>(bytes, 8, 1);
  ASSERT_EQ(codeOf(bytes), StatusCode::Ok);
  auto *file = flatbuffers::GetMutableRoot<program::Program>(bytes.data() + 64);
  for (uint32_t i = 0; i < file->kernels()->size(); ++i)
    ASSERT_TRUE(const_cast<flatbuffers::Table *>(
                    reinterpret_cast<const flatbuffers::Table *>(
                        file->kernels()->Get(i)))
                    ->SetField<uint64_t>(program::Kernel::VT_EXTENT, 0, 0));
  seal(bytes);
  EXPECT_EQ(codeOf(bytes), StatusCode::Ok);
}

/// Before version 3 the names of states told what roles and `of` do now.
TEST(ProgramFile, StatesOfOldFilesAreMadeOut) {
  struct Case {
    const char *name;
    ElementType type;
    Role before, after;
    const char *owner = "";
  };
  constexpr ElementType f32 = ElementType::F32, i32 = ElementType::I32;
  constexpr Case cases[] = {
      {"scaler.scale", f32, Role::Scaler, Role::LossScale},
      {"scaler.a.b.scale", f32, Role::Scaler, Role::LossScale, "a.b"},
      {"scaler.growth_tracker", i32, Role::Scaler, Role::Scaler},
      {"scaler.a.growth_tracker", i32, Role::Scaler, Role::Scaler, "a"},
      {"step", i32, Role::Counter, Role::StepCounter},
      {"decay.step", i32, Role::Counter, Role::StepCounter, "decay"},
      {"skipped", i32, Role::Counter, Role::Counter},
      {"optimizer.lr", f32, Role::Hyperparameter, Role::LearningRate},
      {"no.decay.lr", f32, Role::Hyperparameter, Role::LearningRate,
       "no.decay"},
      {"optimizer.rounding_seed", i32, Role::Hyperparameter,
       Role::Hyperparameter},
      {"w.step", f32, Role::Parameter, Role::Parameter}};
  HandMade made = makeLineProgram();
  for (auto &state : made.program.states)
    if (state->name == "optimizer.lr")
      state->name = "its.lr";
  size_t first = made.program.states.size();
  for (const Case &c : cases)
    made.state(c.name, c.type, {}, Init(InitKind::Fill, 1, 0), c.before);
  Result<ProgramFile> today = ProgramFile::copy(*serialize(made.program), kCpu);
  Result<ProgramFile> old = ProgramFile::copy(makeOldFile(made), kCpu);
  ASSERT_TRUE(today && old) << old.status().message();
  for (uint32_t i = 0; i < std::size(cases); ++i) {
    auto index = static_cast<uint32_t>(first) + i;
    EXPECT_EQ((*today)->states()->Get(index)->role(), cases[i].before);
    EXPECT_STREQ(today->ownerOf(index), "");
    EXPECT_EQ((*old)->states()->Get(index)->role(), cases[i].after)
        << cases[i].name;
    EXPECT_STREQ(old->ownerOf(index), cases[i].owner) << cases[i].name;
  }
  for (const ProgramFile *file : {&*today, &*old}) // of "w.copy"
    EXPECT_STREQ(file->ownerOf(2), "w");
}

/// Compilers of those versions let such numbers pass, of which a session never
/// recovers.
TEST(ProgramFile, FirstNumbersOfOldFilesAreChecked) {
  struct Case {
    Init init;
    const char *scale, *rate; ///< What is got of each that is refused.
  };
  using enum InitKind;
  const Case cases[] = {{Init(Fill, 1, 0), nullptr, nullptr},
                        {Init(Fill, 0x1p-127, 0), nullptr, nullptr},
                        {Init(Zeros, 0, 0), "0", nullptr},
                        {Init(Fill, 1e-46, 0), "1e-46", nullptr},
                        {Init(Fill, 0x1p-128, 0), "2.93", nullptr},
                        {Init(Fill, 1e39, 0), "1e+39", "1e+39"},
                        {Init(Fill, -1, 0), "-1", "-1"},
                        {Init(Fill, NAN, 0), "nan", "nan"},
                        {Init(Uniform, 1, 2), "a random one", "a random one"}};
  for (const Case &c : cases) {
    auto expectRefusal = [&](const char *name, Role role, const char *range,
                             const char *got) {
      HandMade made = makeLineProgram();
      made.state(name, ElementType::F32, {}, c.init, role);
      Result<ProgramFile> file = ProgramFile::copy(makeOldFile(made), kCpu);
      ASSERT_EQ(bool(file), !got) << file.status().message();
      if (file)
        return;
      EXPECT_EQ(file.status().code(), StatusCode::InvalidProgram);
      std::string expected = std::string("state '") + name + "': expected " +
                             range + " at first, but got " + got;
      EXPECT_NE(file.status().message().find(expected), std::string::npos)
          << file.status().message();
    };
    expectRefusal("scaler.scale", Role::Scaler,
                  "a finite loss scale greater than 0 whose reciprocal is "
                  "finite in f32",
                  c.scale);
    expectRefusal("decay.lr", Role::Hyperparameter,
                  "a finite learning rate of 0 or more", c.rate);
  }
}

/// What is run is what was verified, also where the role of a state, which the
/// reader changes, lies in the length of another list.
TEST(ProgramFile, ARoleThatIsALengthIsRefused) {
  HandMade made = makeLineProgram();
  made.program.model = std::string(64, 'm'); // room for a vtable
  made.state("step", ElementType::I32, {1, 1, 1, 1},
             Init(InitKind::Zeros, 0, 0), Role::Counter);
  std::vector<uint8_t> bytes = makeOldFile(made);
  ASSERT_EQ(codeOf(bytes), StatusCode::Ok);
  auto *root = flatbuffers::GetMutableRoot<program::Program>(bytes.data() + 64);
  const State *state = root->states()->Get(root->states()->size() - 1);
  auto at = [&](const void *place) {
    return static_cast<size_t>(static_cast<const uint8_t *>(place) -
                               bytes.data());
  };
  size_t table = at(state), length = at(state->shape());
  size_t room = at(root->model()->c_str());
  int32_t toVtable = 0;
  std::memcpy(&toVtable, &bytes[table], sizeof toVtable);
  size_t vtable = table - static_cast<size_t>(int64_t{toVtable});
  std::memcpy(&bytes[room], &bytes[vtable], bytes[vtable]);
  patch<uint16_t>(bytes, room + State::VT_ROLE,
                  static_cast<uint16_t>(length - table));
  patch<int32_t>(bytes, table,
                 static_cast<int32_t>(int64_t(table) - int64_t(room)));
  seal(bytes);
  ASSERT_EQ(state->role(), Role::Counter); // 4, as many as there are dims
  EXPECT_NE(codeOf(bytes), StatusCode::Ok);
}

/// FlatBuffers itself does not see that the elements moved.
TEST(ProgramFile, MisalignedListsAreRefused) {
  HandMade made = makeLineProgram();
  made.program.constants.assign(64, 7);
  constexpr ElementType f32 = ElementType::F32;
  made.program.calls.push_back(
      MatmulSpec{f32, f32, {3, 5}, {5, 7}, {3, 7}}.call());
  std::vector<uint8_t> bytes = *serialize(made.program);
  auto *root = flatbuffers::GetMutableRoot<program::Program>(bytes.data() + 64);
  auto misalign = [&](const void *list, int by) {
    std::vector<uint8_t> moved = bytes;
    // The list begins with its length; whoever refers to it follows.
    auto at = static_cast<const uint8_t *>(list) - bytes.data();
    for (ptrdiff_t i = 64; i + 4 <= std::ssize(moved); i += 4) {
      uint32_t offset;
      std::memcpy(&offset, moved.data() + i, 4);
      if (i + static_cast<ptrdiff_t>(offset) == at)
        patch<uint32_t>(moved, static_cast<size_t>(i),
                        offset + static_cast<uint32_t>(by));
    }
    // The words at the new place are its length: few elements.
    patch<uint32_t>(moved, static_cast<size_t>(at + by), 1);
    seal(moved);
    Result<ProgramFile> file = ProgramFile::copy(moved, kCpu);
    EXPECT_EQ(file.status().code(), StatusCode::Corrupt);
    return file.status().message();
  };
  const std::string message =
      "program: a list of numbers is not aligned to their size; compile the "
      "model again";
  EXPECT_EQ(misalign(root->states()->Get(0)->shape(), 4), message);
  EXPECT_EQ(misalign(root->kernels()->Get(0)->arg_bytes(), 4), message);
  EXPECT_EQ(misalign(root->entries()->Get(1)->args(), 4), message);
  EXPECT_EQ(misalign(root->entries()->Get(1)->records(), 4), message);
  EXPECT_EQ(misalign(root->constants(), 8), message);
  const CallOperand *operand = root->calls()->Get(0)->operands()->Get(0);
  EXPECT_EQ(misalign(operand->shape(), 4), message);
  EXPECT_EQ(misalign(operand->strides(), 4), message);
}

TEST(ProgramFile, OtherTargetsAreRefused) {
  constexpr std::string_view others[] = {"cuda", "npu"};
  Result<ProgramFile> file = ProgramFile::copy(makeFile(), others, "a.mpcx");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.status().code(), StatusCode::WrongTarget);
  EXPECT_EQ(
      file.status().message(),
      "a.mpcx: expected a program for target 'cuda' or 'npu', but got one for "
      "'cpu'; compile the model with --target=cuda");
}

TEST(ProgramFile, OtherFilesAreRefused) {
  std::string text(1000, 'x');
  auto *data = reinterpret_cast<const uint8_t *>(text.data());
  EXPECT_EQ(codeOf({data, text.size()}), StatusCode::BadMagic);
}

TEST(ProgramFile, AppendedBytesAreRefused) {
  std::vector<uint8_t> bytes = makeFile();
  bytes.push_back(0);
  EXPECT_EQ(codeOf(bytes), StatusCode::Corrupt);
}

TEST(ProgramFile, MissingFileAndFolder) {
  Result<ProgramFile> none = ProgramFile::open("/nowhere/a.mpcx", kCpu);
  EXPECT_EQ(none.status().code(), StatusCode::NotFound);
  EXPECT_EQ(none.status().message(),
            "/nowhere/a.mpcx: cannot be opened: No such file or directory");
  Result<ProgramFile> folder = ProgramFile::open("/tmp", kCpu);
  EXPECT_EQ(folder.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(folder.status().message(),
            "/tmp: expected a regular file or a pipe, but got a directory");
}
