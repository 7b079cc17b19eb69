#include "Source.h"
#include "mpc/Dialect/Graph/Settings/SettingsTable.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Text/ReadFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;
using namespace mpc::compile;

/// Under this name the flag is kept.
static constexpr StringRef kInference = "inference";

static llvm::Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::unique_ptr<program::KeyValueT> makePair(StringRef key,
                                                    StringRef value) {
  auto pair = std::make_unique<program::KeyValueT>();
  pair->key = key.str();
  pair->value = value.str();
  return pair;
}

/// What the model at stage import says itself, whoever said it first.
static bool isSetting(const PipelineOption &option) {
  return llvm::any_of(graph::trainingSettings(),
                      [&](const graph::Setting &setting) {
                        return setting.name == option.name;
                      });
}

llvm::Expected<std::unique_ptr<program::SourceT>>
compile::makeSource(std::string model, const Options &options) {
  auto source = std::make_unique<program::SourceT>();
  source->model = std::move(model);
  PipelineOptions given = options.pipeline;
  for (const PipelineOption &option : pipelineOptions()) {
    const std::string &text = option.field(given);
    if (text.empty() || isSetting(option))
      continue;
    if (!option.isFile()) {
      source->options.push_back(makePair(option.name, text));
      continue;
    }
    std::string failure;
    auto file = readFile(text, failure);
    if (failed(file))
      return error(failure);
    source->files.push_back(makePair(option.name, (*file)->getBuffer()));
  }
  if (given.inference)
    source->options.push_back(makePair(kInference, "true"));
  return source;
}

SourceFiles::~SourceFiles() {
  for (const std::string &path : paths)
    (void)llvm::sys::fs::remove(path); // temporary: no harm
}

llvm::Expected<std::string> SourceFiles::add(StringRef text) {
  llvm::SmallString<128> path;
  int file = -1;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("mpc-source", "json", file, path))
    return error("cannot make a temporary file: " + code.message());
  paths.push_back(std::string(path));
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
  stream << text;
  stream.close();
  if (std::error_code code = stream.error()) {
    stream.clear_error();
    return error("cannot write '" + path + "': " + code.message());
  }
  return paths.back();
}

bool compile::isProgramFile(StringRef bytes) {
  return bytes.starts_with("MPCX");
}

llvm::Error compile::keepPipes(Options &options, SourceFiles &files) {
  for (const PipelineOption &option : pipelineOptions()) {
    std::string &path = option.field(options.pipeline);
    llvm::sys::fs::file_status facts;
    if (!option.isFile() || path.empty() ||
        llvm::sys::fs::status(path, facts) ||
        llvm::sys::fs::is_regular_file(facts) ||
        llvm::sys::fs::is_directory(facts))
      continue;
    std::string failure;
    auto file = readFile(path, failure);
    if (failed(file))
      return error(failure);
    auto copy = files.add((*file)->getBuffer());
    if (!copy)
      return copy.takeError();
    path = *copy;
  }
  return llvm::Error::success();
}

/// The option called `name` of this compiler, or null.
static const PipelineOption *findOption(StringRef name) {
  for (const PipelineOption &option : pipelineOptions())
    if (option.name == name)
      return &option;
  return nullptr;
}

/// A program brings the content of its files; it has no say in what is read
/// here.
static llvm::Error refuseFile(StringRef name, StringRef path) {
  const PipelineOption *option = findOption(name);
  if (!option || !option->isFile())
    return llvm::Error::success();
  return error("the source of the program wants '--" + name + "' read from '" +
               path + "' of this machine: expected its content in the program");
}

/// Takes `text` for the option `name`, unless it was given.
static llvm::Error takeOption(StringRef name, StringRef text,
                              Options &options) {
  if (name == kInference) {
    options.pipeline.inference = true;
    return llvm::Error::success();
  }
  const PipelineOption *option = findOption(name);
  if (!option)
    return error("the program was compiled with '--" + name +
                 "', which this mpc-compile does not know: expected the "
                 "mpc-compile that wrote it");
  if (isSetting(*option)) // of a compiler that wrote them twice
    return llvm::Error::success();
  std::string &field = option->field(options.pipeline);
  if (field.empty())
    field = text.str();
  return llvm::Error::success();
}

llvm::Expected<std::string> compile::readSource(StringRef bytes, StringRef name,
                                                Options &options,
                                                SourceFiles &files) {
  std::string_view targets[] = {"cpu", "cuda"};
  auto file = program::ProgramFile::copy(
      {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}, targets,
      name.str());
  if (!file)
    return error(file.status().message());
  const program::Source *source = (*file)->source();
  if (!source)
    return error("'" + name +
                 "' was compiled with --no-source: expected a program with its "
                 "source");
  if (source->options())
    for (const program::KeyValue *pair : *source->options()) {
      std::string name = pair->key()->str(), text = pair->value()->str();
      if (llvm::Error failed = refuseFile(name, text))
        return std::move(failed);
      if (llvm::Error failed = takeOption(name, text, options))
        return std::move(failed);
    }
  if (source->files())
    for (const program::KeyValue *pair : *source->files()) {
      auto path = files.add(pair->value()->str());
      if (!path)
        return path.takeError();
      if (llvm::Error failed = takeOption(pair->key()->str(), *path, options))
        return std::move(failed);
    }
  return source->model()->str();
}
