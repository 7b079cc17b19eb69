#include "Manifest.h"

#include "../Failure.h"

#include "mpc/Data/File.h"
#include "mpc/Support/Number.h"
#include "mpc/Support/Printable.h"

#include <filesystem>
#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::train;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

static constexpr const char *kFormat = "mpc checkpoint folder 1";
static constexpr const char *kManifest = "manifest.json";
static constexpr const char *kOwnHash = "manifest_xxh3";
// A hundred bytes a rank, and patterns of groups: what has more is none of ours
// and would be taken into the memory of every rank.
static constexpr uint64_t kMostBytes = 16 << 20;

static std::string manifestOf(const std::string &folder) {
  return fs::path(folder) / kManifest;
}

std::string mpc::train::shardName(uint32_t rank, size_t ranks) {
  return "rank-" + std::to_string(rank) + "-of-" + std::to_string(ranks) +
         ".safetensors";
}

bool mpc::train::hasManifest(const std::string &folder) {
  std::error_code error;
  return fs::exists(manifestOf(folder), error);
}

/// Of all else that it says, however it is written.
static std::string hashOf(const Json &object) {
  nlohmann::json sorted(object);
  sorted.erase(kOwnHash);
  return hashText(
      sorted.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void mpc::train::writeManifest(const std::string &folder,
                               const Manifest &manifest) {
  Json object = {{"format", kFormat}, {"step", manifest.step}};
  object["model"] = manifest.model;
  if (!manifest.program.empty())
    object["program_xxh3"] = manifest.program;
  object["metadata"] = manifest.metadata;
  object["files"] = Json::array();
  for (size_t rank = 0; rank < manifest.files.size(); ++rank) {
    const FileFacts &file = manifest.files[rank];
    object["files"].push_back({{"name", shardName(static_cast<uint32_t>(rank),
                                                  manifest.files.size())},
                               {"bytes", file.bytes},
                               {"xxh3", file.hash}});
  }
  // Of what is read again: names may be no UTF-8.
  object =
      Json::parse(object.dump(-1, ' ', false, Json::error_handler_t::replace));
  object[kOwnHash] = hashOf(object);
  std::string text =
      object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
  requireWritten(data::writeFile(manifestOf(folder), parts));
}

//===-- Reading -----------------------------------------------------------===//

static Failure isWrong(const std::string &folder, const std::string &what) {
  return badInput("'" + folder + "': its manifest.json " + what);
}

/// Entry `key` of `object`, which must be of `Value`.
template <typename Value>
static Value readEntry(const Json &object, const std::string &key,
                       const std::string &folder) {
  auto found = object.find(key);
  if (found == object.end())
    throw isWrong(folder, "has no '" + key + "'");
  bool fits = std::is_same_v<Value, uint64_t>      ? found->is_number_unsigned()
              : std::is_same_v<Value, Json>        ? found->is_array()
              : std::is_same_v<Value, std::string> ? found->is_string()
                                                   : found->is_object();
  if (fits && found->is_object())
    for (const Json &value : *found)
      fits = fits && value.is_string();
  if (!fits)
    throw isWrong(folder, "has another '" + key + "' than expected");
  return found->get<Value>();
}

static const char *describeType(fs::file_type type) {
  switch (type) {
  case fs::file_type::directory:
    return "folder";
  case fs::file_type::fifo:
    return "pipe";
  case fs::file_type::socket:
    return "socket";
  default:
    return "device";
  }
}

/// That what `folder` has of this name is a file: who opens a pipe waits.
static void checkIsFile(const std::string &folder, const std::string &name) {
  std::error_code error;
  fs::file_status status = fs::status(fs::path(folder) / name, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw badInput("'" + folder + "': its " + name + " is no file, but a " +
                   describeType(status.type()));
  if (error)
    throw badInput("'" + folder + "': its " + name +
                   " is missing: " + error.message());
}

static Json parse(const std::string &folder) {
  if (!hasManifest(folder))
    throw badInput("'" + folder + "': it has no manifest.json");
  checkIsFile(folder, kManifest);
  auto file = requireInput(data::InputFile::open(manifestOf(folder)));
  if (file.size() > kMostBytes)
    throw isWrong(folder, "has " + std::to_string(file.size()) +
                              " bytes, more than the " +
                              std::to_string(kMostBytes) +
                              " that one may have");
  data::Bytes bytes = requireInput(file.read(file.size()));
  const char *text = reinterpret_cast<const char *>(bytes.data());
  // What lies deeper is none of ours, and would take as much of the stack.
  auto isKept = [](int depth, Json::parse_event_t, Json &) {
    return depth <= 4;
  };
  Json object = Json::parse(text, text + bytes.size(), isKept,
                            /*allow_exceptions=*/false);
  if (!object.is_object())
    throw isWrong(folder, "is no JSON object");
  return object;
}

/// The number in the name of a folder of --save-dir, and no other folder.
static std::optional<uint64_t> stepOfName(const std::string &folder) {
  fs::path path(folder);
  std::string name =
      path.has_filename() ? path.filename() : path.parent_path().filename();
  constexpr std::string_view before = "step-";
  if (!name.starts_with(before))
    return std::nullopt;
  std::string_view digits = std::string_view(name).substr(before.size());
  return parseNumber<uint64_t>(digits.substr(0, digits.find('.')));
}

/// That it is of one step, in all places that tell it.
static void checkStep(const std::string &folder, const Manifest &manifest) {
  std::string step = std::to_string(manifest.step);
  auto batches = manifest.metadata.find("batches");
  if (batches != manifest.metadata.end() && batches->second != step)
    throw isWrong(folder, "is of step " + step + ", but its 'batches' are '" +
                              printable(batches->second) + "'");
  auto named = stepOfName(folder);
  if (named && *named != manifest.step)
    throw isWrong(folder,
                  "is of step " + step + ", which is not the folder's number");
}

Manifest mpc::train::readManifest(const std::string &folder) {
  Json object = parse(folder);
  auto format = readEntry<std::string>(object, "format", folder);
  if (format != kFormat)
    throw isWrong(folder, "has format '" + printable(format) + "', not '" +
                              kFormat + "'");
  if (object.contains(kOwnHash))
    if (auto own = readEntry<std::string>(object, kOwnHash, folder);
        own != hashOf(object))
      throw isWrong(folder, "has hash " + hashOf(object) + ", not " +
                                printable(own) + ": it was changed");
  Manifest manifest;
  manifest.step = readEntry<uint64_t>(object, "step", folder);
  manifest.model = readEntry<std::string>(object, "model", folder);
  if (object.contains("program_xxh3"))
    manifest.program = readEntry<std::string>(object, "program_xxh3", folder);
  manifest.metadata = readEntry<rt::Metadata>(object, "metadata", folder);
  auto files = readEntry<Json>(object, "files", folder);
  for (const Json &file : files) {
    std::string expected =
        shardName(static_cast<uint32_t>(manifest.files.size()), files.size());
    if (!file.is_object() ||
        readEntry<std::string>(file, "name", folder) != expected)
      throw isWrong(folder, "has no '" + expected + "' in its place");
    manifest.files.push_back({readEntry<uint64_t>(file, "bytes", folder),
                              readEntry<std::string>(file, "xxh3", folder)});
  }
  if (manifest.files.empty())
    throw isWrong(folder, "names no files");
  checkStep(folder, manifest);
  return manifest;
}

/// The size first: it costs nothing to look at.
static void checkShard(const std::string &folder, const std::string &name,
                       const FileFacts &expected) {
  checkIsFile(folder, name);
  std::string path = fs::path(folder) / name;
  std::error_code error; // of one that goes meanwhile: it has other bytes then
  uint64_t bytes = fs::file_size(path, error);
  if (bytes != expected.bytes)
    throw badInput("'" + folder + "': its " + name + " has " +
                   std::to_string(bytes) + " bytes, not " +
                   std::to_string(expected.bytes));
  if (FileFacts facts = requireInput(readFileFacts(path)); facts != expected)
    throw badInput("'" + folder + "': its " + name + " has hash " + facts.hash +
                   ", not " + printable(expected.hash));
}

Manifest mpc::train::checkFolder(const std::string &folder) {
  Manifest manifest = readManifest(folder);
  for (size_t rank = 0; rank < manifest.files.size(); ++rank)
    checkShard(folder,
               shardName(static_cast<uint32_t>(rank), manifest.files.size()),
               manifest.files[rank]);
  return manifest;
}
