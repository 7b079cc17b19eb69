// A complete application that trains a model through the C++ interface:
//
//   mpc-compile line.mlir -o line.mpcx --target=cpu
//   ./train line.mpcx 300 line.safetensors
//
// The third argument, a checkpoint, is optional: training goes on from it if it
// is there, and ends by writing it.
//
// It knows nothing of the compiler; it links libmpcrt and nothing else of mpc.
#include <mpc-c/Runtime.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

static int complain(const char *what, const std::string &message) {
  std::fprintf(stderr, "train: %s: %s\n", what, message.c_str());
  return 1;
}

static bool exists(const char *path) {
  std::FILE *file = std::fopen(path, "rb");
  if (file)
    std::fclose(file);
  return file;
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4)
    return complain("usage", "train <model.mpcx> <steps> [<checkpoint>]");
  const char *checkpoint = argc == 4 ? argv[3] : nullptr;

  // The file holds machine code, so say that you trust it.
  auto program = mpc::rt::Program::load(argv[1], {true});
  if (!program)
    return complain("load", program.message());
  auto session = mpc::rt::Session::create(*program);
  if (!session)
    return complain("session", session.message());
  int done = 0;
  if (checkpoint && exists(checkpoint)) {
    auto metadata = session->load(checkpoint);
    if (!metadata)
      return complain("load", metadata.message());
    done = std::atoi((*metadata)["steps"].c_str());
    std::printf("going on after step %d\n", done);
  } else if (auto status = session->init(/*seed=*/42); !status) {
    return complain("init", status.message());
  }

  // 32 points of the line t = 3 x - 1.
  std::vector<float> x(32), target(32);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = (static_cast<float>(i) - 16) / 16;
    target[i] = 3 * x[i] - 1;
  }
  const uint64_t bytes = x.size() * sizeof(float);

  const int steps = std::atoi(argv[2]);
  while (done < steps) {
    auto status =
        session->run("step", {{x.data(), bytes}, {target.data(), bytes}});
    if (!status)
      return complain("step", status.message());
    if (++done % 100 != 0)
      continue;
    // A program that scales its loss also reports scale, found_inf and more.
    auto report = session->stepReport();
    if (!report)
      return complain("report", report.message());
    std::printf("step %d loss %g%s\n", done, report->loss.value_or(0),
                report->wasSkipped() ? ", skipped" : "");
  }

  if (checkpoint)
    if (auto status =
            session->save(checkpoint, {{"steps", std::to_string(done)}});
        !status)
      return complain("save", status.message());

  auto w = session->state<float>("w"), b = session->state<float>("b");
  if (!w || !b)
    return complain("state", w ? b.message() : w.message());
  std::printf("t = %.3f x + %.3f\n", static_cast<double>(w->front()),
              static_cast<double>(b->front()));
  return 0;
}
