// Writes the hand-made line program to a file, for the tests that start from
// one: the C interface from C, and the embedding example.
#include "../Runtime/LineProgram.h"

#include <cstdio>

int main(int argc, char **argv) {
  mpc::test::HandMade made = mpc::test::makeLineProgram();
  auto bytes = mpc::program::serialize(made.program);
  mpc::Status status =
      bytes && argc == 2
          ? mpc::program::writeFile(argv[1], *bytes)
          : mpc::Status(mpc::StatusCode::InvalidArgument, "no program or path");
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
