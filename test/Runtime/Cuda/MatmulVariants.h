// All that products are asked for: types, and what an epilogue does beside
// multiplying.
#ifndef MPC_TEST_RUNTIME_CUDA_MATMULVARIANTS_H
#define MPC_TEST_RUNTIME_CUDA_MATMULVARIANTS_H

#include "MatmulCase.h"

namespace mpc::runtime::fake {

struct Types {
  ElementType operand, result;
};
inline constexpr Types kTypes[] = {{ElementType::F64, ElementType::F64},
                                   {ElementType::F32, ElementType::F32},
                                   {ElementType::F16, ElementType::F16},
                                   {ElementType::F16, ElementType::F32},
                                   {ElementType::BF16, ElementType::BF16},
                                   {ElementType::BF16, ElementType::F32}};

/// What the program file can ask of a product beside multiplying.
struct Extra {
  program::Epilogue epilogue = program::Epilogue::None;
  bool bias = false, addend = false, inPlace = false; ///< of the addend
  bool aux = false, derivative = false;
};
inline constexpr Extra kExtras[] = {
    {},
    {.bias = true},
    {.epilogue = program::Epilogue::GeluTanh},
    {.epilogue = program::Epilogue::GeluTanh, .bias = true},
    {.epilogue = program::Epilogue::GeluTanh, .aux = true},
    {.epilogue = program::Epilogue::GeluTanh, .bias = true, .aux = true},
    {.epilogue = program::Epilogue::GeluTanh, .derivative = true},
    {.addend = true},
    {.addend = true, .inPlace = true},
    {.bias = true, .addend = true},
    {.bias = true, .addend = true, .inPlace = true},
    {.epilogue = program::Epilogue::GeluTanh, .bias = true, .addend = true},
    {.epilogue = program::Epilogue::GeluTanh, .addend = true, .aux = true}};

inline MatmulCase with(MatmulCase product, const Extra &extra) {
  product.spec.epilogue = extra.epilogue;
  product.spec.bias = extra.bias;
  product.spec.aux = extra.aux;
  product.spec.derivative = extra.derivative;
  product.spec.addend = extra.addend;
  product.inPlace = extra.inPlace;
  return product;
}

} // namespace mpc::runtime::fake

#endif // MPC_TEST_RUNTIME_CUDA_MATMULVARIANTS_H
