// Checkpoints in folders, through the library: what is in them, which is gone
// on from, what is refused.
#include "ToyRun.h"

#include "mpc/Train/Export.h"
#include "mpc/Train/Saved.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::test;
namespace fs = std::filesystem;

namespace {

class Folders : public ToyRun {
protected:
  /// Until `steps`, with a folder each five of them.
  train::TrainOptions options(uint64_t steps) const {
    train::TrainOptions options = ToyRun::options();
    options.epochs.reset();
    options.steps = steps;
    options.saving.folder = path("ck");
    options.saving.every = {5, {}};
    return options;
  }
  train::TrainOptions resumed(uint64_t steps) const {
    train::TrainOptions options = this->options(steps);
    options.seed.reset();
    options.resume = path("ck");
    return options;
  }
  std::string step(const std::string &name) const { return path("ck/" + name); }
  std::vector<std::string> list() const {
    std::vector<std::string> names;
    for (const auto &entry : fs::directory_iterator(path("ck")))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }
  /// The file that --save writes at that step, by a run without a fault.
  std::string fileOf(uint64_t steps) const {
    train::TrainOptions whole = options(steps);
    whole.saving = {};
    whole.saving.file = path("whole");
    auto run = train::train(whole);
    EXPECT_TRUE(run) << run.message();
    return get("whole");
  }
  std::string exported(const std::string &folder) const {
    auto done = train::exportCheckpoint({folder, path("exported")});
    return done ? get("exported") : done.message();
  }
  void write(const std::string &name, const std::string &content) const {
    std::ofstream(step(name), std::ios::binary) << content;
  }
};

using Names = std::vector<std::string>;

TEST_F(Folders, HoldWhatAFileHolds) {
  train::TrainOptions options = this->options(12);
  options.saving.file = path("w");
  Recorder recorder;
  auto run = train::train(options, recorder);
  ASSERT_TRUE(run) << run.message();
  EXPECT_EQ(list(), (Names{"step-000005", "step-000010", "step-000012"}));
  EXPECT_EQ(exported(step("step-000005")), fileOf(5));
  EXPECT_EQ(exported(step("step-000010")), fileOf(10));
  EXPECT_EQ(exported(path("ck")), fileOf(12));
  EXPECT_EQ(get("w"), fileOf(12));
  ASSERT_GE(recorder.notes.size(), 2u);
  EXPECT_EQ(recorder.notes.back(), "saved " + step("step-000012"));
  EXPECT_EQ(recorder.notes[recorder.notes.size() - 2], "saved " + path("w"));
  EXPECT_TRUE(recorder.warnings.empty());
  EXPECT_GT(run->summary.copyBytes.value(), 0u);
  // Weights are read from a folder as from a file.
  train::TrainOptions again = ToyRun::options();
  again.weights = step("step-000012");
  again.saving.file = path("a");
  ASSERT_TRUE(train::train(again));
  again.weights = path("w");
  again.saving.file = path("b");
  ASSERT_TRUE(train::train(again));
  EXPECT_EQ(get("a"), get("b"));
}

TEST_F(Folders, AreGoneOnFrom) {
  ASSERT_TRUE(train::train(options(7)));
  Recorder recorder;
  auto run = train::train(resumed(13), recorder);
  ASSERT_TRUE(run) << run.message();
  EXPECT_EQ(recorder.plan.firstStep, 7u);
  EXPECT_EQ(recorder.notes.front(), "goes on from " + step("step-000007"));
  EXPECT_EQ(exported(path("ck")), fileOf(13));
  // A single one, whatever its name.
  fs::rename(step("step-000005"), path("five"));
  train::TrainOptions from = options(13);
  from.seed.reset();
  from.saving = {};
  from.saving.file = path("w");
  from.resume = path("five");
  ASSERT_TRUE(train::train(from));
  EXPECT_EQ(get("w"), fileOf(13));
}

/// The same command begins a run, and goes on with it.
TEST_F(Folders, AreGoneOnFromWhereThereAreSome) {
  auto runUntil = [&](uint64_t steps) {
    train::TrainOptions options = this->options(steps);
    options.saving.resumes = true;
    Recorder recorder;
    auto run = train::train(options, recorder);
    EXPECT_TRUE(run) << run.message();
    return recorder.plan.firstStep;
  };
  EXPECT_EQ(runUntil(7), 0u);
  EXPECT_EQ(runUntil(13), 7u);
  EXPECT_EQ(exported(path("ck")), fileOf(13));
}

TEST_F(Folders, AreFoundByWhoStartsARunAgain) {
  train::TrainOptions options = this->options(7);
  options.saving.file = path("w");
  EXPECT_FALSE(train::findSaved(options.saving));
  ASSERT_TRUE(train::train(options));
  std::optional<train::SavedState> first = train::findSaved(options.saving);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->source, path("ck"));
  EXPECT_EQ(first->path, step("step-000007"));
  EXPECT_EQ(first->step, 7u);
  // Of those that are whole; the newest where none is.
  std::string shard = get("ck/step-000007/rank-0-of-1.safetensors");
  fs::resize_file(step("step-000007/rank-0-of-1.safetensors"), 100);
  std::optional<train::SavedState> whole = train::findSaved(options.saving);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->path, step("step-000005"));
  EXPECT_EQ(whole->step, 5u);
  fs::rename(step("step-000005"), path("away"));
  ASSERT_TRUE(train::findSaved(options.saving));
  EXPECT_EQ(train::findSaved(options.saving)->step, 7u);
  fs::rename(path("away"), step("step-000005"));
  write("step-000007/rank-0-of-1.safetensors", shard);
  EXPECT_EQ(train::findSaved(options.saving)->step, 7u);
  // Of those that are finished.
  fs::rename(step("step-000007"), step("step-000007.unfinished"));
  std::optional<train::SavedState> second = train::findSaved(options.saving);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->path, step("step-000005"));
  EXPECT_EQ(second->step, 5u);
  EXPECT_NE(second->version, first->version);
  fs::remove(step("step-000005/manifest.json"));
  std::optional<train::SavedState> file = train::findSaved(options.saving);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->source, path("w"));
  EXPECT_EQ(file->path, path("w"));
  EXPECT_EQ(file->step, 7u);
  // What is left of a step is no reason to begin anew.
  fs::remove(path("w"));
  std::optional<train::SavedState> left = train::findSaved(options.saving);
  ASSERT_TRUE(left);
  EXPECT_EQ(left->path, step("step-000005"));
  fs::remove_all(step("step-000005"));
  EXPECT_FALSE(train::findSaved(options.saving));
}

