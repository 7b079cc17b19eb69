// What the role of a state demands of its owner, first value and type: of marks
// here, of declarations in test/Dialect/Exec/IR/ops-errors.mlir.
// RUN: mpc-opt %s --verify-diagnostics --split-input-file

// expected-error @+1 {{expected `of` and a parameter for weight_copy "w.f16"}}
func.func @copy_of_nothing(%x: tensor<4xf16> {graph.state = #graph.state<"w.f16" weight_copy>}) { return }

// -----
// expected-error @+1 {{expected weight_copy "w.f16" to have no `init`, since the entry `init` computes it, but got #graph.zeros}}
func.func @copy_with_init(%x: tensor<4xf16> {graph.state = #graph.state<"w.f16" weight_copy of "w" init #graph.zeros>}) { return }

// -----
// expected-error @+1 {{expected moment "m" to start at #graph.zeros or a #graph.fill, but got #graph.normal<0.0, 1.0>}}
func.func @random_moment(%x: tensor<4xf32> {graph.state = #graph.state<"m" moment of "w" init #graph.normal<0.0, 1.0>>}) { return }

// -----
// expected-error @+1 {{expected accumulator "w.grad" to start at #graph.zeros, but got #graph.fill<1.0>}}
func.func @sum_from_one(%x: tensor<4xf32> {graph.state = #graph.state<"w.grad" accumulator of "w" init #graph.fill<1.0>>}) { return }

// -----
// expected-error @+1 {{expected compensation "w.compensation" to start at #graph.zeros, but got #graph.uniform<0.0, 1.0>}}
func.func @random_compensation(%x: tensor<4xbf16> {graph.state = #graph.state<"w.compensation" compensation of "w" init #graph.uniform<0.0, 1.0>>}) { return }

// -----
// expected-error @+1 {{expected loss_scale "scaler.scale" to start at a #graph.fill above 0, but got #graph.zeros}}
func.func @scale_of_zero(%x: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale init #graph.zeros>}) { return }

// -----
// expected-error @+1 {{argument 0: expected loss_scale "scaler.scale" to be one number of f32, but got 'tensor<4xf32>'}}
func.func @four_scales(%x: tensor<4xf32> {graph.state = #graph.state<"scaler.scale" loss_scale init #graph.fill<2.0>>}) { return }

// -----
// expected-error @+1 {{argument 0: expected learning_rate "optimizer.lr" to be one number of f32, but got 'tensor<f64>'}}
func.func @wide_rate(%x: tensor<f64> {graph.state = #graph.state<"optimizer.lr" learning_rate init #graph.fill<0.5>>}) { return }

// -----
// expected-error @+1 {{argument 0: expected step_counter "step" to be one number of i32, but got 'tensor<f32>'}}
func.func @steps_of_floats(%x: tensor<f32> {graph.state = #graph.state<"step" step_counter init #graph.zeros>}) { return }

// -----
// expected-error @+1 {{argument 0: expected counter "skipped" to be one number of i32, but got 'tensor<i64>'}}
func.func @wide_counter(%x: tensor<i64> {graph.state = #graph.state<"skipped" counter init #graph.zeros>}) { return }

// -----
// expected-error @+1 {{argument 0: expected scaler "scaler.growth_tracker" to be of rank 0, but got 'tensor<1xi32>'}}
func.func @row_of_trackers(%x: tensor<1xi32> {graph.state = #graph.state<"scaler.growth_tracker" scaler init #graph.zeros>}) { return }

// -----
// expected-error @+1 {{argument 0: expected moment "w.exp_avg" to be of floats, but got 'tensor<4xi32>'}}
func.func @moment_of_integers(%x: tensor<4xi32> {graph.state = #graph.state<"w.exp_avg" moment of "w" init #graph.zeros>}) { return }

// -----

// expected-error @+1 {{argument 0: expected running_statistic "m" to be of f32 or f64, but got 'tensor<4xbf16>'}}
func.func @narrow_statistic(%m: tensor<4xbf16> {graph.state = #graph.state<"m" running_statistic init #graph.zeros>}) { return }

// -----

// expected-error @+1 {{expected running_statistic "m" to start at #graph.zeros or a #graph.fill, but got #graph.uniform<0.0, 1.0>}}
func.func @random_statistic(%m: tensor<4xf32> {graph.state = #graph.state<"m" running_statistic init #graph.uniform<0.0, 1.0>>}) { return }
