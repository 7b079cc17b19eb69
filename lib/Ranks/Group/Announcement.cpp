#include "Announcement.h"

#include <cstring>
#include <tuple>

using namespace mpc;
using namespace mpc::ranks;

static std::string_view nameOf(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum:
    return "sum";
  case Reduction::Average:
    return "average";
  case Reduction::Max:
    break;
  }
  return "max";
}

bool Announcement::holds(const Collective &which) {
  return isBarrier(which.kind) ||
         (which.kind != CollectiveKind::ReduceScatter &&
          which.count <= sizeof elements / getInfo(which.type).bytes);
}

void Announcement::say(const Collective &which, uint64_t itsNumber,
                       uint32_t rank) {
  *this = {};
  number = itsNumber;
  kind = static_cast<uint32_t>(which.kind);
  which.name.copy(name, sizeof name - 1);
  if (isBarrier(which.kind))
    return;
  count = which.count;
  type = static_cast<uint32_t>(which.type);
  if (folds(which.kind))
    reduction = static_cast<uint32_t>(which.reduction);
  bool brings = which.count > 0;
  const void *source = which.source;
  if (which.kind == CollectiveKind::Broadcast) {
    root = which.root;
    brings &= rank == root;
    source = source ? source : which.result;
  }
  if (brings && holds(which))
    std::memcpy(elements, source, which.count * getInfo(which.type).bytes);
}

bool Announcement::isLike(const Announcement &other) const {
  return std::tie(number, count, kind, type, reduction, root) ==
         std::tie(other.number, other.count, other.kind, other.type,
                  other.reduction, other.root);
}

std::string Announcement::text() const {
  // It came from elsewhere: bytes of anything.
  if (kind > static_cast<uint32_t>(CollectiveKind::Leave) ||
      type >= static_cast<uint32_t>(kNumDTypes) ||
      reduction > static_cast<uint32_t>(Reduction::Max))
    return "what is no collective";
  Collective meant{.kind = static_cast<CollectiveKind>(kind),
                   .type = static_cast<DType>(type),
                   .count = count,
                   .name = {name, strnlen(name, sizeof name)}};
  std::string text = meant.text();
  if (folds(meant.kind))
    text += " (" + std::string(nameOf(static_cast<Reduction>(reduction))) + ")";
  if (meant.kind == CollectiveKind::Broadcast)
    text += " from rank " + std::to_string(root);
  return text + ", number " + std::to_string(number);
}