TEST_F(Folders, AreKeptByNumber) {
  train::TrainOptions options = this->options(17);
  options.saving.keep = 2;
  ASSERT_TRUE(train::train(options));
  EXPECT_EQ(list(), (Names{"step-000015", "step-000017"}));
  // One that is broken does not count, and stays; what was not finished goes
  // with the steps of its time.
  fs::resize_file(step("step-000015/rank-0-of-1.safetensors"), 9);
  fs::create_directory(step("step-000016.unfinished"));
  options = resumed(22);
  options.saving.keep = 2;
  ASSERT_TRUE(train::train(options));
  EXPECT_EQ(list(), (Names{"step-000015", "step-000020", "step-000022"}));
}

/// The newest that is complete, one line for each that is not, and nothing is
/// changed in those.
TEST_F(Folders, ArePassedOverWhereTheyAreBroken) {
  ASSERT_TRUE(train::train(options(32)));
  std::string shard = "/rank-0-of-1.safetensors";
  fs::rename(step("step-000032"), step("step-000032.unfinished"));
  std::string bits = get("ck/step-000030" + shard);
  bits[bits.size() / 2] ^= 1;
  write("step-000030" + shard, bits);
  fs::resize_file(step("step-000025" + shard), bits.size() - 1);
  fs::remove(step("step-000020" + shard));
  write("step-000015/manifest.json", "{\"format\": \"of others\"}");
  fs::remove(step("step-000010/manifest.json"));
  Recorder recorder;
  train::TrainOptions from = resumed(7);
  from.saving = {};
  from.saving.file = path("w");
  ASSERT_TRUE(train::train(from, recorder));
  EXPECT_EQ(recorder.plan.firstStep, 5u);
  EXPECT_EQ(get("w"), fileOf(7));
  ASSERT_EQ(recorder.warnings.size(), 6u);
  const std::string reasons[] = {
      "its run ended before it was complete",
      "its rank-0-of-1.safetensors has hash ",
      "its rank-0-of-1.safetensors has " + std::to_string(bits.size() - 1) +
          " bytes, not " + std::to_string(bits.size()),
      "its rank-0-of-1.safetensors is missing: No such file or directory",
      "its manifest.json has format 'of others', not 'mpc checkpoint folder 1'",
      "it has no manifest.json"};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_CONTAINS(recorder.warnings[i], reasons[i]);
    EXPECT_CONTAINS(recorder.warnings[i],
                    "passed over: '" + path("ck/step-0000"));
  }
  EXPECT_EQ(get("ck/step-000030" + shard), bits);
  EXPECT_EQ(list().size(), 7u);
  // A run to a folder writes them anew as it comes to their steps.
  ASSERT_TRUE(train::train(resumed(30)));
  EXPECT_EQ(exported(path("ck/step-000030")), fileOf(30));
  EXPECT_EQ(exported(path("ck/step-000010")), fileOf(10));
}

