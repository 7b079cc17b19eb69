// dump-code PROGRAM.mpcx FOLDER
//
// Writes each code section as FOLDER/<target>.<number>.<so|cubin|ptx>, the
// folder being there, and prints one line per kernel launch of a GPU section:
// target, format, symbol, grid, block, bytes of shared memory and of workspace.
#include "mpc/Program/Program.h"

#include <cstdio>
#include <fstream>

using namespace mpc;
using namespace mpc::program;

static const char *extensionOf(CodeFormat format) {
  switch (format) {
  case CodeFormat::ElfSharedObject:
    return "so";
  case CodeFormat::Cubin:
    return "cubin";
  case CodeFormat::Ptx:
    return "ptx";
  }
  return "unknown";
}

static void printLaunches(const CodeSection &section) {
  if (!section.launches())
    return;
  for (const KernelLaunch *launch : *section.launches())
    for (const KernelStage *stage : *launch->stages())
      std::printf("%s %s %s grid %u block %u shared %u workspace %llu\n",
                  section.target()->c_str(), extensionOf(section.format()),
                  stage->symbol()->c_str(), stage->grid(), stage->block(),
                  stage->shared_bytes(),
                  static_cast<unsigned long long>(launch->workspace_bytes()));
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "dump-code PROGRAM.mpcx FOLDER\n");
    return 2;
  }
  constexpr std::string_view targets[] = {"cpu", "cuda"};
  auto file = ProgramFile::open(argv[1], targets);
  if (!file) {
    std::fprintf(stderr, "%s\n", file.status().message().c_str());
    return 1;
  }
  int number = 0;
  for (const CodeSection *section : *(*file)->code()) {
    printLaunches(*section);
    std::ofstream out(std::string(argv[2]) + "/" + section->target()->str() +
                          "." + std::to_string(number++) + "." +
                          extensionOf(section->format()),
                      std::ios::binary);
    out.write(reinterpret_cast<const char *>(section->data()->data()),
              section->data()->size());
    if (!out)
      return 1;
  }
}
