// Semantic checks of kernels and of the code sections that hold them.
#include "Verifier.h"

#include <map>
#include <unordered_set>

using namespace mpc;
using namespace mpc::program;

static std::string text(uint64_t value) { return std::to_string(value); }

Status Verifier::checkKernel(const Kernel &kernel) const {
  std::string who = "kernel '" + kernel.symbol()->str() + "'";
  uint64_t args = toSpan(kernel.arg_bytes()).size();
  if (kernel.num_results() > args)
    return fail(who + ": expected at most " + text(args) +
                " results, but got " + text(kernel.num_results()));
  if (kernel.extent() > kMaxExtent || (statesExtents() && kernel.extent() == 0))
    return fail(who + ": expected an extent from 1 to 2^48, but got " +
                text(kernel.extent()));
  return {};
}

Status Verifier::checkKernels() const {
  std::unordered_set<std::string_view> symbols;
  for (const Kernel *kernel : each(program.kernels())) {
    if (kernel->symbol()->size() == 0 ||
        !symbols.insert(kernel->symbol()->string_view()).second)
      return fail("kernel '" + kernel->symbol()->str() +
                  "': expected a symbol of its own");
    if (Status status = checkKernel(*kernel); !status.ok())
      return status;
  }
  return {};
}

/// "sm_90", "sm_120a".
static bool isGpuArch(std::string_view target) {
  if (!target.starts_with("sm_"))
    return false;
  target.remove_prefix(3);
  if (target.ends_with('a') || target.ends_with('f'))
    target.remove_suffix(1);
  bool digits = target.find_first_not_of("0123456789") == target.npos;
  return digits && (target.size() == 2 || target.size() == 3);
}

Status Verifier::checkStage(const KernelStage &stage,
                            const std::string &who) const {
  constexpr uint32_t mostBlocks = INT32_MAX, mostThreads = 1024;
  constexpr uint32_t mostShared = 227 * 1024; // what one block gets at most
  if (stage.symbol()->size() == 0)
    return fail(who + ": expected a symbol");
  if (stage.grid() == 0 || stage.grid() > mostBlocks)
    return fail(who + ": expected a grid of 1 to 2^31 - 1 blocks, but got " +
                text(stage.grid()));
  if (stage.block() == 0 || stage.block() > mostThreads)
    return fail(who + ": expected a block of 1 to " + text(mostThreads) +
                " threads, but got " + text(stage.block()));
  if (stage.shared_bytes() > mostShared)
    return fail(who + ": expected at most " + text(mostShared) +
                " bytes of shared memory, but got " +
                text(stage.shared_bytes()));
  return {};
}

Status Verifier::checkKernelLaunch(const KernelLaunch &launch,
                                   const std::string &who) const {
  if (launch.kernel() >= each(program.kernels()).size())
    return fail(who + ": holds kernel " + text(launch.kernel()) + " of " +
                text(each(program.kernels()).size()));
  std::string kernel =
      who + ", kernel '" +
      program.kernels()->Get(launch.kernel())->symbol()->str() + "'";
  if (launch.workspace_bytes() > kMaxBytes)
    return fail(kernel + ": workspace of more than 2^48 bytes");
  if (each(launch.stages()).size() == 0)
    return fail(kernel + ": expected a stage at least");
  for (uint32_t i = 0; i < launch.stages()->size(); ++i)
    if (Status status =
            checkStage(*launch.stages()->Get(i), kernel + ", stage " + text(i));
        !status.ok())
      return status;
  return {};
}

Status Verifier::checkSection(const CodeSection &section,
                              const std::string &who) const {
  if (!isKnown(section.format()))
    return fail(who + ": unknown format");
  bool forHost = section.format() == CodeFormat::ElfSharedObject;
  if (forHost == isForGpu())
    return fail(who + ": format " + EnumNameCodeFormat(section.format()) +
                " is not for target '" + program.target()->str() + "'");
  if (forHost && each(section.launches()).size() != 0)
    return fail(who + ": launches are for GPUs");
  if (!forHost && !isGpuArch(section.target()->string_view()))
    return fail(who + ": expected an architecture like 'sm_90'");
  for (const KernelLaunch *launch : each(section.launches()))
    if (Status status = checkKernelLaunch(*launch, who); !status.ok())
      return status;
  return {};
}

Status Verifier::checkCode() const {
  size_t kernels = each(program.kernels()).size();
  // By target and format: how often the sections hold each kernel.
  std::map<std::pair<std::string_view, CodeFormat>, std::vector<uint32_t>> held;
  for (const CodeSection *section : each(program.code())) {
    std::string who = "code section '" + section->target()->str() + "'";
    if (Status status = checkSection(*section, who); !status.ok())
      return status;
    auto &counts = held[{section->target()->string_view(), section->format()}];
    counts.resize(kernels);
    for (const KernelLaunch *launch : each(section->launches()))
      ++counts[launch->kernel()];
  }
  if (kernels && held.empty())
    return fail("expected a code section with the " + text(kernels) +
                " kernels of the program, but got none");
  for (const auto &[key, counts] : held)
    for (uint32_t i = 0; isForGpu() && i < kernels; ++i)
      if (counts[i] != 1)
        return fail("code sections '" + std::string(key.first) + "' (" +
                    EnumNameCodeFormat(key.second) +
                    "): expected every kernel once, but got '" +
                    program.kernels()->Get(i)->symbol()->str() + "' " +
                    text(counts[i]) + " times");
  return {};
}

Status Verifier::checkLaunch(const Entry &entry, const Record &record,
                             const std::string &who) const {
  if (record.extent() > kMaxExtent || record.grain() == 0 ||
      record.grain() > kMaxExtent)
    return fail(who +
                ": expected an extent of at most 2^48 and a grain from "
                "1 to that, but got " +
                text(record.extent()) + " and " + text(record.grain()));
  const Kernel &kernel = *program.kernels()->Get(record.target());
  std::string name = "kernel '" + kernel.symbol()->str() + "'";
  if (statesExtents() && record.extent() > kernel.extent())
    return fail(who + ": " + name + " has an extent of " +
                text(kernel.extent()) + ", but got " + text(record.extent()));
  std::vector<Operand> operands = getOperands(program, record);
  if (operands.empty() && !statesExtents())
    operands.resize(record.num_args(), {0, false});
  if (operands.size() != record.num_args())
    return fail(who + ": " + name + " expects " + text(operands.size()) +
                " arguments, but got " + text(record.num_args()));
  return checkOperands(entry, record, operands, who);
}
