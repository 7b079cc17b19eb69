#include "RangeMarker.h"

#include <nvtx3/nvToolsExt.h>

using namespace mpc;
using namespace mpc::runtime;

static nvtxDomainHandle_t nvtxDomain() {
  static const nvtxDomainHandle_t domain = nvtxDomainCreateA("mpc");
  return domain;
}

static void pushNvtx(const char *name) {
  nvtxEventAttributes_t range = {};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = name;
  (void)nvtxDomainRangePushEx(nvtxDomain(), &range);
}
static void popNvtx() { (void)nvtxDomainRangePop(nvtxDomain()); }

const RangeMarker &runtime::getNvtx() {
  static constexpr RangeMarker marker = {pushNvtx, popNvtx};
  return marker;
}
