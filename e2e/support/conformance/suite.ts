import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from '../../../tools/test/bundle-program.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const PROGRAM = here('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
/** How the suite starts the client of this project. */
const CLIENT = './client.ts';
/** The same for the scenarios of signing in, which need a service. */
const SIGN_IN_CLIENT = './sign-in-client.ts';
const LONGEST_MS = 60_000;
/** For the client alone; the suite's own limit is too short for a busy machine. */
const CLIENT_LONGEST_MS = '50000';

export interface Check {
  readonly id: string;
  /** `SUCCESS`, `FAILURE`, `WARNING` or `INFO`. */
  readonly status: string;
  readonly errorMessage?: string;
}

function suite(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const all = ['--import', here('./glob-on-node-20.mjs'), PROGRAM, ...args];
    execFile(
      process.execPath,
      all,
      { timeout: LONGEST_MS, cwd: here('../../..'), env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        // It ends with 1 when a check has failed; the checks say which.
        if (error && typeof error.code !== 'number') reject(new Error(`${error.message}\n${stderr}`));
        else resolve(stdout);
      },
    );
  });
}

/** Every scenario that the installed suite has, as `server tools-list`. */
export async function listScenarios(): Promise<string[]> {
  let side = '';
  return (await suite(['list'])).split('\n').flatMap((line) => {
    side = /^(Server|Client) scenarios/.exec(line)?.[1]?.toLowerCase() ?? side;
    const name = /^ {2}- (\S+)/.exec(line)?.[1];
    return name === undefined ? [] : [`${side} ${name}`];
  });
}

async function checksIn(folder: string): Promise<Check[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('checks.json'));
  const found = await Promise.all(
    files.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Check[]),
  );
  return found.flat();
}

export interface Subject {
  /** Endpoint of the server under test. */
  readonly url: string;
  /** Service of the client under test: its address, and the access token of a person. */
  readonly service: { readonly base: string; readonly access_token: string };
}

/** Runs one scenario and returns what it checked. */
export async function runScenario(
  side: string,
  scenario: string,
  { url, service }: Subject,
): Promise<Check[]> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const program = await bundleProgram(here(scenario.startsWith('auth/') ? SIGN_IN_CLIENT : CLIENT));
    const client = `${process.execPath} ${program}`;
    const subject =
      side === 'server' ? ['--url', url] : ['--command', client, '--timeout', CLIENT_LONGEST_MS];
    const args = [side, ...subject, '--scenario', scenario, '--output-dir', folder];
    await suite(args, { CONFORMANCE_SERVICE: JSON.stringify(service) });
    return await checksIn(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The suite cannot sign in, so its requests pass here and are sent on with a key; all else of them stays as it is. */
export async function withHeaders(
  target: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ url: string; close: () => void }> {
  const { hostname, port, pathname } = new URL(target);
  const server = createServer((request, response) => {
    const { method } = request;
    const onward = forward(
      { hostname, port, path: pathname, method, headers: { ...request.headers, ...headers } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}${pathname}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
