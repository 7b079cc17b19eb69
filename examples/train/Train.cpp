// What `mpc-run train` does, in an application of its own:
//
//   mpc-compile ../digits/digits.mlir -o digits.mpcx --target=cpu
//   ./train-digits digits.mpcx ../digits/data/train-images.npy
//     ../digits/data/train-labels.npy digits.safetensors
//
// The file that it writes is the one that mpc-run would have written, to the
// bit; mpc-run eval reads it. Who has data in no file, or wants a step of their
// own, begins with examples/embed instead.
#include <mpc/Train/Train.h>

#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 5)
    return std::puts("train-digits <model> <images> <labels> <weights>"), 2;
  mpc::train::TrainOptions options;
  options.program = {argv[1], /*allowCode=*/true}; // you trust its machine code
  options.data.files = {{"x", argv[2]}, {"label", argv[3]}};
  options.epochs = 3;
  options.saving.file = argv[4];
  auto run = mpc::train::train(options);
  if (!run)
    return std::fprintf(stderr, "train: %s\n", run.message().c_str()), 1;
  std::printf("%s\n", describe(run->summary).c_str());
  return 0;
}
