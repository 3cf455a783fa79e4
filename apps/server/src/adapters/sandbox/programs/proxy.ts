import { TUNNEL_WINDOW } from '@millrace/nodes/tunnels';

/** Comes before everything: what begins a program closes its standard input, and the service answers there. */
export const KEEP_INPUT = String.raw`
import os
hears_from = os.dup(0)
`;

/** The connections of the proxy as messages to the service and back; `tunnelMessage` is what the service takes. */
const TUNNELS = String.raw`
WINDOW, PIECE, HEAD = ${TUNNEL_WINDOW}, 32768, 65536
tunnels = {}
saying = threading.Lock()
write_answer = answer

def say(message):
    data = memoryview((json.dumps(message) + "\n").encode())
    with saying:
        while data:
            data = data[os.write(answer_to, data):]

# No message may come between the lines of an answer, or after it.
def answer(value, lines=()):
    saying.acquire()
    write_answer(value, lines)

class Refused(Exception):
    pass

class Tunnel:
    def __init__(self, id):
        self.id = id
        self.credit = WINDOW
        self.is_closed = False
        self.has_credit = asyncio.Event()
        self.reader = asyncio.StreamReader(limit=HEAD)
        self.opened = asyncio.get_running_loop().create_future()

    def hear(self, message):
        kind = message["type"]
        if kind == "opened":
            self.opened.set_result(None)
        elif kind == "data":
            self.reader.feed_data(base64.b64decode(message["data"]))
        elif kind == "finish":
            self.reader.feed_eof()
        elif kind == "ack":
            self.credit += message["size"]
        elif kind == "close":
            del tunnels[self.id]
            self.is_closed = True
            reason = message["error"]
            if self.opened.done():
                self.reader.set_exception(ConnectionResetError(reason))
            else:
                self.opened.set_exception(Refused(reason))
        self.has_credit.set()

    async def write(self, data):
        for at in range(0, len(data), PIECE):
            while self.credit <= 0 and not self.is_closed:
                self.has_credit.clear()
                await self.has_credit.wait()
            if self.is_closed:
                raise ConnectionResetError("closed")
            piece = data[at:at + PIECE]
            self.credit -= len(piece)
            say({"type": "data", "id": self.id, "data": base64.b64encode(piece).decode()})

    async def read(self):
        return self.took(await self.reader.read(PIECE))

    async def read_head(self):
        return self.took(await self.reader.readuntil(b"\r\n\r\n"))

    def took(self, data):
        if data and not self.is_closed:
            say({"type": "ack", "id": self.id, "size": len(data)})
        return data

    def finish(self):
        if not self.is_closed:
            say({"type": "finish", "id": self.id})

    def close(self):
        if tunnels.pop(self.id, None):
            self.is_closed = True
            say({"type": "close", "id": self.id})

async def open_tunnel(host, port):
    if not 0 < len(host) < 256 or not 0 < port < 65536:
        raise Refused("The address is not valid")
    tunnel = Tunnel(next(numbers))
    tunnels[tunnel.id] = tunnel
    say({"type": "connect", "id": tunnel.id, "host": host, "port": port})
    await tunnel.opened
    return tunnel

def hear(message):
    tunnel = tunnels.get(message["id"])
    if tunnel:
        tunnel.hear(message)

def hear_service(loop):
    with open(hears_from, "rb") as lines:
        for line in lines:
            loop.call_soon_threadsafe(hear, json.loads(line))
    # The service that started it is gone.
    os._exit(1)
`;

/**
 * Each connection serves one request, so that a client cannot send the next one, which may be for another server, to this one.
 * Fields of a connection: RFC 9110, section 7.6.1.
 */
