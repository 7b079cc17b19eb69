"""Talks to a language server over its pipes as an editor does, and prints what it says.

usage: session.py SERVER

Opens a model with an error, corrects it, and asks what stands at some places.
"""
import json
import signal
import subprocess
import sys

URI = "file:///model.mlir"
GOOD = """func.func @model(%x: tensor<8x4xf32> {graph.input = "x"},
                 %w: tensor<4x2xf32> {graph.parameter = "w", graph.init = #graph.zeros}) -> tensor<8x2xf32> {
  %product = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = graph.relu %product : tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}
"""
BAD = GOOD.replace("tensor<4x2xf32>) -> ", "tensor<5x2xf32>) -> ").replace("%w: tensor<4x2", "%w: tensor<5x2")


class Server:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.last = 0

    def send(self, method, parameters, **more):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, "the server said nothing more"
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, parameters):
        self.last += 1
        self.send(method, parameters, id=self.last)
        while (answer := self.receive()).get("id") != self.last:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def diagnostics(self):
        while (note := self.receive()).get("method") != "textDocument/publishDiagnostics":
            pass
        return note["params"]["diagnostics"]


def at(word, text=GOOD):
    line = text[:text.index(word)].count("\n")
    return {"textDocument": {"uri": URI}, "position": {"line": line, "character": text.split("\n")[line].index(word) + 1}}


def main():
    signal.alarm(120)  # a server that is silent must not hold the tests up
    server = Server(sys.argv[1])
    can = server.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["capabilities"]
    print("hover:", can["hoverProvider"], "definition:", can["definitionProvider"])
    server.send("initialized", {})

    server.send("textDocument/didOpen", {"textDocument": {"uri": URI, "languageId": "mlir", "version": 1, "text": BAD}})
    for found in server.diagnostics():
        print(f"line {found['range']['start']['line'] + 1}: {found['message']}")
    server.send("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": GOOD}]})
    print("after the correction:", server.diagnostics())

    print("hover over the op:", server.ask("textDocument/hover", at("graph.matmul"))["contents"]["value"])
    print("hover over a value:", server.ask("textDocument/hover", at("%product :"))["contents"]["value"])
    definition = server.ask("textDocument/definition", at("%product :"))[0]["range"]["start"]
    print("defined on line", definition["line"] + 1)
    deep = "module attributes {a = " + "[" * 500000 + "]" * 500000 + "} {}"
    server.send("textDocument/didOpen",
                {"textDocument": {"uri": "file:///deep.mlir", "languageId": "mlir", "version": 1, "text": deep}})
    print("deep brackets:", len(server.diagnostics()), "diagnostic")
    print("shutdown:", server.ask("shutdown", None))
    server.send("exit", None)
    print("exit code", server.process.wait(timeout=60))


if __name__ == "__main__":
    main()
