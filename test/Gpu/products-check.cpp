// products-check: what cuBLASLt makes of products on this machine's device.
//
//   products-check           all that a program can ask for, against plain
//   loops products-check shapes    the products of a step of GPT-2: how fast,
//   and the
//                            same bytes twice
//   products-check convolutions    those of ResNet-50 by cuDNN, likewise
//   products-check probe     device, libraries, bytes of a copy, a large
//   product
//
// Exit codes: 0 all is right, 1 something is wrong, 2 wrong usage, 3 no device
// (probe: 1, and also without cuBLASLt).
#include "ConvolutionSpeed.h"
#include "ProductSpeed.h"
#include "ProductsCheck.h"

#include <cstdio>
#include <cstring>

using namespace mpc;

static int fail(const Status &status) {
  std::fprintf(stderr, "products-check: %s\n", status.message().c_str());
  return status.code() == StatusCode::DeviceUnsupported ? 3 : 1;
}

static int check() {
  auto report = test::checkProducts(runtime::getPlatform());
  if (!report)
    return fail(report.status());
  std::fputs(writeRows(*report).c_str(), stdout);
  for (const std::string &wrong : report->wrong)
    std::fprintf(stderr, "products-check: %s\n", wrong.c_str());
  return report->wrong.empty() ? 0 : 1;
}

static int measureShapes() {
  auto rows = test::measureStepProducts(runtime::getPlatform(), {});
  if (!rows)
    return fail(rows.status());
  std::fputs(writeRows(*rows).c_str(), stdout);
  bool same = true;
  for (const test::ProductSpeed &row : *rows)
    if (!row.repeats) {
      same = false;
      std::fprintf(stderr, "products-check: %s: other bytes the next time\n",
                   row.asked.c_str());
    }
  return same ? 0 : 1;
}

static int measureConvolutions() {
  auto rows = test::measureConvolutions(runtime::getPlatform(), 64, 0.02);
  if (!rows)
    return fail(rows.status());
  std::fputs(writeRows(*rows).c_str(), stdout);
  bool same = true;
  for (const test::ConvolutionSpeed &row : *rows)
    if (!row.repeats) {
      same = false;
      std::fprintf(stderr, "products-check: %s: other bytes the next time\n",
                   row.convolution.c_str());
    }
  return same ? 0 : 1;
}

static int probe() {
  auto lines = test::probe(runtime::getPlatform(), {});
  if (!lines) {
    (void)fail(lines.status());
    return 1;
  }
  for (const std::string &line : *lines)
    std::printf("%s\n", line.c_str());
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 1)
    return check();
  if (argc == 2 && std::strcmp(argv[1], "shapes") == 0)
    return measureShapes();
  if (argc == 2 && std::strcmp(argv[1], "convolutions") == 0)
    return measureConvolutions();
  if (argc == 2 && std::strcmp(argv[1], "probe") == 0)
    return probe();
  std::fputs("usage: products-check [shapes | convolutions | probe]\n", stderr);
  return 2;
}
