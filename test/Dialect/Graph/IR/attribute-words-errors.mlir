// Names of attributes, words in them and forms of their values that the dialect
// does not have are answered by those that it has. Initialisers first.
// RUN: mpc-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// expected-error@+1 {{unknown attribute '#graph.zero', did you mean '#graph.zeros'?}}
"test.op"() {a = #graph.zero} : () -> ()

// -----

// expected-error@+1 {{unknown attribute '#graph.gaussian', did you mean '#graph.normal<mean, stddev>'?}}
"test.op"() {a = #graph.gaussian<0.0, 0.1>} : () -> ()

// -----

// expected-error@+1 {{unknown attribute '#graph.xavier': the first values of a parameter are '#graph.zeros', '#graph.fill<value>', '#graph.normal<mean, stddev>' or '#graph.uniform<low, high>'}}
"test.op"() {a = #graph.xavier} : () -> ()

// -----

// expected-error@+1 {{unknown attribute '#graph.adamw': an optimizer is '#graph.optimizer<name = "adamw", lr = ...>'}}
"test.op"() {a = #graph.adamw<lr = 0.1>} : () -> ()

// -----

// expected-error@+1 {{unknown attribute '#graph.train', did you mean '#graph.training'?}}
"test.op"() {a = #graph.train<precision = "bf16">} : () -> ()

// -----

// expected-error@+1 {{expected '#graph.normal<mean, stddev>', but got 1 number}}
"test.op"() {a = #graph.normal<0.18>} : () -> ()

// -----

// expected-error@+1 {{expected '#graph.uniform<low, high>', but got 3 numbers}}
"test.op"() {a = #graph.uniform<0.1, 0.2, 0.3>} : () -> ()

// -----

// expected-error@+1 {{expected '#graph.fill<value>'}}
"test.op"() {a = #graph.fill} : () -> ()

// Words of settings that are near others.

// -----

// expected-error@+1 {{expected name, lr, master or a hyperparameter of adamw (beta1, beta2, epsilon, weight_decay), but got 'learning_rate', did you mean 'lr'?}}
"test.op"() {a = #graph.optimizer<name = "adamw", learning_rate = 0.1>} : () -> ()

// -----

// expected-error@+1 {{, but got 'learning_rate', did you mean 'lr'?}}
"test.op"() {a = #graph.optimizer<learning_rate = 0.1, name = "adamw">} : () -> ()

// -----

// expected-error@+1 {{, but got 'eps', did you mean 'epsilon'?}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = 0.1, eps = 0.1>} : () -> ()

// -----

// expected-error@+1 {{, but got 'wd', did you mean 'weight_decay'?}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = 0.1, wd = 0.1>} : () -> ()

// -----

// expected-error@+1 {{groups, clip or schedule, but got 'precison', did you mean 'precision'?}}
"test.op"() {a = #graph.training<precison = "bf16">} : () -> ()

// -----

// expected-error@+1 {{expected a text in quotes as precision}}
"test.op"() {a = #graph.training<precision = bf16>} : () -> ()

// -----

// expected-error@+1 {{expected norm, norm_type, value, formula, scope or nonfinite and '=' in front of a value}}
"test.op"() {a = #graph.clip<1.0>} : () -> ()

// -----

// expected-error@+1 {{expected count or ignored, but got 'classes'}}
"test.op"() {a = #graph.classes<classes = 10>} : () -> ()

// -----

// expected-error@+1 {{expected 'count', but got none}}
"test.op"() {a = #graph.classes<ignored = -100>} : () -> ()

// -----

// expected-error@+1 {{expected name, pattern, optimizer, clip or schedule, but got 'patern', did you mean 'pattern'?}}
"test.op"() {a = #graph.parameter_group<name = "a", patern = "w.*">} : () -> ()

// Parts of `graph.training` that are no attributes.

// -----

// expected-error@+1 {{expected <norm = 1.0>, but got 1.000000e+00 : f64}}
"test.op"() {a = #graph.training<clip = 1.0>} : () -> ()

// -----

// expected-error@+1 {{expected <name = "adamw", lr = 0.001>, but got "adamw"}}
"test.op"() {a = #graph.training<optimizer = "adamw">} : () -> ()

// -----

// expected-error@+1 {{expected <name = "adamw", lr = 0.001>, but got 'adamw'}}
"test.op"() {a = #graph.training<optimizer = adamw>} : () -> ()

// -----

// expected-error@+1 {{expected <kind = "cosine", total = 1000>, but got #graph.clip<norm = 1.0>}}
"test.op"() {a = #graph.training<schedule = #graph.clip<norm = 1.0>>} : () -> ()

// -----

// expected-error@+1 {{expected [#graph.parameter_group<...>]}}
"test.op"() {a = #graph.training<groups = <name = "a">>} : () -> ()
