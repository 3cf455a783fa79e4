/** A server of the Model Context Protocol in Python without packages: messages are JSON, one a line. */
export const MCP_PROGRAM = String.raw`
import json, os, sys, time
def send(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()
def tool(name, /, **properties):
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}, "annotations": {"readOnlyHint": True}}
TOOLS = [tool("add", a={"type": "integer"}, b={"type": "integer"}), tool("env", name={"type": "string"}), tool("die"), tool("hang"), tool("flood"), tool("chatter"), tool("memory"), tool("long", size={"type": "integer"})]
def use(name, given):
    if name == "add":
        return {"sum": given["a"] + given["b"]}
    if name == "env":
        return {"value": os.environ.get(given["name"])}
    if name == "long":
        return {"text": "x" * given["size"]}
    if name == "die":
        sys.stderr.write("the disk is on fire\n")
        sys.exit(3)
    if name == "hang":
        time.sleep(600)
    if name == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    if name == "chatter":
        print("about to think", flush=True)
        time.sleep(600)
    if name == "memory":
        return {"size": len(bytearray(2_000_000_000))}
print("listening", file=sys.stderr)
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method, result = message["method"], {}
    if method == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "probe", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "tools/call":
        value = use(message["params"]["name"], message["params"].get("arguments", {}))
        result = {"content": [], "structuredContent": value}
    send({"jsonrpc": "2.0", "id": message["id"], "result": result})
`;
