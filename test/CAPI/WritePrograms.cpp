// Writes the hand-made programs to files, for the tests that start from them:
// the line to the first argument, the one for target "cuda" to the second.
#include "../Runtime/CudaProgram.h"
#include "../Runtime/LineProgram.h"

#include <cstdio>

static mpc::Status write(mpc::test::HandMade made, const char *path) {
  auto bytes = mpc::program::serialize(made.program);
  return bytes ? mpc::program::writeFile(path, *bytes) : bytes.status();
}

int main(int argc, char **argv) {
  mpc::Status status(mpc::StatusCode::InvalidArgument, "expected two paths");
  if (argc == 3)
    status = write(mpc::test::makeLineProgram(), argv[1]);
  if (status.ok())
    status = write(mpc::test::makeCudaProgram(), argv[2]);
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
