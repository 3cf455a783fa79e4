import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ScriptJob } from '@millrace/nodes/runtime';
import { afterAll, describe, expect, test } from 'vitest';
import { catchFailure, scriptJob } from '../../ports/sandbox.conformance.ts';
import type { ScriptRun } from '../../ports/sandbox.ts';
import { hasSandboxEngine, sandboxEngine, sandboxOptions } from '../../testing/sandbox-engine.ts';
import { validCertificate } from '../egress/testing/certificates.ts';
import { egress, egressToName, serve, serveBytes, serveTls } from '../egress/testing/servers.ts';
import { createContainerSandbox } from './containers/container-sandbox.ts';
import { INSTALLATION, LABEL } from './containers/hardening.ts';

/** Its containers are counted, so they are of no other test. */
const options = { ...sandboxOptions, installation: 'script-network-tests' };
const SIZE = 3_000_000;

/** Says what it was asked, except for `/big`, which it fills, and `/hangs`, which it leaves open. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request;
  let size = 0;
  request.on('data', (piece: Buffer) => (size += piece.length));
  request.on('end', () => {
    if (url === '/big') response.end('x'.repeat(SIZE));
    else if (url !== '/hangs')
      response.end(`${method} ${url} ${size} ${Object.keys(headers).toSorted().join(' ')}`);
  });
}

/** The beginning of the scripts: what a page says, or why it cannot be had. */
const FETCH = `
import os, socket, ssl, sys, urllib.error, urllib.parse, urllib.request
def fetch(url, data=None):
    return urllib.request.urlopen(url, data, 15, context=ssl._create_unverified_context()).read().decode()
def refusal(url):
    try:
        fetch(url)
    except urllib.error.HTTPError as error:
        return "%s | %s" % (error, error.read().decode().strip())
    except OSError as error:
        return str(error)
def through_proxy(target):
    proxy = urllib.parse.urlsplit(os.environ["https_proxy"])
    connection = socket.create_connection((proxy.hostname, proxy.port))
    connection.sendall(("CONNECT %s HTTP/1.1\\r\\n\\r\\n" % target).encode())
    head = b""
    while not head.endswith(b"\\r\\n\\r\\n"):
        head += connection.recv(1)
    return connection, head.decode().split("\\r\\n")[0]
`;

