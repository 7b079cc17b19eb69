// The states of a session to a safetensors file and back. Parameters keep their
// plain names, so that any reader of the format finds the weights.
#include "Handles.h"
#include "mpc/Data/Safetensors.h"
#include "mpc/Program/ParameterGroups.h"

#include <limits>

using namespace mpc;
using namespace mpc::capi;
using data::Metadata;
using mpc::program::State;

/// Derived states are computed from the others, accumulators are zero between
/// steps.
static bool isSaved(const State &state) {
  return state.init()->kind() != program::InitKind::Derived &&
         state.role() != program::Role::Accumulator;
}

/// What a model computes with that was trained elsewhere, too.
static bool isWeight(const State &state) {
  return state.role() == program::Role::Parameter ||
         state.role() == program::Role::RunningStatistic;
}

static DType typeOf(const State &state) {
  return static_cast<DType>(state.type());
}
static data::Shape shapeOf(const State &state) {
  std::span<const int64_t> dims = program::toSpan(state.shape());
  return {dims.begin(), dims.end()};
}
static std::vector<const State *> listStates(const runtime::Session &session) {
  std::vector<const State *> list;
  if (const auto *states = session.program().file()->states())
    list.assign(states->begin(), states->end());
  return list;
}
static std::string modelOf(const runtime::Session &session) {
  const flatbuffers::String *model = session.program().file()->model();
  return model ? model->str() : "";
}

static std::string groupsOf(const runtime::Session &session) {
  std::string groups;
  if (const auto *settings = session.program().file()->settings())
    for (const program::KeyValue *setting : *settings)
      program::addGroup(groups, setting->key()->string_view(),
                        setting->value() ? setting->value()->string_view()
                                         : std::string_view());
  return groups;
}

//===-- Saving ------------------------------------------------------------===//

static Status readMetadata(const mpc_save_options &options, Metadata &result) {
  if (options.num_metadata && !options.metadata)
    return nullArgument("metadata");
  for (uint32_t i = 0; i < options.num_metadata; ++i) {
    auto [key, value] = options.metadata[i];
    if (!key || !value)
      return nullArgument("a key and a value in each entry of metadata");
    if (std::string_view(key) == program::kGroupsKey ||
        !result.emplace(key, value).second)
      return {
          StatusCode::InvalidArgument,
          std::string(
              "metadata: expected each key once, and none of the "
              "library's ('format', 'model', 'parameter_groups'), but got '") +
              key + "'"};
  }
  return {};
}

static Result<data::OutputFile> findOutput(const std::string &path,
                                           int64_t descriptor) {
  if (descriptor == 0)
    return data::OutputFile(path);
  if (descriptor < 0 || descriptor > std::numeric_limits<int>::max())
    return Status(StatusCode::InvalidArgument,
                  "descriptor: expected one that is open, or 0 for a file at "
                  "the path, but got " +
                      std::to_string(descriptor));
  return data::OutputFile::lend(static_cast<int>(descriptor), path);
}

static Status save(const runtime::Session &session, const std::string &path,
                   const mpc_save_options *given) {
  mpc_save_options options;
  if (Status status = readStruct(given, options); !status.ok())
    return status;
  Metadata metadata = {{"format", data::kCheckpointFormat},
                       {"model", modelOf(session)}};
  if (std::string groups = groupsOf(session); !groups.empty())
    metadata.emplace(program::kGroupsKey, std::move(groups));
  if (Status status = readMetadata(options, metadata); !status.ok())
    return status;
  Result<data::OutputFile> file = findOutput(path, options.descriptor);
  if (!file)
    return file.status();
  if (Status status = session.checkComplete(); !status.ok())
    return status;
  std::vector<data::TensorToStore> tensors;
  std::vector<data::Bytes> contents;
  std::vector<const State *> states = listStates(session);
  contents.reserve(states.size()); // the tensors point into it
  for (const State *state : states) {
    if (!isSaved(*state))
      continue;
    data::Bytes &bytes = contents.emplace_back(state->bytes());
    data::Shape shape = shapeOf(*state);
    if (Status status = session.getState(
            state->name()->string_view(),
            {typeOf(*state), shape, bytes.data(), bytes.size()});
        !status.ok())
      return status;
    tensors.push_back({state->name()->str(), typeOf(*state), shape, bytes});
  }
  return data::writeSafetensors(std::move(*file), std::move(tensors), metadata);
}

//===-- Loading -----------------------------------------------------------===//

namespace {
/// What of a file goes where, and all that is wrong with it.
class Matching {
public:
  explicit Matching(const data::Safetensors &file) : file(file) {}

  void add(const State &state) {
    auto found = file.tensors.find(state.name()->string_view());
    if (found == file.tensors.end())
      return note(missing, state.name()->str());
    const data::StoredTensor &tensor = found->second;
    if (tensor.shape != shapeOf(state) || tensor.type != typeOf(state))
      return note(other,
                  state.name()->str() + " (expected " +
                      program::formatTensor(state.type(),
                                            program::toSpan(state.shape())) +
                      ", but got " +
                      data::describe(tensor.shape, nameOf(tensor)) + ")");
    pairs.emplace_back(&state, &tensor);
  }
  /// What the program has no state for.
  void refuseOthers(const std::vector<const State *> &states) {
    Metadata known;
    for (const State *state : states)
      if (isSaved(*state))
        known.emplace(state->name()->str(), "");
    for (const auto &[name, tensor] : file.tensors)
      if (!known.contains(name))
        note(unexpected, name);
  }
  Status check(const std::string &path) const {
    std::string text;
    list(text, "missing", missing);
    list(text, "not of this program", unexpected);
    list(text, "of another type or shape", other);
    if (text.empty())
      return {};
    return {missing.count || unexpected.count ? StatusCode::NotFound
                                              : StatusCode::ShapeMismatch,
            "'" + path + "': its tensors are not those of the program; " +
                text};
  }

