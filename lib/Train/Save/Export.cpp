#include "mpc/Train/Export.h"

#include "../Failure.h"
#include "../Inputs.h"
#include "FileLocks.h"
#include "OutputFiles.h"
#include "StoredStates.h"

#include <filesystem>

using namespace mpc;
using namespace mpc::train;

/// Of the folder that is read.
static NamePairs listFiles(const CheckpointFiles &files) {
  namespace fs = std::filesystem;
  NamePairs list;
  std::error_code error;
  for (fs::directory_iterator entry(files.path, error), end;
       !error && entry != end; entry.increment(error))
    list.push_back({"FOLDER", entry->path()});
  return list;
}

static DType typeOf(const data::StoredTensor &tensor, const std::string &path) {
  if (!tensor.type)
    throw badInput("'" + path + "': tensor '" + tensor.name + "' is of type " +
                   tensor.dtype + ", which no state has");
  return *tensor.type;
}

static ExportResult run(const ExportOptions &options) {
  if (options.output.empty())
    throw badOptions("export: expected '-o FILE', the file to write");
  NamePairs written = {{"-o", options.output}};
  checkWritable(written);
  ExportResult result;
  CheckpointFiles files =
      findCheckpoint(options.checkpoint, [&](const std::string &line) {
        result.warnings.push_back(line);
      });
  if (!files.manifest)
    throw badInput("'" + options.checkpoint +
                   "': expected a folder that '--save-dir' has made, but this "
                   "is none");
  checkDistinctFiles("export", listFiles(files), written);
  FileLocks alone({options.output}, {});
  StoredStates stored(files);
  std::vector<data::TensorToStore> tensors;
  for (const auto &[name, tensor] : stored.tensors())
    tensors.push_back({tensor->name, typeOf(*tensor, files.path), tensor->shape,
                       tensor->bytes});
  const Manifest &manifest = *files.manifest;
  data::Metadata metadata(manifest.metadata.begin(), manifest.metadata.end());
  metadata["format"] = data::kCheckpointFormat;
  metadata["model"] = manifest.model;
  requireWritten(
      data::writeSafetensors(options.output, std::move(tensors), metadata));
  result.checkpoint = files.path;
  result.step = manifest.step;
  return result;
}

Expected<ExportResult>
mpc::train::exportCheckpoint(const ExportOptions &options) {
  return guard([&] { return run(options); });
}

static CheckpointTensors read(const std::string &path) {
  CheckpointTensors result;
  CheckpointFiles files = findCheckpoint(
      path, [&](const std::string &line) { result.warnings.push_back(line); });
  auto stored = std::make_shared<StoredStates>(files);
  for (const auto &[name, tensor] : stored->tensors())
    result.tensors.push_back(
        {name, static_cast<mpc_type>(typeOf(*tensor, files.path)),
         tensor->shape, tensor->bytes.data(), tensor->bytes.size()});
  result.path = files.path;
  result.memory = std::move(stored);
  return result;
}

Expected<CheckpointTensors>
mpc::train::readCheckpoint(const std::string &path) {
  return guard([&] { return read(path); });
}
