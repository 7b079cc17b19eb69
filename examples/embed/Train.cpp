// A complete application that trains a model through the C++ interface:
//
//   mpc-compile line.mlir -o line.mpcx --target=cpu
//   ./train line.mpcx 300
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

int main(int argc, char **argv) {
  if (argc != 3)
    return complain("usage", "train <model.mpcx> <steps>");

  // The file holds machine code, so say that you trust it.
  auto program = mpc::rt::Program::load(argv[1], {true});
  if (!program)
    return complain("load", program.message());
  auto session = mpc::rt::Session::create(*program);
  if (!session)
    return complain("session", session.message());
  if (auto status = session->init(/*seed=*/42); !status)
    return complain("init", status.message());

  // 32 points of the line t = 3 x - 1.
  std::vector<float> x(32), target(32);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = (static_cast<float>(i) - 16) / 16;
    target[i] = 3 * x[i] - 1;
  }
  const uint64_t bytes = x.size() * sizeof(float);

  const int steps = std::atoi(argv[2]);
  for (int step = 1; step <= steps; ++step) {
    auto status =
        session->run("step", {{x.data(), bytes}, {target.data(), bytes}});
    if (!status)
      return complain("step", status.message());
    if (step % 100 != 0)
      continue;
    // A program that scales its loss also reports scale, found_inf and more.
    auto report = session->stepReport();
    if (!report)
      return complain("report", report.message());
    std::printf("step %d loss %g%s\n", step, report->loss.value_or(0),
                report->wasSkipped() ? ", skipped" : "");
  }

  auto w = session->state<float>("w"), b = session->state<float>("b");
  if (!w || !b)
    return complain("state", w ? b.message() : w.message());
  std::printf("t = %.3f x + %.3f\n", static_cast<double>(w->front()),
              static_cast<double>(b->front()));
  return 0;
}
