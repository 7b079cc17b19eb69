// products-check: what cuBLASLt makes of all products on this machine's device.
// Exit codes: 0 all is right, 1 something is wrong, 3 no device.
#include "ProductsCheck.h"

#include <cstdio>

using namespace mpc;

int main() {
  auto report = test::checkProducts(runtime::getPlatform());
  if (!report) {
    std::fprintf(stderr, "products-check: %s\n",
                 report.status().message().c_str());
    return report.status().code() == StatusCode::DeviceUnsupported ? 3 : 1;
  }
  std::fputs(writeRows(*report).c_str(), stdout);
  for (const std::string &wrong : report->wrong)
    std::fprintf(stderr, "products-check: %s\n", wrong.c_str());
  return report->wrong.empty() ? 0 : 1;
}
