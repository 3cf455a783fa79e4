import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { requireNoDefects } from '@millrace/server/testing/defects';

/** The built server; `PRODUCT_MAIN` names another build of it. */
const MAIN =
  process.env['PRODUCT_MAIN'] ?? fileURLToPath(new URL('../../apps/server/dist/main.js', import.meta.url));
/** A new database is migrated first, which takes minutes on a machine that does much else. */
const START_TIMEOUT_MS = 180_000;

/** The built product as a process of its own, on a free port. */
export interface Product {
  readonly url: string;
  readonly process: ChildProcess;
  readonly data_dir: string;
  /** Everything that it logged. */
  readonly log: string[];
  /** Ends it as an operator would and waits for its exit code. */
  stop(): Promise<number | null>;
  /** Ends it as a power switch would. */
  kill(): Promise<void>;
}

export interface ProductOptions {
  env?: Record<string, string>;
  /** Reopen the data of an earlier product. */
  data_dir?: string;
  node_options?: readonly string[];
}

function exited(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}

function addressIn(line: string): string | undefined {
  try {
    const entry = JSON.parse(line) as { msg?: string; address?: string };
    return entry.msg === 'millrace is serving' ? entry.address : undefined;
  } catch {
    return undefined;
  }
}

/** Starts the product and waits until it serves. */
export async function startProduct({
  env = {},
  data_dir,
  node_options = [],
}: ProductOptions = {}): Promise<Product> {
  const folder = data_dir ?? mkdtempSync(join(tmpdir(), 'millrace-'));
  const child = spawn(process.execPath, [...node_options, MAIN], {
    env: { PATH: process.env['PATH'] ?? '', DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new Error(`the product did not start: ${reason}\n${log.join('\n')}`));
    const timer = setTimeout(() => fail('timeout'), START_TIMEOUT_MS);
    child.once('exit', (code, signal) => fail(`exit ${code ?? signal}`));
    createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.push(line);
      const address = addressIn(line);
      if (!address) return;
      clearTimeout(timer);
      resolve(address);
    });
  });
  return {
    url,
    process: child,
    data_dir: folder,
    log,
    stop: () => {
      child.kill('SIGTERM');
      return exited(child);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited(child);
    },
  };
}

/**
 * Ends the product and removes its data.
 *
 * @throws Error when it has logged an internal error
 */
export async function discard(product: Product): Promise<void> {
  await product.kill();
  rmSync(product.data_dir, { recursive: true, force: true });
  requireNoDefects(product.log);
}
