// Finds the CUDA toolkit.
#include "mpc/Target/Cuda.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mpc::target;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string join(StringRef folder, const Twine &name) {
  llvm::SmallString<128> result(folder);
  path::append(result, name);
  return std::string(result);
}

static llvm::Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The toolkit that the tool `name` on the PATH belongs to, behind links.
static std::optional<std::string> folderOfTool(StringRef name) {
  auto tool = llvm::sys::findProgramByName(name);
  llvm::SmallString<128> real;
  if (!tool || fs::real_path(*tool, real))
    return std::nullopt;
  return path::parent_path(path::parent_path(real)).str();
}

/// Where to look, in order; one place only if the user named it.
static std::vector<std::string> placesToLook(const std::string &folder) {
  if (!folder.empty())
    return {folder};
  std::vector<std::string> places;
  auto add = [&](std::optional<std::string> place) {
    if (place && !place->empty() && !llvm::is_contained(places, *place))
      places.push_back(std::move(*place));
  };
  for (StringRef name : {"CUDA_HOME", "CUDA_ROOT", "CUDA_PATH"})
    add(llvm::sys::Process::GetEnv(name));
  add(folderOfTool("nvcc"));
  add(folderOfTool("ptxas"));
  add("/usr/local/cuda");
  return places;
}

/// ptxas of the toolkit in `folder`; "" if there is none.
static llvm::Expected<std::string> findPtxas(StringRef folder) {
  auto named = llvm::sys::Process::GetEnv("MPC_PTXAS");
  if (named && !named->empty()) {
    if (fs::can_execute(*named))
      return *named;
    return error("expected MPC_PTXAS to name a program, but got '" + *named +
                 "'");
  }
  std::string ptxas = join(folder, "bin/ptxas");
  return fs::can_execute(ptxas) ? ptxas : std::string();
}

llvm::Expected<CudaToolkit> CudaToolkit::find(const std::string &folder) {
  std::vector<std::string> places = placesToLook(folder);
  for (const std::string &place : places) {
    std::string libdevice = join(place, "nvvm/libdevice/libdevice.10.bc");
    if (!fs::exists(libdevice))
      continue;
    auto ptxas = findPtxas(place);
    if (!ptxas)
      return ptxas.takeError();
    return CudaToolkit{place, std::move(*ptxas), std::move(libdevice)};
  }
  return error("expected nvvm/libdevice/libdevice.10.bc in the CUDA toolkit, "
               "but found none in: " +
               llvm::join(places, ", ") +
               "; install CUDA 13, or say where it is with --cuda-path or "
               "CUDA_HOME");
}
