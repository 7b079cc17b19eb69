#include "CallLibraries.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;

static OpenLibrary getLibraryOf(const program::Call &call) {
  return program::visitOptions(
      call, [](const auto &options) { return getLibrary(options); });
}

Status CallLibraries::open(const program::Program &program,
                           const LibraryContext &context) {
  uint32_t count = program.calls() ? program.calls()->size() : 0;
  for (uint32_t i = 0; i < count; ++i) {
    OpenLibrary open = getLibraryOf(*program.calls()->Get(i));
    if (libraries.contains(open))
      continue;
    Result<std::unique_ptr<CallLibrary>> library = open(context);
    if (!library)
      return library.status();
    libraries[open] = std::move(*library);
  }
  return {};
}

uint64_t CallLibraries::workspaceBytes(const program::Program &program) const {
  uint64_t bytes = 0, count = program.calls() ? program.calls()->size() : 0;
  for (uint32_t i = 0; i < count; ++i) {
    const program::Call &call = *program.calls()->Get(i);
    bytes =
        std::max(bytes, libraries.at(getLibraryOf(call))->workspaceBytes(call));
  }
  return bytes;
}

Result<CallLibraries::MadeCall>
CallLibraries::makeCall(const program::Call &call, std::span<void *const> args,
                        bool mayBePlain) const {
  CallLibrary *library = libraries.at(getLibraryOf(call)).get();
  Result<std::unique_ptr<LibraryCall>> made =
      library->makeCall(call, args, mayBePlain);
  if (!made)
    return made.status();
  return MadeCall{library, std::move(*made)};
}

Status CallLibraries::prepare(std::span<const MadeCall *const> calls,
                              void *workspace, cudaStream_t stream) const {
  for (const auto &[open, library] : libraries) {
    std::vector<LibraryCall *> own;
    for (const MadeCall *made : calls)
      if (made->library == library.get())
        own.push_back(made->call.get());
    if (own.empty())
      continue;
    if (Status status = library->prepare(own, workspace, stream); !status.ok())
      return status;
  }
  return {};
}

std::string CallLibraries::writePlans() const {
  std::string text;
  for (const auto &[open, library] : libraries)
    text += library->writePlans();
  return text;
}

Status CallLibraries::readPlans(std::string_view text) const {
  for (const auto &[open, library] : libraries)
    if (Status status = library->readPlans(text); !status.ok())
      return status;
  return {};
}