  std::vector<std::pair<const State *, const data::StoredTensor *>> pairs;

private:
  struct Names {
    std::string text;
    size_t count = 0;
  };
  static std::string nameOf(const data::StoredTensor &tensor) {
    return tensor.type ? std::string(getInfo(*tensor.type).name) : tensor.dtype;
  }
  /// A message has room for a few.
  static void note(Names &names, const std::string &name) {
    constexpr size_t shown = 8;
    if (++names.count <= shown)
      names.text += (names.count > 1 ? ", " : "") + name;
    else if (names.count == shown + 1)
      names.text += ", ...";
  }
  static void list(std::string &text, const char *what, const Names &names) {
    if (names.count == 0)
      return;
    text += (text.empty() ? "" : "; ") + std::string(what) + " (" +
            std::to_string(names.count) + "): " + names.text;
  }

  const data::Safetensors &file;
  Names missing, unexpected, other;
};
} // namespace

/// What to do with a checkpoint that is not of this program.
static std::string advise(const data::Safetensors &file,
                          const std::vector<const State *> &states) {
  Matching parameters(file);
  for (const State *state : states)
    if (isWeight(*state))
      parameters.add(*state);
  if (parameters.check("").ok())
    return "; its parameters fit: parameters_only (mpc-run: --weights) takes "
           "them alone, and all else begins anew";
  auto model = file.metadata.find("model");
  bool isSaid = model != file.metadata.end();
  return "; only the program that saved it" +
         (isSaid ? " (of model '" + model->second + "')" : "") +
         " can go on with it";
}

static Status checkFormat(const data::Safetensors &file,
                          const std::string &path) {
  auto format = file.metadata.find("format");
  if (format != file.metadata.end() &&
      format->second == data::kCheckpointFormat)
    return {};
  return {StatusCode::InvalidArgument,
          "'" + path + "': expected a checkpoint, but its metadata has no " +
              "format '" + data::kCheckpointFormat +
              "'; the weights of any file are read with parameters_only "
              "(mpc-run: --weights)"};
}

static Status checkGroups(const data::Safetensors &file,
                          const runtime::Session &session,
                          const std::string &path) {
  auto said = file.metadata.find(program::kGroupsKey);
  std::string own = groupsOf(session);
  if (said == file.metadata.end() || program::takesGroups(own, said->second))
    return {};
  return {StatusCode::InvalidArgument,
          program::describeOtherGroups(path, own, said->second)};
}

static runtime::TensorView viewOf(const State &state,
                                  const data::StoredTensor &tensor) {
  return {typeOf(state), tensor.shape,
          const_cast<std::byte *>(tensor.bytes.data()), tensor.bytes.size()};
}

static Status load(runtime::Session &session, const std::string &path,
                   const mpc_restore_options &options) {
  bool parametersOnly = false;
  if (Status status =
          readFlag("parameters_only", options.parameters_only, parametersOnly);
      !status.ok())
    return status;
  Result<data::Safetensors> file = data::readSafetensors(path);
  if (!file)
    return file.status();
  bool isWhole = !parametersOnly;
  if (Status status = isWhole ? checkFormat(*file, path) : Status();
      !status.ok())
    return status;
  Matching matching(*file);
  std::vector<const State *> states = listStates(session);
  for (const State *state : states)
    if (isWhole ? isSaved(*state) : isWeight(*state))
      matching.add(*state);
  if (isWhole)
    matching.refuseOthers(states);
  if (Status status = matching.check(path); !status.ok())
    return {status.code(),
            status.message() + (isWhole ? advise(*file, states) : "")};
  if (Status status = isWhole ? checkGroups(*file, session, path) : Status();
      !status.ok())
    return {status.code(), status.message() + advise(*file, states)};
  // All that can be wrong is known before anything is changed.
  for (auto [state, tensor] : matching.pairs)
    if (Status status = session.checkState(state->name()->string_view(),
                                           viewOf(*state, *tensor));
        !status.ok())
      return {status.code(), "'" + path + "': " + status.message()};
  if (options.metadata)
    for (const auto &[key, value] : file->metadata)
      options.metadata(options.metadata_context, key.c_str(), value.c_str());
  for (auto [state, tensor] : matching.pairs)
    if (Status status = session.setState(state->name()->string_view(),
                                         viewOf(*state, *tensor));
        !status.ok())
      return status;
  return isWhole ? session.clearAccumulators() : Status();
}

//===-- The table ---------------------------------------------------------===//

static mpc_code sessionSave(const mpc_session *session, const char *path,
                            const mpc_save_options *options,
                            mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !path)
      return nullArgument("a session and a path");
    return save(*session->session, path, options);
  });
}

static mpc_code sessionLoad(mpc_session *session, const char *path,
                            const mpc_restore_options *given,
                            mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !path)
      return nullArgument("a session and a path");
    mpc_restore_options options;
    if (Status read = readStruct(given, options); !read.ok())
      return read;
    return load(*session->session, path, options);
  });
}

void capi::addCheckpoints(mpc_api &api) {
  api.session_save = sessionSave;
  api.session_load = sessionLoad;
}
