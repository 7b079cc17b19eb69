// Writes the hand-made programs to files, for the tests that start from them:
// the line to the first argument, the one for target "cuda" to the second, one
// with states of 16 and 8 bits, which nothing reads, to the third.
#include "../Runtime/CudaProgram.h"
#include "../Runtime/LineProgram.h"

#include <cstdio>

static mpc::Status write(mpc::test::HandMade made, const char *path) {
  auto bytes = mpc::program::serialize(made.program);
  return bytes ? mpc::program::writeFile(path, *bytes) : bytes.status();
}

static mpc::test::HandMade makeNarrowProgram() {
  using mpc::program::ElementType;
  mpc::test::HandMade made;
  made.state("half", ElementType::F16, {3});
  made.state("brain", ElementType::BF16, {3});
  made.state("eighth", ElementType::F8E4M3, {3});
  made.state("flag", ElementType::I1, {3});
  made.entry("init");
  return made;
}

int main(int argc, char **argv) {
  mpc::Status status(mpc::StatusCode::InvalidArgument, "expected three paths");
  if (argc == 4)
    status = write(mpc::test::makeLineProgram(), argv[1]);
  if (status.ok())
    status = write(mpc::test::makeCudaProgram(), argv[2]);
  if (status.ok())
    status = write(makeNarrowProgram(), argv[3]);
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
