import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeFailure } from '@millrace/engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pythonJob } from '../../ports/sandbox.conformance.ts';
import { hasSandboxEngine, sandboxOptions } from '../../testing/sandbox-engine.ts';
import { createContainerSandbox } from './containers/container-sandbox.ts';

// Each probe is what hostile code would try; all that need no separate container share one run.

/** The expected result of each probe. Text: the error it gets; a pattern for several that are as good. */
const PROBES: readonly [name: string, code: string, expected: RegExp][] = [
  // Who the code is.
  [
    'user',
    'return [os.getuid(), os.geteuid(), os.getgid(), os.getgroups()]',
    /^\[65532,65532,65532,\[(65532)?\]\]$/,
  ],
  [
    'capabilities',
    'return [line.split()[1] for line in open("/proc/self/status") if line.startswith("Cap")]',
    /^\["0{16}"(,"0{16}"){4}\]$/,
  ],
  ['no new privileges', 'return status("NoNewPrivs")', /^"1"$/],
  ['seccomp', 'return status("Seccomp")', /^"2"$/],
  ['become root', 'os.setuid(0)', /PermissionError/],
  ['become another group', 'os.setgid(0)', /PermissionError/],
  ['other processes', 'return [name for name in os.listdir("/proc") if name.isdigit()]', /^\["1"\]$/],
  [
    'environment',
    'return sorted(os.environ)',
    /^\["HOME","HOSTNAME","LC_CTYPE","PATH","PYTHONDONTWRITEBYTECODE","PYTHONIOENCODING"\]$|^\["HOME","HOSTNAME","PATH","PYTHONDONTWRITEBYTECODE","PYTHONIOENCODING"\]$/,
  ],
  [
    'environment of the first process',
    'return sorted(part.split(b"=")[0].decode() for part in open("/proc/1/environ", "rb").read().split(b"\\0") if part)',
    /^\["HOME","HOSTNAME","PATH","PYTHONDONTWRITEBYTECODE","PYTHONIOENCODING"\]$/,
  ],
  // Files.
  ['write to the root', 'open("/probe", "w")', /Read-only file system|Permission denied/],
  ['write to /etc', 'open("/etc/hosts.probe", "w")', /Read-only file system|Permission denied/],
  ['write to the hosts file', 'open("/etc/hosts", "a")', /Read-only file system|Permission denied/],
  [
    'write to the interpreter',
    'open("/usr/lib/python3.11/json/__init__.py", "a")',
    /Read-only file system|Permission denied/,
  ],
  ['write to /var', 'open("/var/probe", "w")', /Read-only file system|Permission denied/],
  ['write to /run', 'open("/run/probe", "w")', /Read-only file system|Permission denied/],
  ['write to /dev', 'open("/dev/probe", "w")', /Read-only file system|Permission denied/],
  ['shared memory', 'open("/dev/shm/probe", "w")', /No such file|Read-only|Permission denied/],
  [
    'mounts',
    'return [line.split()[1] for line in open("/proc/mounts") if "rw," in line.split()[3] + "," and line.split()[2] in ("ext4", "xfs", "btrfs", "overlay")]',
    /^\[\]$/,
  ],
  [
    'socket of the engine',
    'return [path for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock") if os.path.exists(path)]',
    /^\[\]$/,
  ],
  [
    'program in the folder for temporary files',
    'open("/tmp/p", "w").write("#!/bin/sh\\necho out"); os.chmod("/tmp/p", 0o755); import subprocess; subprocess.run(["/tmp/p"])',
    /PermissionError/,
  ],
  [
    'set-user-id program in the folder for temporary files',
    'return ["nosuid" in line.split()[3].split(",") for line in open("/proc/mounts") if line.split()[1] == "/tmp"]',
    /^\[true\]$/,
  ],
  ['fill the disk', 'fill()', /No space left/],
  [
    'symlink out of the folder',
    'os.symlink("/etc/passwd", "/tmp/link"); open("/tmp/link", "a")',
    /Read-only file system|Permission denied/,
  ],
  [
    'root of the first process',
    'return [os.path.exists("/proc/1/root" + path) for path in ("HOST_FOLDER", "/etc/passwd")]',
    /^\[false,true\]$/,
  ],
  ['hard link to a file of the image', 'os.link("/etc/passwd", "/tmp/passwd")', /OSError|PermissionError/],
  // The kernel.
  ['mount', 'call(165, b"tmpfs", b"/tmp", b"tmpfs", 0, 0)', /EPERM/],
  ['remount the root', 'call(165, b"none", b"/", b"none", 32, 0)', /EPERM/],
  ['user namespace', 'call(272, 0x10000000)', /EPERM/],
  ['network namespace', 'call(272, 0x40000000)', /EPERM/],
  ['join a namespace', 'call(308, os.open("/proc/self/ns/net", os.O_RDONLY), 0)', /EPERM/],
  ['chroot', 'os.chroot("/tmp")', /PermissionError/],
  ['device file', 'os.mknod("/tmp/disk", 0o60666, os.makedev(254, 0))', /PermissionError/],
  ['load a module', 'call(175, 0, 0, b"")', /EPERM/],
  ['keys of the kernel', 'call(250, 0, -3, 0)', /EPERM/],
  ['bpf', 'call(321, 0, 0, 0)', /EPERM/],
  ['performance events', 'call(298, 0, 0, -1, -1, 0)', /EPERM|EACCES/],
  ['open by handle', 'call(304, 0, 0, 0)', /EPERM/],
  ['reboot', 'call(169, 0, 0, 0)', /EPERM/],
  ['change the clock', 'import time; time.clock_settime(time.CLOCK_REALTIME, 0)', /PermissionError/],
  ['swap', 'call(167, b"/tmp/none", 0)', /EPERM/],
  ['host name', 'import socket; socket.sethostname("probe")', /PermissionError/],
  [
    'system request',
    'open("/proc/sysrq-trigger", "w").write("h")',
    /Read-only file system|Permission denied|No such file/,
  ],
  [
    'settings of the kernel',
    'open("/proc/sys/kernel/core_pattern", "w").write("|/tmp/p")',
    /Read-only file system|Permission denied/,
  ],
  ['memory of the kernel', 'return len(open("/proc/kcore", "rb").read(16))', /^0$|Permission|No such file/],
  [
    'own limits',
    'open("/sys/fs/cgroup/memory/memory.limit_in_bytes", "w").write("-1")',
    /Read-only file system|Permission denied|No such file/,
  ],
  [
    'more open files',
    'import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))',
    /ValueError|PermissionError/,
  ],
  [
    'privileged ioctl',
    'import fcntl; fcntl.ioctl(os.open("/dev/null", os.O_RDONLY), 0x5412, b"x")',
    /OSError/,
  ],
  ['priority', 'os.nice(-5)', /PermissionError/],
  // The network.
  ['interfaces', 'import socket; return [name for _, name in socket.if_nameindex()]', /^\["lo"\]$/],
  ['metadata address', 'connect("169.254.169.254", 80)', /unreachable/],
  ['public address', 'connect("192.0.2.1", 443)', /unreachable/],
  ['private address', 'connect("10.0.0.1", 80)', /unreachable/],
  ['service on the machine', 'connect("127.0.0.1", PORT)', /ConnectionRefused/],
  ['names', 'import socket; socket.getaddrinfo("example.org", 80)', /gaierror/],
  ['raw socket', 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)', /PermissionError/],
  ['packet socket', 'import socket; socket.socket(17, socket.SOCK_RAW, 3)', /PermissionError/],
];