describe.skipIf(!hasSandboxEngine)('§8.4: the network of scripts of skills', { timeout: 60_000 }, () => {
  const sandbox = createContainerSandbox(options);
  afterAll(() => sandbox.close());

  const run = async (source: string, more: Partial<ScriptJob & Pick<ScriptRun, 'http'>> = {}) => {
    const { http = egressToName('shop.test'), ...changes } = more;
    const job = scriptJob(FETCH + source, { timeout_ms: 40_000, ...changes });
    try {
      return (await sandbox.runScript(job, { run_id: 'run', http })).printed;
    } finally {
      await sandbox.dropWorkspace('run');
    }
  };
  const left = () => {
    const filters = encodeURIComponent(
      JSON.stringify({ label: [`${LABEL}=run`, `${INSTALLATION}=${options.installation}`] }),
    );
    return sandboxEngine.call<object[]>('GET', `/containers/json?all=1&filters=${filters}`);
  };

  test('§8.4: a script reaches what the guard allows over http and https', async () => {
    const plain = await serve(answer);
    const encrypted = await serveTls(validCertificate, answer);
    const printed = await run(`
print(fetch("http://shop.test:${plain.port}/a?b=c"))
print(fetch("https://shop.test:${encrypted.port}/form", b"12345"))`);
    expect(printed.split('\n')).toEqual([
      'GET /a?b=c 0 accept-encoding connection host user-agent',
      'POST /form 5 accept-encoding connection content-length content-type host user-agent',
      '',
    ]);
  });

  test('§8.4: what the guard refuses is refused in words that the script and its caller see', async () => {
    const printed = await run(`
for url in ("http://10.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://other.test/", "https://10.0.0.1/", "ftp://shop.test/"):
    print(refusal(url))`);
    const why = (host: string) => `Calls to "${host}" are refused: its address is not public`;
    const lines = printed.split('\n');
    expect(lines[0]).toContain(`HTTP Error 502: ${why('10.0.0.1')}`);
    expect(lines[0]).toContain(`| refused: ${why('10.0.0.1')}`);
    expect(lines[1]).toContain(why('169.254.169.254'));
    expect(lines[2]).toContain(why('other.test'));
    expect(lines[3]).toContain(`Tunnel connection failed: 502 ${why('10.0.0.1')}`);
    const failure = await catchFailure(run('fetch("http://10.0.0.1/", b"x" * 2_000_000)'));
    expect(failure).toMatchObject({ kind: 'thrown', message: expect.stringContaining(why('10.0.0.1')) });
  });

  test('§8.4: a private address is reached where the operator allows that', async () => {
    const { port } = await serve(answer);
    // The proxy is not asked for addresses that the script itself listens on.
    const source = `os.environ["no_proxy"] = os.environ["NO_PROXY"] = ""\nprint(fetch("http://127.0.0.1:${port}/private"))`;
    expect(await run(source, { http: egress({ allow_private: true }) })).toMatch(/^GET \/private 0 /);
    expect(await catchFailure(run(source))).toMatchObject({ message: expect.stringContaining('not public') });
  });

  test('§8.4: megabytes pass both ways, over http and through a tunnel', async () => {
    const plain = await serve(answer);
    const encrypted = await serveTls(validCertificate, answer);
    const printed = await run(`
for base in ("http://shop.test:${plain.port}", "https://shop.test:${encrypted.port}"):
    print(len(fetch(base + "/big")), fetch(base + "/up", b"y" * ${SIZE}).split(" ")[2])`);
    expect(printed).toBe(`${SIZE} ${SIZE}\n${SIZE} ${SIZE}\n`);
  });

  test('§8.4: requests of one client, and an answer without a length, arrive whole', async () => {
    const { port } = await serveBytes((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nuntil the end'));
    const odd = await serveBytes((socket) => socket.end('no HTTP'));
    const broken = await serveBytes((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nbut');
      setTimeout(() => socket.resetAndDestroy(), 200);
    });
    const printed = await run(`
import http.client
print(fetch("http://shop.test:${port}/"), fetch("http://shop.test:${port}/"))
print(refusal("http://shop.test:${odd.port}/"))
try:
    print(fetch("http://shop.test:${broken.port}/"))
except (OSError, http.client.HTTPException) as error:
    print("broke off")
connection, status = through_proxy("shop.test:${port}")
connection.sendall(b"GET / HTTP/1.1\\r\\n\\r\\n")
print(status, connection.makefile().read().split("\\n")[-1])`);
    expect(printed.split('\n')).toEqual([
      'until the end until the end',
      'HTTP Error 502: The server gave no HTTP answer | refused: The server gave no HTTP answer',
      'broke off',
      'HTTP/1.1 200 Connected until the end',
      '',
    ]);
  });

  test('§8.4: beside the proxy there is no network', async () => {
    const { port } = await serve(answer);
    const printed = await run(`
print(os.listdir("/sys/class/net"))
for host in ("127.0.0.1", "192.0.2.1", "shop.test"):
    try:
        socket.create_connection((host, ${port}), 3)
        print("connected")
    except OSError as error:
        print(type(error).__name__)`);
    expect(printed).toBe("['lo']\nConnectionRefusedError\nOSError\ngaierror\n");
  });

  test('§8.4: a script has at most 100 connections at once', async () => {
    const { port } = await serve(answer);
    const printed = await run(`
kept = [through_proxy("shop.test:${port}") for _ in range(101)]
print(len([1 for _, status in kept if " 200 " in status]), kept[-1][1])
kept[0][0].close()
kept[1][0].shutdown(socket.SHUT_WR)
import time
for _ in range(200):
    status = through_proxy("shop.test:${port}")[1]
    if " 200 " in status:
        break
    time.sleep(0.1)
print(status)`);
    expect(printed).toBe('100 HTTP/1.1 502 more than 100 connections at once\nHTTP/1.1 200 Connected\n');
  });

  test('§8.4: a script that writes to the output of its container is ended', async () => {
    const source = `
for number in os.listdir("/proc/%d/fd" % os.getppid()):
    try:
        with open("/proc/%d/fd/%s" % (os.getppid(), number), "wb", 0) as output:
            output.write(b"forged\\n")
    except OSError:
        pass
import time
time.sleep(20)`;
    expect((await catchFailure(run(source))).message).toBe(
      'The script was ended, because its container writes something else than messages of its connections',
    );
  });

  test.each([
    ['ends', 'os._exit(0)', undefined],
    ['is ended by its time', 'import time\ntime.sleep(60)', 'timeout'],
    ['is cancelled', 'import time\ntime.sleep(60)', 'cancelled'],
  ])('§8.4: when a script %s, its connections are closed and nothing is left', async (_, end, kind) => {
    const cancelled = new AbortController();
    const count = { opened: 0, open: 0 };
    const { port } = await serve((request) => {
      count.opened++;
      count.open++;
      request.socket.once('close', () => count.open--);
      if (kind === 'cancelled') setTimeout(() => cancelled.abort(), 300);
    });
    const source = `
connection, _ = through_proxy("shop.test:${port}")
connection.sendall(b"GET /hangs HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
import time
time.sleep(0.5)
${end}`;
    const work = run(source, {
      signal: cancelled.signal,
      ...(kind === 'timeout' ? { timeout_ms: 6_000 } : {}),
    });
    if (kind === undefined) await work;
    else expect(await catchFailure(work)).toMatchObject({ kind });
    await expect.poll(() => count).toEqual({ opened: 1, open: 0 });
    expect(await left()).toEqual([]);
  });
});