/// Who opens a pipe waits, and what is large is taken into memory.
TEST_F(Folders, HaveFilesOfTheirSize) {
  ASSERT_TRUE(train::train(options(5)));
  const std::string manifest = step("step-000005/manifest.json");
  fs::resize_file(manifest, (16 << 20) + 1);
  EXPECT_CONTAINS(exported(step("step-000005")),
                  "its manifest.json has 16777217 bytes, more than the "
                  "16777216 that one may have");
  fs::remove(manifest);
  ASSERT_EQ(mkfifo(manifest.c_str(), 0666), 0);
  EXPECT_CONTAINS(exported(step("step-000005")),
                  "its manifest.json is no file, but a pipe");
  train::TrainOptions from = resumed(7);
  from.resume = step("step-000005");
  EXPECT_CONTAINS(train::train(from).message(),
                  "its manifest.json is no file, but a pipe");
  fs::remove(manifest);
  fs::create_directory(manifest);
  EXPECT_CONTAINS(exported(step("step-000005")),
                  "its manifest.json is no file, but a folder");
}

TEST_F(Folders, HaveNoPipesForShards) {
  ASSERT_TRUE(train::train(options(5)));
  const std::string name = step("step-000005/rank-0-of-1.safetensors");
  fs::remove(name);
  ASSERT_EQ(mkfifo(name.c_str(), 0666), 0);
  EXPECT_CONTAINS(exported(step("step-000005")),
                  "its rank-0-of-1.safetensors is no file, but a pipe");
  fs::remove(name);
  fs::create_directory(name);
  EXPECT_CONTAINS(exported(step("step-000005")),
                  "its rank-0-of-1.safetensors is no file, but a folder");
}

TEST_F(Folders, AreReadStrictly) {
  ASSERT_TRUE(train::train(options(5)));
  std::string good = get("ck/step-000005/manifest.json");
  // Its hash is compared first.
  good = good.substr(0, good.rfind(",\n  \"manifest_xxh3\"")) + "\n}\n";
  auto messageOf = [&](const std::string &from, const std::string &to) {
    std::string text = good;
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write("step-000005/manifest.json", text.replace(at, from.size(), to));
    return exported(step("step-000005"));
  };
  EXPECT_CONTAINS(messageOf("{", "["), "its manifest.json is no JSON object");
  EXPECT_CONTAINS(messageOf("\"step\": 5", "\"step\": -5"),
                  "has another 'step' than expected");
  EXPECT_CONTAINS(messageOf("\"step\"", "\"stop\""), "has no 'step'");
  EXPECT_CONTAINS(messageOf("\"seed\": \"3\"", "\"seed\": 3"),
                  "has another 'metadata' than expected");
  // Nothing outside of the folder.
  EXPECT_CONTAINS(messageOf("rank-0-of-1", "../rank-0-of-1"),
                  "has no 'rank-0-of-1.safetensors' in its place");
  write("step-000005/manifest.json", good);
  EXPECT_EQ(exported(step("step-000005")), fileOf(5));
}

/// One bit of the manifest is noticed, as one of a shard is; and so is what
/// contradicts itself in one that has no hash.
TEST_F(Folders, WhoseManifestWasChangedArePassedOver) {
  ASSERT_TRUE(train::train(options(10)));
  const std::string file = "step-000010/manifest.json";
  const std::string good = get("ck/" + file);
  ASSERT_NE(good.find("\"manifest_xxh3\": \""), std::string::npos);
  const std::pair<std::string, std::string> changes[] = {
      {"\"batches\": \"10\"", "\"batches\": \"12\""},
      {"\"seed\": \"3\"", "\"seed\": \"2\""},
      {"\"shuffled\": \"1\"", "\"shuffled\": \"0\""},
      {"\"step\": 10", "\"step\": 10, \"step\": 11"},
      {"\"program_xxh3\": \"", "\"program_xxh3\": \"zz"},
      {"\"model\": \"", "\"model\": \"\\n"},
      {"\"files\"", "\"more\": [[[[[[[[]]]]]]]], \"files\""}};
  auto goOn = [&](Recorder &recorder) {
    train::TrainOptions from = resumed(7);
    from.saving = {};
    auto run = train::train(from, recorder);
    EXPECT_TRUE(run) << run.message();
    return recorder.plan.firstStep;
  };
  for (const auto &[from, to] : changes) {
    std::string text = good;
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write(file, text.replace(at, from.size(), to));
    Recorder recorder;
    EXPECT_EQ(goOn(recorder), 5u) << to;
    ASSERT_FALSE(recorder.warnings.empty());
    EXPECT_CONTAINS(recorder.warnings[0],
                    "step-000010': its manifest.json has");
    EXPECT_CONTAINS(recorder.warnings[0], ": it was changed");
  }
  // Written in another way it says the same.
  std::string spaced = good;
  for (size_t at = 0; (at = spaced.find('\n', at)) != std::string::npos; ++at)
    spaced.replace(at, 1, "  ");
  write(file, spaced);
  EXPECT_EQ(exported(step("step-000010")), fileOf(10));
  // Of an older version.
  size_t own = good.rfind(",\n  \"manifest_xxh3\"");
  ASSERT_NE(own, std::string::npos);
  std::string old = good.substr(0, own) + "\n}\n";
  write(file, old);
  EXPECT_EQ(exported(step("step-000010")), fileOf(10));
  std::string other = old;
  other.replace(other.find("\"batches\": \"10\""), 15, "\"batches\": \"9\"");
  write(file, other);
  Recorder recorder;
  EXPECT_EQ(goOn(recorder), 5u);
  EXPECT_CONTAINS(recorder.warnings[0],
                  "is of step 10, but its 'batches' are '9'");
  write(file, old);
  fs::rename(step("step-000010"), step("step-000099"));
  Recorder renamed;
  EXPECT_EQ(goOn(renamed), 5u);
  EXPECT_CONTAINS(renamed.warnings[0],
                  "is of step 10, which is not the folder's number");
}