const HTTP = String.raw`
HOP_BY_HOP = {b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization", b"proxy-authenticate", b"te", b"upgrade"}

def passed_on(first, fields):
    named = {name.strip().lower() for field in fields for key, _, value in [field.partition(b":")] if key.lower() == b"connection" for name in value.split(b",")}
    kept = [field for field in fields if field.partition(b":")[0].strip().lower() not in HOP_BY_HOP | named]
    return b"\r\n".join([first, *kept, b"Connection: close", b"", b""])

def parts_of(head):
    first, *fields = head[:-4].split(b"\r\n")
    return first, fields

async def pass_answer_heads(tunnel, writer):
    while True:
        try:
            head = await tunnel.read_head()
        except (EOFError, OSError, asyncio.LimitOverrunError):
            raise Refused("The server gave no HTTP answer")
        if not head.partition(b" ")[2].startswith((b"100", b"102", b"103")):
            return writer.write(passed_on(*parts_of(head)))
        writer.write(head)

async def relay(tunnel, reader, writer, is_http):
    async def up():
        while data := await reader.read(PIECE):
            await tunnel.write(data)
        tunnel.finish()
    async def down():
        if is_http:
            await pass_answer_heads(tunnel, writer)
        while data := await tunnel.read():
            writer.write(data)
            await writer.drain()
    sending, receiving = tasks = [asyncio.ensure_future(up()), asyncio.ensure_future(down())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        # A server that has closed the connection may have answered before.
        if not sending.done() or not sending.exception() or tunnel.is_closed:
            await receiving
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

def target_of(method, target):
    url = urllib.parse.urlsplit("//" + target if method == "CONNECT" else target)
    try:
        if not url.hostname or url.scheme not in ("", "http"):
            raise ValueError
        return url.hostname, url.port or (0 if method == "CONNECT" else 80), urllib.parse.urlunsplit(("", "", url.path or "/", url.query, ""))
    except ValueError:
        raise Refused("The proxy takes CONNECT, and requests for http addresses")

async def serve_request(reader, writer):
    first, fields = parts_of(await reader.readuntil(b"\r\n\r\n"))
    method, target, version = (first.decode("latin-1").split(" ") + ["", "", ""])[:3]
    host, port, path = target_of(method, target)
    tunnel = await open_tunnel(host, port)
    try:
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        else:
            await tunnel.write(passed_on(" ".join([method, path, version]).encode("latin-1"), fields))
        await relay(tunnel, reader, writer, method != "CONNECT")
    finally:
        tunnel.close()

# A client that cannot send the rest of its request may lose the answer.
async def linger(reader, writer):
    async def take_rest():
        while await reader.read(PIECE):
            pass
    writer.write_eof()
    await asyncio.wait_for(take_rest(), 30)

# An answer that broke off must not look like one that has ended.
def break_off(writer):
    try:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        # It is closed already.
        pass
    writer.transport.abort()

# The reason is in the first line, too: most clients show nothing else of a proxy.
def refusal(reason):
    line = " ".join(reason.split())[:500].encode("ascii", "replace")
    body = b"refused: " + line + b"\n"
    fields = [b"Content-Type: text/plain", b"Content-Length: %d" % len(body)]
    return passed_on(b"HTTP/1.1 502 " + line, fields) + body

async def serve_client(reader, writer):
    try:
        try:
            await serve_request(reader, writer)
        except Refused as error:
            writer.write(refusal(str(error)))
        await linger(reader, writer)
    except (OSError, EOFError, asyncio.LimitOverrunError, asyncio.TimeoutError):
        break_off(writer)
    finally:
        writer.close()
`;

/**
 * The way out of the container of a script, which has no network: an HTTP proxy on its own machine, whose connections the service
 * opens. A part of a program of this folder, whose `answer` it replaces; `start_proxy` returns the variables that lead there.
 */
export const PYTHON_PROXY = String.raw`
import itertools, select, socket, struct, threading
numbers = itertools.count(1)
${TUNNELS}${HTTP}
async def serve_clients(listener):
    threading.Thread(target=hear_service, args=[asyncio.get_running_loop()], daemon=True).start()
    server = await asyncio.start_server(serve_client, sock=listener, limit=HEAD)
    await server.serve_forever()

def run_proxy(listener):
    # Most scripts connect to nothing, and these modules take a moment.
    select.select([listener], [], [])
    global asyncio, base64, urllib
    import asyncio, base64, urllib.parse
    asyncio.run(serve_clients(listener))

def start_proxy():
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    threading.Thread(target=run_proxy, args=[listener], daemon=True).start()
    address = "http://127.0.0.1:%d" % listener.getsockname()[1]
    variables = {"HTTP_PROXY": address, "HTTPS_PROXY": address, "ALL_PROXY": address, "NO_PROXY": "localhost,127.0.0.1"}
    return {**variables, **{name.lower(): value for name, value in variables.items()}}
`;
