// RUN: not mpc-opt %s --mpc-autocast="precision=fp8" 2>&1 | FileCheck %s --check-prefix=PRECISION
// PRECISION: error: expected precision to be fp32, bf16 or fp16, but got 'fp8'
// RUN: not mpc-opt %s --mpc-autocast="mode=fastest" 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: error: expected mode to be cheapest, torch, tf or whole, but got 'fastest'
// RUN: not mpc-opt %s --mpc-autocast="lists=tpu" 2>&1 | FileCheck %s --check-prefix=LISTS
// LISTS: error: expected lists to be cuda, cpu or apex, but got 'tpu'
// RUN: not mpc-opt %s --mpc-autocast="output=f8" 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: expected output to be f32, f16 or bf16, but got 'f8'
// RUN: not mpc-opt %s --mpc-autocast="keep-normalization=maybe" 2>&1 | FileCheck %s --check-prefix=KEEP
// KEEP: error: expected keep-normalization to be false or true, but got 'maybe'

// RUN: not mpc-opt %s --mpc-autocast="policy=graph.exp=Maybe" 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: expected policy rule to end in '=Allow', '=Deny', '=DenyIO', '=Promote', '=Infer' or '=Clear', but got 'graph.exp=Maybe'
// RUN: not mpc-opt %s --mpc-autocast="policy==Deny" 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: expected an op, a location or a region in policy rule, but got '=Deny'
// RUN: not mpc-opt %s --mpc-autocast="policy=loc:(=Deny" 2>&1 | FileCheck %s --check-prefix=PATTERN
// PATTERN: error: expected a regular expression in policy rule 'loc:(=Deny', but parentheses not balanced
// RUN: mpc-opt %s --mpc-autocast="precision=fp16 policy=graph.relu=Deny" 2>&1 | FileCheck %s --check-prefix=UNMATCHED
// UNMATCHED: warning: policy rule 'graph.relu=Deny' matches no op

// RUN: not mpc-opt %s --mpc-autocast="policy-file=%t.none" 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: error: policy file '{{[^']*}}.none': cannot be opened: {{.*}}o such file
// RUN: echo '{' > %t.json && not mpc-opt %s --mpc-autocast="policy-file=%t.json" 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: error: policy file '{{.*}}.json': is not JSON: {{.*}}
// RUN: echo '[]' > %t.json && not mpc-opt %s --mpc-autocast="policy-file=%t.json" 2>&1 | FileCheck %s --check-prefix=ROOT
// ROOT: error: policy file '{{.*}}': expected an object with 'version' and 'rules'
// RUN: echo '{"version": 2, "rules": []}' > %t.json && not mpc-opt %s --mpc-autocast="policy-file=%t.json" 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: error: policy file '{{.*}}': expected 'version' to be 1
// RUN: echo '{"version": 1, "rules": 3}' > %t.json && not mpc-opt %s --mpc-autocast="policy-file=%t.json" 2>&1 | FileCheck %s --check-prefix=RULES
// RULES: error: policy file '{{.*}}': expected 'rules' to be an array
// RUN: echo '{"version": 1, "rules": [3]}' > %t.json && not mpc-opt %s --mpc-autocast="policy-file=%t.json" 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: error: policy file '{{.*}}': rules[0]: expected each rule to be an object
// RUN: echo '{"version": 1, "rules": [{"ops": "graph.exp", "policy": "Deny"}]}' > %t.json && not mpc-opt %s --mpc-autocast="policy-file=%t.json" 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: error: policy file '{{.*}}': rules[0]: expected the keys 'op', 'loc', 'region', 'operand', 'policy', but got 'ops'
// RUN: echo '{"version": 1, "rules": [{"op": 3, "policy": "Deny"}]}' > %t.json && not mpc-opt %s --mpc-autocast="policy-file=%t.json" 2>&1 | FileCheck %s --check-prefix=STRING
// STRING: error: policy file '{{.*}}': rules[0]: expected 'op' to be a non-empty string
// RUN: echo '{"version": 1, "rules": [{"op": "graph.exp", "policy": "Deny"}, {"op": "graph.exp"}]}' > %t.json && not mpc-opt %s --mpc-autocast="policy-file=%t.json" 2>&1 | FileCheck %s --check-prefix=POLICY
// POLICY: error: policy file '{{.*}}': rules[1]: expected 'policy' to be Allow, Deny, DenyIO, Promote, Infer or Clear, but got ''
// RUN: echo '{"version": 1, "rules": [{"policy": "Deny"}]}' > %t.json && not mpc-opt %s --mpc-autocast="policy-file=%t.json" 2>&1 | FileCheck %s --check-prefix=NEITHER
// NEITHER: error: policy file '{{.*}}': rules[0]: expected an op, a location or a region in policy rule, but got '=Deny'
// RUN: echo '{"version": 1, "rules": [{"op": "graph.exp", "operand": "1", "policy": "Deny"}]}' > %t.json && not mpc-opt %s --mpc-autocast="policy-file=%t.json" 2>&1 | FileCheck %s --check-prefix=OPERAND
// OPERAND: error: policy file '{{.*}}': rules[0]: expected 'operand' to be the index of an operand, from 0
// RUN: echo '{"version": 1, "rules": [{"op": "graph.exp", "operand": -1, "policy": "Deny"}]}' > %t.json && not mpc-opt %s --mpc-autocast="policy-file=%t.json" 2>&1 | FileCheck %s --check-prefix=OPERAND
// RUN: echo '{"version": 1, "rules": [{"region": "(", "policy": "Deny"}]}' > %t.json && not mpc-opt %s --mpc-autocast="policy-file=%t.json" 2>&1 | FileCheck %s --check-prefix=REGION
// REGION: error: policy file '{{.*}}': rules[0]: expected a regular expression in policy rule 'region:(=Deny', but parentheses not balanced
// RUN: not mpc-opt %s --mpc-autocast="policy=exp=Deny" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: expected the full name of an op, such as 'graph.matmul', in policy rule 'exp=Deny', but got 'exp'
// RUN: not mpc-opt %s --mpc-autocast="policy=graph.exp;operand:x=Deny" 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: error: expected the index of an operand after 'operand:' in policy rule 'graph.exp;operand:x=Deny', but got 'x'
// RUN: not mpc-opt %s --mpc-autocast="policy=graph.exp;operand:0=Infer" 2>&1 | FileCheck %s --check-prefix=OPERANDWORD
// OPERANDWORD: error: expected Allow or Deny for an operand in policy rule 'graph.exp;operand:0=Infer', but got Infer
// RUN: mpc-opt %s --mpc-autocast="precision=fp16 policy=graph.exp;operand:1=Deny" 2>&1 | FileCheck %s --check-prefix=NOOPERAND
// NOOPERAND: warning: policy rule 'graph.exp;operand:1=Deny' matches no op
// RUN: mpc-opt %s --mpc-autocast="precision=fp16 policy=region:tail=Deny" 2>&1 | FileCheck %s --check-prefix=NOREGION
// NOREGION: warning: policy rule 'region:tail=Deny' matches no op

// RUN: not mpc-opt %s --mpc-autocast="precision=fp16" --mpc-autocast="precision=fp16" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: expected a function without autocast, but graph.autocast says that mpc-autocast has run on it
func.func @model(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  %0 = graph.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