/// A name that came from elsewhere ends no line.
TEST_F(Folders, OfModelsWithHostileNames) {
  ASSERT_TRUE(train::train(options(5)));
  std::string text = get("ck/step-000005/manifest.json");
  text = text.substr(0, text.rfind(",\n  \"manifest_xxh3\"")) + "\n}\n";
  size_t model = text.find("\"model\": \"") + 10;
  write("step-000005/manifest.json", text.insert(model, "a\\n\\u001b[31m"));
  Recorder recorder;
  train::TrainOptions from = resumed(7);
  from.saving = {};
  ASSERT_TRUE(train::train(from, recorder));
  ASSERT_EQ(recorder.warnings.size(), 1u);
  EXPECT_CONTAINS(recorder.warnings[0], "was saved by model 'a??[31m");
}

TEST_F(Folders, OfOthersAreRefused) {
  ASSERT_TRUE(train::train(options(10)));
  auto run = train::train(options(20));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.status().fault(), train::Fault::Options);
  EXPECT_CONTAINS(run.message(),
                  "step-000005' is a checkpoint of another run, and this one "
                  "begins at step 0");
  train::TrainOptions back = resumed(20);
  back.resume = step("step-000005");
  run = train::train(back);
  ASSERT_FALSE(run);
  EXPECT_CONTAINS(run.message(), "step-000010' is a checkpoint of another run");
  // As far already: nothing is written again.
  auto before = fs::last_write_time(step("step-000010/manifest.json"));
  ASSERT_TRUE(train::train(resumed(10)));
  EXPECT_EQ(fs::last_write_time(step("step-000010/manifest.json")), before);
}

TEST_F(Folders, ThatCannotBeAreRefusedAtOnce) {
  put("file", "");
  train::TrainOptions options = this->options(5);
  options.data.files = {{"x", path("none")}};
  options.saving.folder = path("file");
  EXPECT_CONTAINS(train::train(options).message(),
                  "expected '--save-dir' to name a folder, but");
  options.saving.folder = path("none/ck");
  EXPECT_CONTAINS(train::train(options).message(),
                  "cannot be written: No such file or directory");
  options.saving.folder = path("ck");
  options.saving.keep = 0;
  EXPECT_CONTAINS(train::train(options).message(),
                  "'--keep': expected 1 or more with '--save-dir'");
  options = ToyRun::options();
  options.resume = folder;
  options.seed.reset();
  EXPECT_CONTAINS(train::train(options).message(),
                  "this folder has neither a manifest.json nor folders of "
                  "steps");
}

/// What is not ours in a folder of such a name stays.
TEST_F(Folders, OfPeopleStay) {
  fs::create_directories(path("ck/step-000005"));
  write("step-000005/notes", "mine");
  auto run = train::train(options(20));
  ASSERT_FALSE(run);
  EXPECT_CONTAINS(run.message(),
                  "step-000005': cannot be removed: Directory not empty");
  EXPECT_EQ(get("ck/step-000005/notes"), "mine");
}

/// What the thread fails with ends training in a later step, or at the end.
TEST_F(Folders, ThatAreNotWrittenEndTraining) {
  fs::create_directories(
      path("ck/step-000005.unfinished/rank-0-of-1.safetensors"));
  Recorder recorder;
  auto run = train::train(options(1000000), recorder);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.status().fault(), train::Fault::System);
  EXPECT_CONTAINS(run.message(), "not saved at step 5: '");
  EXPECT_CONTAINS(run.message(), "rank-0-of-1.safetensors': cannot be written");
  // The end tries once more, without what was in the way.
  ASSERT_EQ(list().size(), 1u);
  EXPECT_EQ(recorder.notes.back(), "saved " + step(list().front()));
  EXPECT_LE(recorder.steps.size(), 10u);
}

} // namespace
