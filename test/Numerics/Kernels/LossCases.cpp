// Losses of elements and of samples, with each of their words.
#include "CaseText.h"
#include "Cases.h"

using namespace mpc::test;

static void addLosses(Cases &cases, const std::string &element) {
  std::string logits = type({19, 37}, element), weight = type({37}, element);
  std::string one = "tensor<f32>", samples = type({19}, "f32");
  for (const char *op :
       {"mse %a0, %a1", "l1 %a0, %a1", "smooth_l1 %a0, %a1 beta = 0.5",
        "huber %a0, %a1", "binary_cross_entropy_with_logits %a0, %a1"})
    addFunctional(cases, std::string("graph.") + op, {logits, logits}, one);
  addFunctional(cases, "graph.huber %a0, %a1 delta = 0.3 reduction = <none>",
                {logits, logits}, type({19, 37}, "f32"));
  addFunctional(
      cases, "graph.binary_cross_entropy_with_logits %a0, %a1 pos_weight %a2",
      {logits, logits, weight}, one);
  for (const char *op : {"kl_div %a0, %a1 log_target", "kl_div %a0, %a1"})
    addFunctional(cases, std::string("graph.") + op + " reduction = <none>",
                  {logits, logits}, type({19, 37}, "f32"));
  addFunctional(cases, "graph.cross_entropy %a0, %a1",
                {logits, type({19}, "i32")}, one);
  addFunctional(cases, "graph.cross_entropy %a0, %a1 ignore_index = 3",
                {logits, type({19}, "i64")}, one);
  std::string labels = type({19}, "i32"), mask = type({19}, element);
  for (const char *op :
       {"cross_entropy %a0, %a1 mask %a2 weight %a3 label_smoothing = 0.2 "
        "reduction = <none>",
        "nll %a0, %a1 mask %a2 weight %a3 ignore_index = 1 reduction = <none>"})
    addFunctional(cases, std::string("graph.") + op,
                  {logits, labels, mask, weight}, samples);
  addFunctional(cases, "graph.cross_entropy %a0, %a1 mask %a2 epsilon = 2.0",
                {logits, labels, type({19}, "i1")}, one);
  // Targets of any sign cancel in a mean.
  addFunctional(cases,
                "graph.soft_cross_entropy %a0, %a1 label_smoothing = 0.1 "
                "reduction = <none>",
                {logits, logits}, samples);
  addFunctional(
      cases, "graph.soft_cross_entropy %a0, %a1 weight %a2 reduction = <none>",
      {logits, logits, weight}, samples);
}

std::string mpc::test::makeLossCases() {
  Cases cases;
  for (const char *element : {"f32", "f16", "bf16"})
    addLosses(cases, element);
  return cases.str();
}
