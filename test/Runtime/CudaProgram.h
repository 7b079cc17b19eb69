// A program for target "cuda" by hand, with a record of every kind: what
// mpc-compile writes, in miniature. The code sections hold no real code.
#ifndef MPC_TEST_RUNTIME_CUDAPROGRAM_H
#define MPC_TEST_RUNTIME_CUDAPROGRAM_H

#include "HandMade.h"

#include <array>

namespace mpc::test {

/// A launch of kernel `kernel` with one stage.
inline std::unique_ptr<KernelLaunchT> makeLaunch(uint32_t kernel,
                                                 const std::string &symbol) {
  auto launch = std::make_unique<KernelLaunchT>();
  launch->kernel = kernel;
  launch->stages.push_back(std::make_unique<KernelStageT>());
  launch->stages[0]->symbol = symbol;
  launch->stages[0]->grid = 4;
  launch->stages[0]->block = 128;
  return launch;
}

/// Adds a section with the kernels [first, last).
inline void addSection(HandMade &made, const std::string &arch,
                       CodeFormat format, uint32_t first, uint32_t last) {
  made.code(arch, std::vector<uint8_t>(64, 0x7f));
  CodeSectionT &section = *made.program.code.back();
  section.format = format;
  for (uint32_t i = first; i < last; ++i)
    section.launches.push_back(
        makeLaunch(i, made.program.kernels[i]->symbol + "_0"));
}

/// A product with everything that stands beside one, of the operands of the
/// second product in makeCudaProgram.
inline MatmulSpec makeFullProduct() {
  MatmulSpec all = {
      ElementType::F8E4M3, ElementType::F16, {16, 4}, {16, 8}, {4, 8}, true};
  all.epilogue = Epilogue::GeluTanh;
  all.aux = all.derivative = all.scales = true;
  return all;
}

/// Two parameters "a" (4 x 8) and "b" (2), inputs x (16 x 4) and target
/// (16 x 8), entry "step" with the output "loss". Call 0 is a plain product, 1
/// has everything; multi-tensor operation 0 is a norm, 1 is AdamW.
inline HandMade makeCudaProgram() {
  constexpr ElementType f32 = ElementType::F32, f16 = ElementType::F16;
  HandMade made;
  made.program.target = "cuda";
  Arg a = made.state("a", f32, {4, 8}, Init(InitKind::Normal, 0, 0.1));
  Arg b = made.state("b", f32, {2});
  std::vector<Arg> moments;
  for (const char *name : {"a.m", "b.m", "a.v", "b.v"})
    moments.push_back(made.state(name, f32,
                                 name[0] == 'a' ? Dims{4, 8} : Dims{2},
                                 Init(InitKind::Zeros, 0, 0), Role::Moment));
  Arg copyA = made.state("a.copy", f16, {4, 8}, Init(InitKind::Derived, 0, 0),
                         Role::WeightCopy);
  Arg copyB = made.state("b.copy", f16, {2}, Init(InitKind::Derived, 0, 0),
                         Role::WeightCopy);
  Arg lr = made.state("lr", f32, {}, Init(InitKind::Fill, 0.5, 0),
                      Role::Hyperparameter);
  Arg count = made.state("count", ElementType::I32, {},
                         Init(InitKind::Zeros, 0, 0), Role::Counter);
  Arg scale =
      made.state("scale", f32, {}, Init(InitKind::Fill, 1024, 0), Role::Scaler);
  uint32_t cast = made.kernel("k_cast", {128, 64}, 1, 32);
  uint32_t loss = made.kernel("k_loss", {512, 512, 4, 256}, 2, 16);
  made.program.names = {"the loss"};
  HandMade::record(made.entry("init"), RecordKind::Launch, cast, {a, copyA},
                   32);

  EntryT &step = made.entry("step");
  Arg x = HandMade::input(step, "x", f32, {16, 4});
  Arg target = HandMade::input(step, "target", f32, {16, 8});
  Arg y = made.arena(512), dy = made.arena(256), lossAt = made.arena(4),
      da = made.arena(64), db = made.arena(4), x16 = made.arena(128),
      aux = made.arena(64), found = made.arena(1), norm = made.arena(4),
      scaleOfLhs = made.arena(4), scaleOfRhs = made.arena(4);
  made.program.calls.push_back(
      MatmulSpec{f32, f32, {16, 4}, {4, 8}, {16, 8}}.call());
  made.program.calls.push_back(makeFullProduct().call());

  auto normOp = std::make_unique<MultiTensorT>();
  normOp->counts = {32, 2};
  normOp->gradient_type = f16;
  normOp->has_scale = true;
  auto adam = std::make_unique<MultiTensorT>(*normOp);
  adam->kind = MultiTensorKind::AdamW;
  adam->has_found_inf = adam->has_coefficient = adam->has_copies = true;
  adam->beta1 = 0.9;
  adam->beta2 = 0.999;
  made.program.multi_tensors.push_back(std::move(normOp));
  made.program.multi_tensors.push_back(std::move(adam));

  HandMade::record(step, RecordKind::Fill, 0, {db}, 4);
  HandMade::record(step, RecordKind::Copy, 0, {x, x16}, 64);
  HandMade::record(step, RecordKind::Call, 0, {x, a, y});
  HandMade::record(step, RecordKind::Launch, loss, {y, target, lossAt, dy}, 16,
                   1, 0);
  HandMade::record(step, RecordKind::Call, 1,
                   {x16, dy, da, aux, scaleOfLhs, scaleOfRhs});
  HandMade::record(step, RecordKind::MultiTensor, 0,
                   {scale, da, db, found, norm});
  HandMade::record(step, RecordKind::MultiTensor, 1,
                   {found,      scale, norm, lr,         count,      a,
                    b,          da,    db,   moments[0], moments[1], moments[2],
                    moments[3], a,     b,    moments[0], moments[1], moments[2],
                    moments[3], copyA, copyB});
  auto gradients = std::make_unique<CollectiveT>();
  gradients->kind = ReduceKind::Average;
  gradients->type = f16;
  gradients->counts = {32, 2};
  made.program.collectives.push_back(std::move(gradients));
  HandMade::record(step, RecordKind::AllReduce, 0, {da, da, db, db});
  HandMade::output(step, "loss", f32, {}, lossAt);
  addSection(made, "sm_80", CodeFormat::Cubin, 0, 2);
  addSection(made, "sm_90", CodeFormat::Cubin, 0, 1);
  addSection(made, "sm_90", CodeFormat::Cubin, 1, 2);
  addSection(made, "sm_90", CodeFormat::Ptx, 0, 2);
  return made;
}

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_CUDAPROGRAM_H