const HELPERS = `
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    if libc.syscall(number, *args) >= 0:
        return "it works"
    raise OSError(errno.errorcode[ctypes.get_errno()])
def status(name):
    return [line.split()[1] for line in open("/proc/self/status") if line.startswith(name + ":")][0]
def connect(host, port):
    import socket
    socket.create_connection((host, port), 1)
def fill():
    try:
        with open("/tmp/full", "wb") as file:
            for _ in range(100):
                file.write(b"x" * 1048576)
                file.flush()
    finally:
        os.unlink("/tmp/full")
def attempt(probe):
    try:
        return probe()
    except Exception as error:
        return type(error).__name__ + ": " + str(error)
`;

describe.skipIf(!hasSandboxEngine)('§8.4: code in a sandbox cannot', () => {
  const sandbox = createContainerSandbox(sandboxOptions);
  const server = createServer((_, response) => response.end('canary'));
  const found = new Map<string, string>();
  const folder = mkdtempSync(join(tmpdir(), 'probe-of-the-host-'));

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const functions = PROBES.map(
      ([, code], at) =>
        `def probe_${at}():\n    ${code.replace('PORT', String(port)).replace('HOST_FOLDER', folder).replaceAll('; ', '\n    ')}\n`,
    );
    const calls = PROBES.map((_, at) => `attempt(probe_${at})`);
    const source = `${HELPERS}${functions.join('')}def main(params):\n    return [${calls.join(', ')}]`;
    const { result } = await sandbox.run(pythonJob(source, { timeout_ms: 50_000 }));
    const values = result as unknown[];
    PROBES.forEach(([name], at) => found.set(name, JSON.stringify(values[at])));
  });
  afterAll(async () => {
    await sandbox.close();
    server.close();
    rmSync(folder, { recursive: true });
  });

  test.each(PROBES)('%s', (name, _, expected) => {
    expect(found.get(name)).toMatch(expected);
  });

  const runToFailure = async (source: string, timeout_ms: number) => {
    const error: unknown = await sandbox
      .run(pythonJob(source, { timeout_ms }))
      .catch((thrown: unknown) => thrown);
    return error instanceof NodeFailure ? error.failure : undefined;
  };

  test('have more than 256 processes or more than one CPU', async () => {
    const source = `
import os, time
def burn():
    end = time.monotonic() + 2
    while time.monotonic() < end:
        pass
    os._exit(0)
def main(params):
    burners = [os.fork() or burn() for _ in range(4)]
    for pid in burners:
        os.waitpid(pid, 0)
    used = os.times().children_user + os.times().children_system
    children = []
    try:
        for _ in range(2000):
            pid = os.fork()
            if pid == 0:
                time.sleep(60)
                os._exit(0)
            children.append(pid)
        error = "none"
    except OSError as refused:
        error = type(refused).__name__
    return [len(children) < 256, len(children) > 200, error, used < 3]
`;
    const { result } = await sandbox.run(pythonJob(source, { timeout_ms: 30_000 }));
    expect(result).toEqual([true, true, 'BlockingIOError', true]);
  });

  test('have more than 512 MB of memory, also not in children', async () => {
    const own = 'def main(params):\n    kept = []\n    while True:\n        kept.append(b"x" * 10_000_000)';
    expect(await runToFailure(own, 30_000)).toMatchObject({ kind: 'limit' });
    const inChildren = `
import os
def hold():
    kept = [b"x" * 10_000_000 for _ in range(30)]
    os._exit(0 if len(kept) == 30 else 1)
def grow():
    kept = []
    while len(kept) < 60:
        kept.append(b"x" * 10_000_000)
    os._exit(0)
def end_of(work):
    pid = os.fork() or work()
    return os.WTERMSIG(os.waitpid(pid, 0)[1])
def main(params):
    return [end_of(hold), end_of(grow)]
`;
    // The first child stays below the limit; the kernel kills the second.
    expect((await sandbox.run(pythonJob(inChildren, { timeout_ms: 30_000 }))).result).toEqual([0, 9]);
  });

  test('outlive its time by ignoring signals or in children that it has set loose', async () => {
    const token = `left-behind-${Date.now()}`;
    const source = `
import os, signal, subprocess, time
def main(params):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    code = "import time; time.sleep(600)"
    subprocess.Popen(["python3", "-c", code, "${token}"], start_new_session=True)
    print("begun")
    while True:
        time.sleep(1)
`;
    const failure = await runToFailure(source, 3_000);
    expect(failure).toMatchObject({ kind: 'timeout', details: { logs: 'begun\n' } });
    const commands = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        } catch {
          return '';
        }
      });
    expect(commands.filter((command) => command.includes(token))).toEqual([]);
  });

  test('be faster than its end: a child that is left when the code returns is gone', async () => {
    const token = `left-over-${Date.now()}`;
    const source = `
import subprocess
def main(params):
    subprocess.Popen(["python3", "-c", "import time; time.sleep(600)", "${token}"], start_new_session=True)
    return "done"
`;
    expect((await sandbox.run(pythonJob(source))).result).toBe('done');
    const found = readdirSync('/proc').filter((name) => {
      try {
        return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(token);
      } catch {
        return false;
      }
    });
    expect(found).toEqual([]);
  });

  test('reach anything with JavaScript, either', async () => {
    const source = `
const fs = require('node:fs');
const attempt = (work) => { try { work(); return 'it works'; } catch (error) { return error.code; } };
async function main() {
  return {
    uid: process.getuid(),
    secrets: Object.keys(process.env).sort(),
    root: attempt(() => fs.writeFileSync('/probe', '')),
    hosts: attempt(() => fs.appendFileSync('/etc/hosts', '')),
    setuid: attempt(() => process.setuid(0)),
    net: await fetch('http://169.254.169.254').then(() => 'it works', (error) => error.cause.code),
  };
}`;
    const { result } = await sandbox.run(pythonJob(source, { language: 'javascript' }));
    expect(result).toMatchObject({
      uid: 65_532,
      root: expect.stringMatching(/EROFS|EACCES/),
      hosts: expect.stringMatching(/EROFS|EACCES/),
      setuid: expect.stringMatching(/EPERM|ERR_/),
      net: expect.stringMatching(/ENETUNREACH|EHOSTUNREACH/),
    });
    expect((result as { secrets: string[] }).secrets).not.toContain('DATABASE_URL');
  });
});
