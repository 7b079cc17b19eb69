#include "mpc/Dialect/Graph/IR/Watch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::graph;

static constexpr StringRef kWatch = "graph.watch";

static std::optional<Watch> read(mlir::FusedLoc location) {
  auto metadata = dyn_cast_or_null<DictionaryAttr>(location.getMetadata());
  auto fields = metadata ? metadata.getAs<mlir::DenseI64ArrayAttr>(kWatch)
                         : mlir::DenseI64ArrayAttr();
  if (!fields || fields.size() != 3)
    return std::nullopt;
  return Watch{static_cast<WatchKind>(fields[0]), fields[1], fields[2]};
}

Location graph::addWatch(Location location, Watch watch) {
  Builder builder(location.getContext());
  Attribute fields = builder.getDenseI64ArrayAttr(
      {static_cast<int64_t>(watch.kind), watch.id, watch.result});
  return mlir::FusedLoc::get(
      location.getContext(), {location},
      builder.getDictionaryAttr(builder.getNamedAttr(kWatch, fields)));
}

SmallVector<Watch, 2> graph::watchesOf(Location location) {
  SmallVector<Watch, 2> watches;
  while (auto fused = dyn_cast<mlir::FusedLoc>(location)) {
    std::optional<Watch> watch = read(fused);
    if (!watch)
      break;
    watches.push_back(*watch);
    location = fused.getLocations().front();
  }
  return watches;
}

Location graph::withoutWatches(Location location) {
  while (auto fused = dyn_cast<mlir::FusedLoc>(location)) {
    if (!read(fused))
      break;
    location = fused.getLocations().front();
  }
  return location;
}

SmallVector<int64_t, 2> graph::idsWithin(Location location) {
  SmallVector<int64_t, 2> ids;
  mlir::LocationAttr(location).walk([&](mlir::LocationAttr inner) {
    auto fused = dyn_cast<mlir::FusedLoc>(inner);
    std::optional<Watch> watch = fused ? read(fused) : std::nullopt;
    bool reads = watch && (watch->kind == WatchKind::Reader ||
                           watch->kind == WatchKind::GradientReader);
    if (watch && !reads && !llvm::is_contained(ids, watch->id))
      ids.push_back(watch->id);
    return mlir::WalkResult::advance();
  });
  return ids;
}

void graph::watchGradient(Location location, unsigned result, Value gradient) {
  auto made = dyn_cast_or_null<mlir::OpResult>(gradient);
  if (!made)
    return;
  for (const Watch &watch : watchesOf(location))
    if (watch.kind == WatchKind::Value && watch.result == result)
      made.getOwner()->setLoc(
          addWatch(made.getOwner()->getLoc(),
                   {WatchKind::Gradient, watch.id, made.getResultNumber()}));
}
