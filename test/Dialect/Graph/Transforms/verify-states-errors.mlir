// States are of the module: every gate after autodiff, and the conversion, ask
// whether its entries agree on them, and whether their parameters are there.
// RUN: mpc-opt %s --mpc-verify-autodiff --verify-diagnostics --split-input-file
// RUN: mpc-opt %s --mpc-verify-scale --verify-diagnostics --split-input-file
// RUN: mpc-opt %s --mpc-verify-accumulate --verify-diagnostics --split-input-file
// RUN: mpc-opt %s --mpc-verify-reduce --verify-diagnostics --split-input-file
// RUN: mpc-opt %s --mpc-verify-update --verify-diagnostics --split-input-file
// RUN: mpc-opt %s --mpc-verify-simplify --verify-diagnostics --split-input-file
// RUN: mpc-opt %s --mpc-verify-group --verify-diagnostics --split-input-file
// RUN: mpc-opt %s --mpc-convert-graph-to-exec --verify-diagnostics --split-input-file

// expected-note @+1 {{the other is here}}
func.func @m(%w: tensor<4xf32> {graph.parameter = "w"}) attributes {graph.entry = "forward"} { return }
// expected-error @+1 {{expected state "w" to have one type in all entries, but got 'tensor<5xf32>' and in another one 'tensor<4xf32>'}}
func.func @m_step(%w: tensor<5xf32> {graph.parameter = "w"}) attributes {graph.entry = "step"} { return }

// -----
// expected-note @+1 {{the other is here}}
func.func @m(%w: tensor<4xf32> {graph.parameter = "w", graph.init = #graph.zeros}) attributes {graph.entry = "forward"} { return }
// expected-error @+1 {{expected state "w" to have one first value in all entries, but got #graph.fill<1.0> and in another one #graph.zeros}}
func.func @m_step(%w: tensor<4xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>}) attributes {graph.entry = "step"} { return }

// -----
// expected-note @+1 {{the other is here}}
func.func @m(%w: tensor<4xf32> {graph.parameter = "w"}) attributes {graph.entry = "forward"} { return }
// expected-error @+1 {{expected state "w" to have one role in all entries, but got moment and in another one parameter}}
func.func @m_step(%w: tensor<4xf32> {graph.state = #graph.state<"w" moment of "v">}) attributes {graph.entry = "step"} { return }

// -----
func.func @m(%v: tensor<4xf32> {graph.parameter = "v"}, %w: tensor<4xf32> {graph.parameter = "w"}, // expected-note @+1 {{the other is here}}
             %s: tensor<4xf32> {graph.state = #graph.state<"s" accumulator of "v" init #graph.zeros>}) attributes {graph.entry = "accumulate"} { return }
// expected-error @+1 {{expected state "s" to have one owner in all entries, but got "w" and in another one "v"}}
func.func @m_step(%s: tensor<4xf32> {graph.state = #graph.state<"s" accumulator of "w" init #graph.zeros>}) attributes {graph.entry = "step"} { return }

// -----
// expected-error @+1 {{expected moment "w.exp_avg" to be of a parameter, but "w" is none of the module}}
func.func @m_step(%m: tensor<4xf32> {graph.state = #graph.state<"w.exp_avg" moment of "w" init #graph.zeros>}) attributes {graph.entry = "step"} { return }

// -----
func.func @m_step(%m: tensor<4xf32> {graph.state = #graph.state<"w" accumulator init #graph.zeros>}, // expected-error @+1 {{expected weight_copy "w.f16" to be of a parameter, but "w" is another state}}
                  %c: tensor<4xf16> {graph.state = #graph.state<"w.f16" weight_copy of "w">}) attributes {graph.entry = "step"} { return }

// -----
// expected-note @+1 {{the parameter is here}}
func.func @m_step(%w: tensor<4xf32> {graph.parameter = "w"}, // expected-error @+1 {{expected accumulator "w.grad" to be like its parameter, 'tensor<4xf32>', but got 'tensor<2x2xf32>'}}
                  %g: tensor<2x2xf32> {graph.state = #graph.state<"w.grad" accumulator of "w" init #graph.zeros>}) attributes {graph.entry = "step"} { return }

// -----
// What the rounding of a parameter lost is added to it in its own type.
// expected-note @+1 {{the parameter is here}}
func.func @m_step(%w: tensor<4xbf16> {graph.parameter = "w"}, // expected-error @+1 {{expected compensation "w.compensation" to be like its parameter, 'tensor<4xbf16>', but got 'tensor<4xf16>'}}
                  %c: tensor<4xf16> {graph.state = #graph.state<"w.compensation" compensation of "w" init #graph.zeros>}) attributes {graph.entry = "step"} { return }
