// RUN: mpc-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// expected-error@+1 {{expected stddev >= 0, but got -1.0}}
"test.op"() {a = #graph.normal<0.0, -1.0>} : () -> ()

// -----

// expected-error@+1 {{expected nothing after 'zeros'}}
"test.op"() {a = #graph.zeros<1.0>} : () -> ()

// -----

// expected-error@+1 {{expected low <= high, but got 2.0 and 1.0}}
"test.op"() {a = #graph.uniform<2.0, 1.0>} : () -> ()

// -----

// expected-error@+1 {{expected a finite number, but got 'inf'}}
"test.op"() {a = #graph.fill<inf>} : () -> ()

// -----

// expected-error@+1 {{expected a finite number, but got 'nan'}}
"test.op"() {a = #graph.fill<nan>} : () -> ()

// -----

// expected-error@+1 {{expected a finite number, but got '"1.0"'}}
"test.op"() {a = #graph.fill<"1.0">} : () -> ()

// -----

// expected-error@+1 {{expected '>'}}
"test.op"() {a = #graph.fill<1.0 : f32>} : () -> ()

// -----

// expected-error@+1 {{expected a finite number, but got '1.0e999'}}
"test.op"() {a = #graph.fill<1.0e999>} : () -> ()

// -----

// expected-error@+1 {{expected mode none, static or dynamic, but got 'auto'}}
"test.op"() {a = #graph.loss_scale<mode = "auto">} : () -> ()

// -----

// expected-error@+1 {{expected init > 0, growth > 1, 0 < backoff < 1 and interval >= 1, but got 65536.0, 1.0, 0.5 and 2000}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", growth = 1.0>} : () -> ()

// -----

// A scale of infinity would skip every step, for ever.
// expected-error@+1 {{expected a finite loss scale greater than 0 whose reciprocal is finite in f32 as init, but got 1.0e+39}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", init = 1.0e+39>} : () -> ()

// -----

// 0 in f32.
// expected-error@+1 {{expected a finite loss scale greater than 0 whose reciprocal is finite in f32 as init, but got 1.0e-46}}
"test.op"() {a = #graph.loss_scale<mode = "static", init = 1.0e-46>} : () -> ()

// -----

// Subnormal; gradients would be divided by 0, or multiplied with infinity.
// expected-error@+1 {{whose reciprocal is finite in f32 as init, but got 1.0e-40}}
"test.op"() {a = #graph.loss_scale<mode = "static", init = 1.0e-40>} : () -> ()

// -----

// The smallest power of two whose reciprocal is finite: 2^-127.
"test.op"() {a = #graph.loss_scale<mode = "static", init = 5.877471754111438e-39>} : () -> ()

// -----

// expected-error@+1 {{whose reciprocal is finite in f32 as floor, but got 1.0e-40}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", floor = 1.0e-40>} : () -> ()

// -----

// expected-error@+1 {{whose reciprocal is finite in f32 as ceiling, but got 1.0e+39}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", ceiling = 1.0e+39>} : () -> ()

// -----

// expected-error@+1 {{expected a clip norm and value >= 0 in the range of f32, but got 1.0e-46 and 0.0}}
"test.op"() {a = #graph.clip<norm = 1.0e-46>} : () -> ()

// -----

// expected-error@+1 {{expected gamma > 0 in the range of f32, but got 1.0e+39}}
"test.op"() {a = #graph.schedule<kind = "step", period = 1, gamma = 1.0e+39>} : () -> ()

// -----

// A rate of 0 by another name.
// expected-error@+1 {{expected lr >= 0 in the range of f32, but got 1.0e-50}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 1.0e-50>} : () -> ()

// -----

// expected-error@+1 {{expected lr >= 0 in the range of f32, but got 1.0e+39}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 1.0e+39>} : () -> ()

// -----

// expected-error@+1 {{expected optimizer sgd, adam, adamw, adagrad, rmsprop, lamb or lomo, but got 'lion'}}
"test.op"() {a = #graph.optimizer<name = "lion", lr = 0.1>} : () -> ()

// -----

// expected-error@+1 {{expected lr >= 0 in the range of f32, but got -0.1}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = -0.1>} : () -> ()

// -----

// expected-error@+1 {{expected 0 <= beta2 < 1, but got 1.0}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = 0.1, beta2 = 1.0>} : () -> ()

// -----

// expected-error@+1 {{expected momentum > 0 and dampening 0 with nesterov, but got 0.0 and 0.0}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 0.1, nesterov = true>} : () -> ()

// -----

// expected-error@+1 {{expected precision fp32, bf16 or fp16, but got 'fp8'}}
"test.op"() {a = #graph.training<precision = "fp8">} : () -> ()

// -----

// expected-error@+1 {{expected autocast cheapest, torch, tf or whole, but got 'magic'}}
"test.op"() {a = #graph.training<autocast = "magic">} : () -> ()

// -----

// expected-error@+1 {{expected rounding fused or strict, but got 'loose'}}
"test.op"() {a = #graph.training<rounding = "loose">} : () -> ()

// -----

// expected-error@+1 {{expected accumulate from 1 to 1048576, but got 0}}
"test.op"() {a = #graph.training<accumulate = 0>} : () -> ()

// -----

// expected-error@+1 {{expected lists cuda, cpu or apex, but got 'tpu'}}
"test.op"() {a = #graph.training<lists = "tpu">} : () -> ()

// -----

// expected-error@+1 {{expected output f32, f16 or bf16, but got 'f64'}}
"test.op"() {a = #graph.training<output = "f64">} : () -> ()

// -----

// expected-error@+1 {{expected refill growth or clean, but got 'never'}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", refill = "never">} : () -> ()

// -----

// expected-error@+1 {{expected on_floor hold, warn or error, but got 'stop'}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", on_floor = "stop">} : () -> ()

// -----

// expected-error@+1 {{expected scope shared or per_loss, but got 'each'}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", scope = "each">} : () -> ()

// -----

// expected-error@+1 {{expected scale-hysteresis from 1 to 2147483647, but got 0}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", hysteresis = 0>} : () -> ()

// -----

// expected-error@+1 {{expected floor <= init <= ceiling (0 for none), but got 2.0, 1.0 and 0.0}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", init = 1.0, floor = 2.0>} : () -> ()

// -----

// expected-error@+1 {{expected floor <= init <= ceiling (0 for none), but got 6.103515625e-05, 65536.0 and 2.0}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", ceiling = 2.0>} : () -> ()

// -----

// expected-error@+1 {{expected epsilon >= 0 in the range of f32, but got -1.0}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = 0.1, epsilon = -1.0>} : () -> ()

// -----

// expected-error@+1 {{expected master f32, bf16, f16, bf16_kahan or bf16_stochastic, but got 'f64'}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = 0.1, master = "f64">} : () -> ()

// -----

// expected-error@+1 {{expected 0 <= dampening <= 1, but got 2.0}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 0.1, momentum = 0.5, dampening = 2.0>} : () -> ()

// -----

// expected-error@+1 {{expected a clip norm and value >= 0 in the range of f32, but got -1.0 and 0.0}}
"test.op"() {a = #graph.clip<norm = -1.0>} : () -> ()

// -----

// expected-error@+1 {{expected norm_type inf or a number > 0, but got '0'}}
"test.op"() {a = #graph.clip<norm = 1.0, norm_type = "0">} : () -> ()

// -----

// expected-error@+1 {{expected clip formula torch, optax or megatron, but got 'jax'}}
"test.op"() {a = #graph.clip<norm = 1.0, formula = "jax">} : () -> ()

// -----

// expected-error@+1 {{expected clip scope global or group, but got 'all'}}
"test.op"() {a = #graph.clip<norm = 1.0, scope = "all">} : () -> ()

// -----

// expected-error@+1 {{expected nonfinite propagate or error, but got 'warn'}}
"test.op"() {a = #graph.clip<norm = 1.0, nonfinite = "warn">} : () -> ()

// -----

// expected-error@+1 {{expected schedule constant, linear, cosine, step or inverse_sqrt, but got 'poly'}}
"test.op"() {a = #graph.schedule<kind = "poly">} : () -> ()

// -----

// expected-error@+1 {{expected 0 <= warmup-steps < total-steps for schedule cosine, but got 5 and 5}}
"test.op"() {a = #graph.schedule<kind = "cosine", warmup = 5, total = 5>} : () -> ()

// -----

// expected-error@+1 {{expected decay-period >= 1 and decay-gamma > 0 for schedule step, but got 0 and 0.1}}
"test.op"() {a = #graph.schedule<kind = "step">} : () -> ()

// -----

// expected-error@+1 {{expected 0 <= final <= 1, but got 2.0}}
"test.op"() {a = #graph.schedule<kind = "linear", total = 9, final = 2.0>} : () -> ()

// -----

// expected-error@+1 {{expected the name of a parameter group to be a non-empty string}}
"test.op"() {a = #graph.parameter_group<name = "", pattern = "w", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} : () -> ()

// -----

// expected-error@+1 {{expected another name than 'default' for a parameter group: it is that of the parameters that no group takes}}
"test.op"() {a = #graph.parameter_group<name = "default", pattern = "w", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} : () -> ()

// -----

// expected-error@+1 {{expected another name than 'gradient' for a parameter group: names that begin with 'gradient.' are the training step's own}}
"test.op"() {a = #graph.parameter_group<name = "gradient", pattern = "w", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} : () -> ()

// -----

// expected-error@+1 {{expected another name than 'optimizer.b' for a parameter group: names that begin with 'optimizer.' are the training step's own}}
"test.op"() {a = #graph.parameter_group<name = "optimizer.b", pattern = "w", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} : () -> ()

// -----

// Words of its own, not their letters.
"test.op"() {a = #graph.parameter_group<name = "gradients", pattern = "w", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} : () -> ()

// -----

// expected-error@+1 {{pattern of group 'g': expected a regular expression, but got '(': parentheses not balanced}}
"test.op"() {a = #graph.parameter_group<name = "g", pattern = "(", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} : () -> ()

// -----

// Repetitions of repetitions would take all memory.
// expected-error@+1 {{pattern of group 'g': expected a regular expression, but got '(((w{200}){200}){200})': it is too large, or nested too deeply}}
"test.op"() {a = #graph.parameter_group<name = "g", pattern = "(((w{200}){200}){200})", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} : () -> ()

// -----

// expected-error@+1 {{pattern of group 'g': expected a regular expression, but got '(w*)\1': it refers back to a group, which may take for ever}}
"test.op"() {a = #graph.parameter_group<name = "g", pattern = "(w*)\\1", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} : () -> ()

// -----

"test.op"() {a = #graph.parameter_group<name = "g", pattern = "[]{9}]layers[.](1?[0-9]|2{1,3})+\\.w{2}", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} : () -> ()

// -----

// expected-error@+1 {{expected groups of #graph.parameter_group, but got 1 : i64}}
"test.op"() {a = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>, groups = [1]>} : () -> ()

// -----

// expected-error@+1 {{expected one parameter group 'g', but got two}}
"test.op"() {a = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>, groups = [#graph.parameter_group<name = "g", pattern = "w", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>, #graph.parameter_group<name = "g", pattern = "b", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>]>} : () -> ()

// -----

// expected-error@+1 {{expected an optimizer for the parameters that no group takes, but got groups alone}}
"test.op"() {a = #graph.training<groups = [#graph.parameter_group<name = "g", pattern = "w", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>]>} : () -> ()

// -----

// expected-error@+1 {{expected no momentum with optimizer adamw, which does not use it: leave it out, or choose sgd or rmsprop}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = 0.1, momentum = 0.9>} : () -> ()

// -----

// expected-error@+1 {{expected no dampening with optimizer rmsprop, which does not use it: leave it out, or choose sgd}}
"test.op"() {a = #graph.optimizer<name = "rmsprop", lr = 0.1, dampening = 0.5>} : () -> ()

// -----

// expected-error@+1 {{expected no nesterov with optimizer adam, which does not use it: leave it out, or choose sgd}}
"test.op"() {a = #graph.optimizer<name = "adam", lr = 0.1, nesterov = true>} : () -> ()

// -----

// expected-error@+1 {{expected no beta1 with optimizer sgd, which does not use it: leave it out, or choose adam, adamw or lamb}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 0.1, beta1 = 0.8>} : () -> ()

// -----

// What is given is given, whatever its value.
// expected-error@+1 {{expected no beta1 with optimizer sgd, which does not use it: leave it out, or choose adam, adamw or lamb}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 0.1, beta1 = 0.9>} : () -> ()

// -----

// expected-error@+1 {{expected no centered with optimizer adam, which does not use it: leave it out, or choose rmsprop}}
"test.op"() {a = #graph.optimizer<name = "adam", lr = 0.1, centered = false>} : () -> ()

// -----

// expected-error@+1 {{expected name, lr, master or a hyperparameter of adamw (beta1, beta2, epsilon, weight_decay), but got 'decay'}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = 0.1, decay = 0.9>} : () -> ()

// -----

// expected-error@+1 {{expected name, lr, master or a hyperparameter of sgd (dampening, momentum, nesterov, weight_decay), but got 'operandSegmentSizes'}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 0.1, operandSegmentSizes = 1.0>} : () -> ()

// -----

// expected-error@+1 {{expected a number for momentum, but got true}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 0.1, momentum = true>} : () -> ()

// -----

// expected-error@+1 {{expected true or false for nesterov, but got 1.000000e+00 : f64}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 0.1, momentum = 0.9, nesterov = 1.0>} : () -> ()

// -----

// expected-error@+1 {{expected one 'momentum' in an optimizer, but got two}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 0.1, momentum = 0.9, momentum = 0.8>} : () -> ()

// -----

// expected-error@+1 {{expected 'name' and 'lr' in an optimizer}}
"test.op"() {a = #graph.optimizer<name = "sgd">} : () -> ()

// -----

// expected-error@+1 {{expected no beta2 with optimizer adagrad, which does not use it: leave it out, or choose adam, adamw or lamb}}
"test.op"() {a = #graph.optimizer<name = "adagrad", lr = 0.1, beta2 = 0.9>} : () -> ()

// -----

// expected-error@+1 {{expected no epsilon with optimizer sgd, which does not use it: leave it out, or choose adam, adamw, adagrad, rmsprop or lamb}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 0.1, epsilon = 0.1>} : () -> ()

// -----

// expected-error@+1 {{expected no alpha with optimizer adam, which does not use it: leave it out, or choose rmsprop}}
"test.op"() {a = #graph.optimizer<name = "adam", lr = 0.1, alpha = 0.9>} : () -> ()

// -----

// expected-error@+1 {{expected no centered with optimizer lomo, which does not use it: leave it out, or choose rmsprop}}
"test.op"() {a = #graph.optimizer<name = "lomo", lr = 0.1, centered = true>} : () -> ()

// -----

// expected-error@+1 {{expected no lr_decay with optimizer sgd, which does not use it: leave it out, or choose adagrad}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 0.1, lr_decay = 0.1>} : () -> ()

// -----

// expected-error@+1 {{expected no initial_accumulator with optimizer rmsprop, which does not use it: leave it out, or choose adagrad}}
"test.op"() {a = #graph.optimizer<name = "rmsprop", lr = 0.1, initial_accumulator = 0.1>} : () -> ()

// -----

// expected-error@+1 {{expected momentum > 0 with dampening, but got 0.0}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 0.1, dampening = 0.5>} : () -> ()

// What must see all gradients before the first update.

// -----

// expected-error@+1 {{expected no clip by norm with optimizer lomo, which updates each parameter in the backward, before all gradients are known: clip by value, or choose another optimizer}}
"test.op"() {a = #graph.training<optimizer = #graph.optimizer<name = "lomo", lr = 0.1>, clip = #graph.clip<norm = 1.0>>} : () -> ()

// -----

// expected-error@+1 {{expected no check of the norm with optimizer lomo, which updates each parameter in the backward, before all gradients are known: let it propagate, or choose another optimizer}}
"test.op"() {a = #graph.training<optimizer = #graph.optimizer<name = "lomo", lr = 0.1>, clip = #graph.clip<value = 1.0, nonfinite = "error">>} : () -> ()

// -----

// expected-error@+1 {{expected no loss scaling, which must be able to skip a step with optimizer lomo, which updates each parameter in the backward, before all gradients are known: train in bf16 or fp32 without, or choose another optimizer}}
"test.op"() {a = #graph.training<loss_scale = #graph.loss_scale<mode = "static">, optimizer = #graph.optimizer<name = "lomo", lr = 0.1>>} : () -> ()

// -----

// expected-error@+1 {{expected no accumulation over micro-batches with optimizer lomo, which updates each parameter in the backward, before all gradients are known: set accumulate to 1, or choose another optimizer}}
"test.op"() {a = #graph.training<optimizer = #graph.optimizer<name = "lomo", lr = 0.1>, accumulate = 4>} : () -> ()

// -----

// expected-error@+1 {{expected no clip by norm with optimizer lomo, which updates each parameter in the backward, before all gradients are known: clip by value, or choose another optimizer}}
"test.op"() {a = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>, groups = [#graph.parameter_group<name = "a", pattern = "w.*", optimizer = #graph.optimizer<name = "lomo", lr = 0.1>>], clip = #graph.clip<norm = 1.0>>} : () -> ()

// -----

// Numbers that nobody means; the last step that a counter of i32 reaches.
// expected-error@+1 {{expected accumulate from 1 to 1048576, but got 9223372036854775807}}
"test.op"() {a = #graph.training<accumulate = 9223372036854775807>} : () -> ()

// -----

// expected-error@+1 {{expected bucket-bytes from 1 to 4398046511104, but got 9223372036854775807}}
"test.op"() {a = #graph.training<bucket_bytes = 9223372036854775807>} : () -> ()

// -----

// expected-error@+1 {{expected first-bucket-bytes or link-bandwidth, by which buckets are cut, but got both}}
"test.op"() {a = #graph.training<first_bucket_bytes = 1048576, link_bandwidth = 450.0>} : () -> ()

// -----

// expected-error@+1 {{expected scale-delay from 0 to 2147483647, but got -1}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", delay = -1>} : () -> ()

// -----

// expected-error@+1 {{expected total-steps from 0 to 2147483647, but got 2147483648}}
"test.op"() {a = #graph.schedule<kind = "linear", total = 2147483648>} : () -> ()

// -----

// expected-error@+1 {{expected warmup-steps from 0 to 2147483647, but got -1}}
"test.op"() {a = #graph.schedule<kind = "constant", warmup = -1>} : () -> ()

// -----

// expected-error@+1 {{expected decay-period from 0 to 2147483647, but got 9223372036854775807}}
"test.op"() {a = #graph.schedule<kind = "step", period = 9223372036854775807>} : () -> ()

// -----

// expected-error@+1 {{expected one 'growth', but got two}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", growth = 2.0, growth = 4.0>} : () -> ()

// -----

// expected-error@+1 {{expected 'mode', but got none}}
"test.op"() {a = #graph.loss_scale<growth = 2.0>} : () -> ()

// -----

// A group may clip where the others do not.
// expected-error@+1 {{expected no clip by norm with optimizer lomo, which updates each parameter in the backward}}
"test.op"() {a = #graph.training<precision = "fp32", optimizer = <name = "sgd", lr = 0.1>, groups = [#graph.parameter_group<name = "g", pattern = "w.*", optimizer = <name = "lomo", lr = 0.1>, clip = <norm = 1.0>>]>} : () -> ()
