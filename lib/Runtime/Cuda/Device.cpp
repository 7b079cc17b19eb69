#include "Device.h"

#include <algorithm>
#include <charconv>

using namespace mpc;
using namespace mpc::runtime;
using program::CodeFormat;
using program::CodeSection;

/// 13020 as "13.2".
static std::string formatVersion(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

/// Drivers run the runtimes of their own major version and of older ones.
static Status checkDriver(const CudaApi &api) {
  int driver = 0, runtime = 0;
  if (cudaError_t error = api.cudaRuntimeGetVersion(&runtime))
    return makeStatus(api, error, "cudaRuntimeGetVersion");
  if (cudaError_t error = api.cudaDriverGetVersion(&driver))
    return makeStatus(api, error, "cudaDriverGetVersion");
  if (driver / 1000 >= runtime / 1000)
    return {};
  return {StatusCode::DeviceUnsupported,
          "expected an NVIDIA driver for CUDA " +
              formatVersion(runtime / 1000 * 1000) + " or newer, but " +
              (driver ? "the driver is for CUDA " + formatVersion(driver)
                      : "found no driver")};
}

static Status checkOrdinal(const CudaApi &api, uint32_t ordinal) {
  int count = 0;
  if (cudaError_t error = api.cudaGetDeviceCount(&count))
    return makeStatus(api, error,
                      "expected a CUDA device, but cudaGetDeviceCount says");
  if (ordinal < static_cast<uint32_t>(count))
    return {};
  return {StatusCode::DeviceUnsupported,
          "expected CUDA device " + std::to_string(ordinal) + ", but found " +
              std::to_string(count) + (count == 1 ? " device" : " devices")};
}

Result<Device> runtime::findDevice(const CudaApi &api, uint32_t ordinal) {
  if (Status status = checkDriver(api); !status.ok())
    return status;
  if (Status status = checkOrdinal(api, ordinal); !status.ok())
    return status;
  Device device;
  device.ordinal = static_cast<int>(ordinal);
  cudaDeviceProp properties = {};
  if (auto error = api.cudaGetDeviceProperties(&properties, device.ordinal))
    return makeStatus(api, error, "cudaGetDeviceProperties");
  device.name = properties.name;
  device.major = static_cast<uint32_t>(properties.major);
  device.minor = static_cast<uint32_t>(properties.minor);
  device.multiprocessors =
      static_cast<uint32_t>(properties.multiProcessorCount);
  return device;
}

namespace {
/// The architecture that code is for: "sm_90" as 9 and 0; all 0 if it is
/// something else. Code for "sm_100f" runs on the family of 10.0, its major
/// version from its minor version on, as a cubin does anyway; code for
/// "sm_90a", which may use what only that chip has, on 9.0 alone. PTX of either
/// is no more for every newer GPU.
struct Capability {
  enum Reach { Newer, Family, Itself };

  explicit Capability(std::string_view target) {
    uint32_t digits = 0;
    if (!target.starts_with("sm_"))
      return;
    const char *end = target.data() + target.size();
    auto [stop, error] = std::from_chars(target.data() + 3, end, digits);
    std::string_view suffix(stop, static_cast<size_t>(end - stop));
    if (error != std::errc() ||
        (!suffix.empty() && suffix != "a" && suffix != "f"))
      return;
    major = digits / 10;
    minor = digits % 10;
    reach = suffix == "a" ? Itself : suffix == "f" ? Family : Newer;
  }
  uint32_t major = 0, minor = 0;
  Reach reach = Newer;
};
} // namespace

static const char *formatName(CodeFormat format) {
  switch (format) {
  case CodeFormat::ElfSharedObject:
    return "shared object";
  case CodeFormat::Cubin:
    return "cubin";
  case CodeFormat::Ptx:
    return "PTX";
  }
  return "unknown format";
}

/// "sm_80 (cubin), sm_90 (PTX)".
static std::string listCode(const program::Program &program) {
  std::vector<std::string> names;
  for (const CodeSection *section : *program.code()) {
    std::string name =
        section->target()->str() + " (" + formatName(section->format()) + ")";
    if (std::ranges::find(names, name) == names.end())
      names.push_back(name);
  }
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "no code" : list;
}

/// The better the higher; negative if `device` cannot run it.
static int rate(const CodeSection &section, const Device &device) {
  Capability code(section.target()->string_view());
  bool older = code.major < device.major;
  bool same = code.major == device.major && code.minor <= device.minor;
  if (code.reach == Capability::Itself)
    same = same && code.minor == device.minor;
  // What is made for fewer devices is made better for them.
  int rank = static_cast<int>(code.major * 10 + code.minor) * 3 + code.reach;
  constexpr int cubin = 10000;
  if (section.format() == CodeFormat::Cubin && same)
    return cubin + rank;
  bool translates = same || (older && code.reach == Capability::Newer);
  if (section.format() == CodeFormat::Ptx && translates && code.major)
    return rank;
  return -1;
}

Result<std::vector<const CodeSection *>>
runtime::chooseCode(const program::Program &program, const Device &device) {
  std::vector<const CodeSection *> chosen;
  if (!program.kernels() || program.kernels()->size() == 0)
    return chosen;
  int best = -1;
  for (uint32_t i = 0; program.code() && i < program.code()->size(); ++i) {
    const CodeSection *section = program.code()->Get(i);
    int rating = rate(*section, device);
    if (rating < 0 || rating < best)
      continue;
    if (rating > best)
      chosen.clear();
    best = rating;
    chosen.push_back(section);
  }
  if (!chosen.empty())
    return chosen;
  std::string arch =
      "sm_" + std::to_string(device.major) + std::to_string(device.minor);
  return Status(StatusCode::DeviceUnsupported,
                "device " + std::to_string(device.ordinal) + " '" +
                    device.name + "' is " + arch +
                    ", but the program has code for " +
                    (program.code() ? listCode(program) : "none") +
                    "; compile it with --arch=" + arch);
}
