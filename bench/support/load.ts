import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasWrk, runLoad } from './processes.ts';
import { median } from './quantile.ts';

export interface LoadResult {
  readonly per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Answers that were not 2xx. */
  readonly failed: number;
}

export interface LoadOptions {
  readonly url: string;
  readonly body: string;
  /** Sent beside the type of the body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
}

export const generator = hasWrk ? 'wrk' : 'autocannon';

const folder = mkdtempSync(join(tmpdir(), 'millrace-load-'));
const AUTOCANNON = fileURLToPath(new URL('../../node_modules/.bin/autocannon', import.meta.url));

function milliseconds(text: string | undefined): number {
  const [, number = '0', unit] = /^([\d.]+)(us|ms|s|m)$/.exec(text ?? '') ?? [];
  const factor = { us: 0.001, ms: 1, s: 1000, m: 60_000 }[unit ?? 'ms'] ?? 1;
  return Number(number) * factor;
}

async function withWrk({ url, body, headers = {}, connections, seconds }: LoadOptions): Promise<LoadResult> {
  const script = join(folder, 'post.lua');
  const quoted = `[==[${body}]==]`;
  const sent = Object.entries({ 'Content-Type': 'application/json', ...headers });
  const lines = sent.map(([name, value]) => `wrk.headers["${name}"] = "${value}"`);
  writeFileSync(script, ['wrk.method = "POST"', ...lines, `wrk.body = ${quoted}`, ''].join('\n'));
  const output = await runLoad('wrk', [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    '-s',
    script,
    url,
  ]);
  const field = (pattern: RegExp) => pattern.exec(output)?.[1];
  return {
    per_second: Number(field(/Requests\/sec:\s+([\d.]+)/) ?? 0),
    p50_ms: milliseconds(field(/50%\s+(\S+)/)),
    p99_ms: milliseconds(field(/99%\s+(\S+)/)),
    failed: Number(field(/Non-2xx or 3xx responses: (\d+)/) ?? 0),
  };
}

interface AutocannonResult {
  requests: { average: number };
  latency: { p50: number; p99: number };
  non2xx: number;
  errors: number;
}

async function withAutocannon({
  url,
  body,
  headers = {},
  connections,
  seconds,
}: LoadOptions): Promise<LoadResult> {
  const file = join(folder, 'body.json');
  writeFileSync(file, body);
  const sent = Object.entries({ 'content-type': 'application/json', ...headers });
  const asked = sent.flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const args = ['-j', '-n', '-m', 'POST', ...asked, '-i', file];
  const output = await runLoad(AUTOCANNON, [...args, '-c', String(connections), '-d', String(seconds), url]);
  const result = JSON.parse(output.slice(output.indexOf('{'))) as AutocannonResult;
  return {
    per_second: result.requests.average,
    p50_ms: result.latency.p50,
    p99_ms: result.latency.p99,
    failed: result.non2xx + result.errors,
  };
}

/** Sends the same POST over and over from connections that stay open. */
export function load(options: LoadOptions): Promise<LoadResult> {
  return hasWrk ? withWrk(options) : withAutocannon(options);
}

/** The same after a warm-up, so that compiled code and filled caches are measured. */
export async function measuredLoad(options: LoadOptions): Promise<LoadResult> {
  await load({ ...options, seconds: Math.max(3, options.seconds) });
  return load(options);
}

export interface CostedLoad extends LoadResult {
  /** Processor time of the server per answered request, in microseconds: what neighbours disturb least. */
  readonly cpu_us: number;
}

/** A server under load, with its own figures. */
export interface Target {
  readonly server: { cpuTime(): number };
  readonly url: string;
  /** Instead of what all targets are sent. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const optionsFor = ({ url, body, headers }: Target, options: Omit<LoadOptions, 'url'>): LoadOptions => ({
  ...options,
  url,
  ...(body === undefined ? {} : { body }),
  ...(headers === undefined ? {} : { headers }),
});

async function costedLoad(target: Target, options: Omit<LoadOptions, 'url'>): Promise<CostedLoad> {
  const { server } = target;
  const before = server.cpuTime();
  const result = await load(optionsFor(target, options));
  const answered = Math.max(1, result.per_second * options.seconds);
  return { ...result, cpu_us: (server.cpuTime() - before) / answered };
}

function computeMedian(results: readonly CostedLoad[]): CostedLoad {
  const of = (read: (result: CostedLoad) => number) => median(results.map(read));
  return {
    per_second: of((one) => one.per_second),
    p50_ms: of((one) => one.p50_ms),
    p99_ms: of((one) => one.p99_ms),
    cpu_us: of((one) => one.cpu_us),
    failed: results.reduce((sum, one) => sum + one.failed, 0),
  };
}

export interface Comparison {
  readonly yardstick: CostedLoad;
  readonly measured: CostedLoad;
  /** Medians over the rounds of what one round gave beside the other. */
  readonly ratio: number;
  readonly cpu_ratio: number;
  /** The ratio of each round. */
  readonly ratios: readonly number[];
}

/**
 * Loads the yardstick and the product in turns and compares each turn with the one beside it, so that a neighbour who
 * wakes up in the middle disturbs both alike. Warms both up first.
 */
export async function compare(
  targets: { yardstick: Target; measured: Target },
  options: Omit<LoadOptions, 'url'>,
  rounds: number,
): Promise<Comparison> {
  const { yardstick, measured } = targets;
  for (const target of [yardstick, measured]) await load(optionsFor(target, options));
  const pairs: { one: CostedLoad; other: CostedLoad }[] = [];
  for (let round = 0; round < rounds; round++) {
    pairs.push({ one: await costedLoad(yardstick, options), other: await costedLoad(measured, options) });
  }
  const ratios = pairs.map(({ one, other }) => other.per_second / one.per_second);
  return {
    yardstick: computeMedian(pairs.map(({ one }) => one)),
    measured: computeMedian(pairs.map(({ other }) => other)),
    ratio: median(ratios),
    ratios,
    cpu_ratio: median(pairs.map(({ one, other }) => one.cpu_us / other.cpu_us)),
  };
}
