// A layer and a head under every optimizer, and with every kind of 16-bit master.
// RUN: %compare -- --optimizer=sgd --momentum=0.9 --dampening=0.5
// RUN: %compare -- --optimizer=adam --weight-decay=0.1 --clip-norm=0.5
// RUN: %compare -- --optimizer=adagrad --lr-decay=0.1 --initial-accumulator=0.1 --loss-scale=dynamic
// RUN: %compare -- --optimizer=rmsprop --momentum=0.5 --centered=true --epsilon=0.01
// RUN: %compare -- --optimizer=lamb --weight-decay=0.1
// RUN: %compare -- --optimizer=lomo --clip-value=0.05
// RUN: %compare --rounded --rtol=0.05 --atol=0.02 -- --precision=bf16 --optimizer=sgd --master=bf16
// RUN: %compare --rounded --rtol=0.05 --atol=0.02 -- --precision=fp16 --loss-scale=dynamic --optimizer=sgd --momentum=0.9 --master=f16
// RUN: %compare --rounded --rtol=0.05 --atol=0.02 -- --precision=bf16 --optimizer=sgd --momentum=0.9 --master=bf16_kahan
// RUN: %compare --rounded --rtol=0.05 --atol=0.02 -- --precision=bf16 --optimizer=sgd --momentum=0.9 --master=bf16_stochastic
func.func @layers(
    %x: tensor<16x12xf32> {graph.input = "x"},
    %target: tensor<16x3xf32> {graph.input = "target"},
    %w: tensor<12x24xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.3>},
    %b: tensor<24xf32> {graph.parameter = "b", graph.init = #graph.zeros},
    %v: tensor<24x3xf32> {graph.parameter = "v", graph.init = #graph.normal<0.0, 0.3>})
    -> (tensor<f32> {graph.loss}, tensor<16x3xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.05>>} {
  %0 = graph.matmul %x, %w : (tensor<16x12xf32>, tensor<12x24xf32>) -> tensor<16x24xf32>
  %1 = graph.add %0, %b : (tensor<16x24xf32>, tensor<24xf32>) -> tensor<16x24xf32>
  %2 = graph.tanh %1 : tensor<16x24xf32>
  %3 = graph.matmul %2, %v : (tensor<16x24xf32>, tensor<24x3xf32>) -> tensor<16x3xf32>
  %loss = graph.mse %3, %target : (tensor<16x3xf32>, tensor<16x3xf32>) -> tensor<f32>
  return %loss, %3 : tensor<f32>, tensor<16x3xf32>
}
