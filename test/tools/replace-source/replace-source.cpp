// replace-source PROGRAM.mpcx MODEL.mlir OUT.mpcx [NAME]
//
// Writes PROGRAM with the text of MODEL as its source and NAME as its model's
// name, whole and with the right hash: what somebody could send who wants
// `mpc-compile --probe` to read it.
#include "mpc/Program/Program.h"

#include <cstdio>
#include <fstream>
#include <iterator>

using namespace mpc;
using namespace mpc::program;

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr,
                 "replace-source PROGRAM.mpcx MODEL.mlir OUT.mpcx [NAME]\n");
    return 2;
  }
  constexpr std::string_view targets[] = {"cpu", "cuda"};
  auto file = ProgramFile::open(argv[1], targets);
  if (!file) {
    std::fprintf(stderr, "%s\n", file.status().message().c_str());
    return 1;
  }
  ProgramT program;
  (**file).UnPackTo(&program);
  std::ifstream model(argv[2], std::ios::binary);
  if (!model || !program.source)
    return 1;
  program.source->model.assign(std::istreambuf_iterator<char>(model), {});
  if (argc == 5)
    program.model = argv[4];
  auto bytes = serialize(program);
  if (!bytes) {
    std::fprintf(stderr, "%s\n", bytes.status().message().c_str());
    return 1;
  }
  return writeFile(argv[3], *bytes).ok() ? 0 : 1;
}
