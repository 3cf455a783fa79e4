import { readFileSync } from 'node:fs';
import { plainWords, readTruth } from '@millrace/engine';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Values that examples and templates of settings carry, without signs between their words. */
const PLACEHOLDER =
  /^(placeholder|secret|todo|x{3,}|(change|replace|insert|enter)(me|this|with|your|here).*|your.*(key|secret|here))$/;

const isPlaceholder = (text: string): boolean =>
  PLACEHOLDER.test(text.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));

const flag = (fallback: boolean) =>
  z
    .string()
    .refine((text) => readTruth(text) !== undefined, 'must be true or false')
    .transform((text) => (text.trim() === '' ? fallback : readTruth(text) === true))
    .default(fallback);

type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number];

/** Which hops of `X-Forwarded-For` are proxies of the operator, counted or named. */
export type ProxyTrust =
  | { readonly kind: 'none' }
  /** The number of proxies between the service and its clients. */
  | { readonly kind: 'hops'; readonly count: number }
  /** Addresses in these networks are proxies. */
  | { readonly kind: 'networks'; readonly networks: readonly Network[] };

const MOST_HOPS = 32;

function parseNetwork(text: string): Network | undefined {
  const [host = ''] = text.split('/');
  // Short forms such as `127.1` are typing errors here.
  if (!ipaddr.IPv4.isValidFourPartDecimal(host) && !ipaddr.IPv6.isValid(host)) return undefined;
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    return undefined;
  }
}

/** Reads `TRUST_PROXY_HEADERS`; undefined for an invalid text. */
export function parseProxyTrust(text: string): ProxyTrust | undefined {
  const word = text.trim().toLowerCase();
  const trusts = readTruth(word);
  if (trusts !== undefined) return trusts ? { kind: 'hops', count: 1 } : { kind: 'none' };
  if (/^\d+$/.test(word)) {
    const count = Number(word);
    return count <= MOST_HOPS ? { kind: 'hops', count } : undefined;
  }
  const networks = word.split(',').map((part) => parseNetwork(part.trim()));
  const known = networks.filter((network) => network !== undefined);
  return known.length === networks.length ? { kind: 'networks', networks: known } : undefined;
}

const proxies = z
  .string()
  .transform((text, context) => {
    const trust = parseProxyTrust(text);
    if (trust) return trust;
    const message =
      'must be true, false, a number of proxies up to 32, or a list such as 10.0.0.0/8,192.0.2.7';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .default({ kind: 'none' });

function parseOrigin(text: string): string | undefined {
  if (text === '*') return text;
  if (!URL.canParse(text)) return undefined;
  const { origin, protocol, href } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${origin}/` ? origin : undefined;
}

const origins = z
  .string()
  .transform((text, context) => {
    const parts = text.split(',').map((part) => part.trim());
    const known = parts.filter((part) => part !== '').map(parseOrigin);
    const parsed = known.filter((origin) => origin !== undefined);
    if (parsed.length === known.length) return parsed;
    const message = 'must be a list of origins such as https://app.example.org, or *';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .default([]);

const integer = (fallback: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);

const secret = (what: string) =>
  z
    .string()
    .trim()
    .min(1, `is set but empty; give a random value or unset it so that one is made for you`)
    .refine((text) => !isPlaceholder(text), `is a known placeholder; ${what} needs a random value`)
    .optional();

const imageName = (fallback: string) =>
  z
    .string()
    .trim()
    .regex(/^[a-z0-9][\w./:@-]*$/, 'must be the name of an image such as python:3.13.9-slim-bookworm')
    .default(fallback);

const optionalText = z
  .string()
  .trim()
  .transform((text) => (text === '' ? undefined : text))
  .optional();

const tokenPrice = z.number().min(0);
const pricesByModel = z.record(
  z.string(),
  z.strictObject({
    input: tokenPrice,
    output: tokenPrice,
    cached: tokenPrice.optional(),
    cache_write: tokenPrice.optional(),
  }),
);
type PricesByModel = z.output<typeof pricesByModel>;

const modelPrices = z
  .string()
  .transform((text, context): PricesByModel => {
    if (text.trim() === '') return {};
    try {
      return pricesByModel.parse(JSON.parse(text));
    } catch {
      const message =
        'must be JSON such as {"my-model":{"input":0.5,"output":1.5}}, in dollars per million tokens';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
  })
  .default({});

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Every setting, its default and its meaning; `docs/configuration.md` is generated from it. */
export const configSchema = z.object({
  HOST: z.string().default('127.0.0.1').meta({ description: 'Address to listen on.' }),
  PORT: integer(4600, 0, 65_535).meta({ description: 'Port to listen on; 0 takes a free one.' }),
  DATA_DIR: z
    .string()
    .default('./data')
    .meta({ description: 'Folder of the embedded database, generated secrets and files.' }),
  DATABASE_URL: optionalText.meta({
    description: 'PostgreSQL 15 or newer. Unset: an embedded database in DATA_DIR.',
  }),
  EMBEDDED_LOG_SYNC: flag(false).meta({
    description:
      'Flush the log of the embedded database to disk at each commit: a power cut loses fewer runs, at about half the throughput.',
  }),
  REDIS_URL: optionalText.meta({
    description:
      'Shared store for response cache, rate limits and live events across processes. May be lost at any time.',
  }),
  SECRET_KEY: secret('SECRET_KEY').meta({
    description: 'Signs sessions and tokens. Unset: generated once and kept in DATA_DIR.',
  }),
  ENCRYPTION_KEY: secret('ENCRYPTION_KEY').meta({
    description:
      'Encrypts credentials. Unset: generated once and kept in DATA_DIR. Keep a copy: without it credentials are lost.',
  }),
  ENCRYPTION_KEYS_OLD: optionalText.meta({
    description: 'Former encryption keys, comma separated, still used to decrypt.',
  }),
  PUBLIC_URL: optionalText.meta({
    description:
      'Address under which people reach the service, for links. Unset: `$workflowUrl` uses the `Host` of the request that started the run, links to files are paths, and addresses of reviews, callbacks and uploads begin with `HOST` and `PORT`: set it when others are to open them.',
  }),
  ALLOW_REGISTER: flag(true).meta({
    description: 'Whether people may create accounts; the first account can always be created.',
  }),
  TRUST_PROXY_HEADERS: proxies.meta({
    description:
      'Take the client address from X-Forwarded-For: `true` behind one proxy, a number behind several, or a comma separated list of their addresses and networks.',
  }),
  CORS_ORIGINS: origins.meta({
    description:
      'Origins whose pages may call the API from a browser, comma separated, such as `https://app.example.org`; `*` for every page. They send a token or key as a header, or call what needs neither; sessions by cookie stay with the pages of Millrace. MCP is open to origins that are listed by name.',
  }),
  TIMEZONE: optionalText.meta({
    description: 'IANA time zone of schedules and daily jobs. Unset: TZ, then UTC.',
  }),
  TZ: optionalText,
  ACCESS_TOKEN_MINUTES: integer(30, 1, 10_080).meta({ description: 'Lifetime of an access token.' }),
  REFRESH_TOKEN_DAYS: integer(30, 1, 365).meta({ description: 'Lifetime of a refresh token.' }),
  RESTRICT_TEST_RUN: flag(false).meta({
    description: 'Accept test_run only from users with access to the workflow.',
  }),
  HTTP_ALLOW_PRIVATE_URLS: flag(false).meta({
    description: 'Let workflows call private and loopback addresses.',
  }),
  CERTIFICATE_AUTHORITIES: optionalText
    .refine((text) => text === undefined || text.includes('-----BEGIN CERTIFICATE-----'), {
      message: 'must be one or more certificates in PEM form',
    })
    .meta({
      description:
        'Certificate authorities that workflows trust beside those of Node, in PEM form; usually given as a file.',
    }),
  REQUEST_BODY_MAX_SIZE_MB: integer(100, 1, 1024).meta({
    description:
      'Largest body of an execute call. One that is compressed (gzip, deflate, br) counts as what it unpacks to.',
  }),
  REQUEST_BODIES_MAX_SIZE_MB: integer(256, 1, 16_384).meta({
    description: 'Total size of all request bodies in memory; beyond it requests get 503 with Retry-After.',
  }),
  REQUEST_TIMEOUT_SECONDS: integer(300, 1, 86_400).meta({
    description: 'Time allowed for a whole request to arrive, uploads included.',
  }),
  HEADER_TIMEOUT_SECONDS: integer(20, 1, 600).meta({
    description: 'Time allowed for the headers of a request to arrive.',
  }),
  FILE_MAX_SIZE_MB: integer(99, 1, 10_240).meta({ description: 'Largest stored file.' }),
  FILE_STORAGE: z.enum(['disk', 's3']).default('disk').meta({ description: 'Where files are kept.' }),
  S3_BUCKET: optionalText.meta({ description: 'Bucket of FILE_STORAGE=s3.' }),
  S3_ENDPOINT: optionalText.meta({ description: 'Address of an S3 compatible server.' }),
  S3_REGION: z.string().default('us-east-1').meta({ description: 'Region of the bucket.' }),
  S3_ACCESS_KEY_ID: optionalText.meta({ description: 'Access key of the bucket.' }),
  S3_SECRET_ACCESS_KEY: optionalText.meta({ description: 'Secret key of the bucket.' }),
  RUN_RETENTION_DAYS: integer(0, 0, 3650).meta({
    description:
      'Finished runs older than this are removed, with what cards of boards show of them; 0 keeps them.',
  }),
  AUDIT_RETENTION_DAYS: integer(0, 0, 3650).meta({
    description: 'Audit entries older than this are removed; 0 keeps them.',
  }),
  CONVERSATION_RETENTION_DAYS: integer(0, 0, 3650).meta({
    description:
      'Conversations of portals are removed when their last message is older than this; 0 keeps them. Their runs are kept as long as others.',
  }),
  TRACE_RETENTION_DAYS: integer(30, 0, 3650).meta({
    description:
      'Traces of model calls, which hold their requests and responses, are removed when they are older than this; 0 keeps them.',
  }),
  REFUSED_DELIVERY_RETENTION_DAYS: integer(14, 0, 3650).meta({
    description:
      'Deliveries that triggers refused are removed from the inbox when they were last refused longer ago than this; 0 keeps them.',
  }),
  CHAT_RETENTION_DAYS: integer(90, 0, 3650).meta({
    description:
      'Chats with the assistant that were not used for this long are removed with their messages; 0 keeps them.',
  }),
  MODEL_PRICES: modelPrices.meta({
    description:
      'Prices in US dollars per million tokens that come before the list prices, as JSON: `{"my-model":{"input":0.5,"output":1.5,"cached":0.05,"cache_write":0.6}}`. `cached` is for tokens that the provider reads from its prompt cache, `cache_write` for those that it puts there; without them such tokens cost as much as others.',
  }),
  RUN_CONCURRENCY: integer(1000, 1, 10_000).meta({
    description:
      'Runs that this process executes at once. Runs that only wait are not counted; up to ten times as many of them are allowed.',
  }),
  RUN_PATIENCE_SECONDS: integer(5, 0, 60).meta({
    description: 'How long a request waits for a free slot before it gets 503; 0: not at all.',
  }),
  RUN_MAX_NODE_EXECUTIONS: integer(10_000, 10, 10_000_000).meta({
    description: 'Maximum number of node executions in one run.',
  }),
  RUN_MAX_SIZE_MB: integer(240, 1, 240).meta({
    description: 'Maximum total size of all node results of one run, as JSON.',
  }),
  RUN_MAX_DESCENDANTS: integer(5_000, 1, 1_000_000).meta({
    description: 'Maximum number of unfinished runs started by one run, directly or through others.',
  }),
  TRIGGER_QUEUE_LIMIT: integer(1_000, 1, 1_000_000).meta({
    description:
      'Number of waiting runs of one workflow at which its triggers stop reading from their sources.',
  }),
  LEASE_SECONDS: integer(8, 1, 120).meta({
    description: 'A process that is silent for this long loses its runs to another.',
  }),
  DRAIN_SECONDS: integer(25, 0, 600).meta({ description: 'Time for running work to finish after SIGTERM.' }),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .meta({ description: 'Lowest level that is logged.' }),
  LOG_FORMAT: z.enum(['auto', 'json', 'text']).default('auto').meta({
    description:
      'One JSON object per line for machines, or `text` for people; `auto` writes text to a terminal and under `npm start`.',
  }),
  PLATFORM_PYTHON_TOOL_SANDBOX: z.enum(['auto', 'docker', 'subprocess']).default('auto').meta({
    description:
      'Where Python tools run (§8.4): `auto` and `docker` in a container and nowhere else; `subprocess` as a process of this machine with an allowlist of imports, which is no security boundary.',
  }),
  DOCKER_HOST: optionalText.meta({
    description:
      'Container engine for code of users, `unix:///path` or `tcp://host:port`. Unset: the usual socket of Docker.',
  }),
  SANDBOX_PYTHON_IMAGE: imageName('python:3.13.9-slim-bookworm').meta({
    description: 'Image with `python3` and pip for Python code.',
  }),
  SANDBOX_NODE_IMAGE: imageName('node:24.11.1-bookworm-slim').meta({
    description: 'Image with `node` and npm for JavaScript code.',
  }),
  SANDBOX_BROWSER_IMAGE: imageName('mcr.microsoft.com/playwright:v1.65.1-noble').meta({
    description:
      'Image with `node` and Chromium for Playwright nodes. Nothing else needs it. Chromium is that of this Playwright version, or `/usr/bin/chromium`.',
  }),
  SANDBOX_NETWORK: z
    .string()
    .trim()
    .regex(
      /^(?!(?:host|none)$)[\w][\w.-]*$/,
      'must be the name of a network of the container engine, and neither host nor none',
    )
    .default('bridge')
    .meta({
      description:
        'Network of the container engine for installing packages, and for code, coding agents and MCP servers that may use the network. Scripts of skills and browsers do not use it: the service opens their connections.',
    }),
  SANDBOX_CONCURRENCY: integer(8, 1, 1_000).meta({
    description: 'How many containers with code of users run at once; further ones wait.',
  }),
  SANDBOX_WARM_CONTAINERS: integer(1, 0, 50).meta({
    description:
      'How many containers are kept started for the next run of code, for Python and for JavaScript each, once code in that language has run. They are removed after five minutes without such a run. 0: every run starts its own container.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalText.meta({
    description:
      'Where to send traces: a span for each request, and one for each call of a model with the GenAI attributes (model, tokens, cost, IDs of workflow, run and node; no prompts or answers). Unset: tracing is not loaded.',
  }),
  OTEL_SDK_DISABLED: flag(false).meta({
    description: 'Send no traces although an endpoint is set.',
  }),
  OTEL_SERVICE_NAME: z.string().default('millrace').meta({ description: 'Service name in traces.' }),
});

type Parsed = z.output<typeof configSchema>;

/** Settings of the process, read once at start and injected from then on. */
export interface Config extends Readonly<Omit<Parsed, 'TZ' | 'TIMEZONE'>> {
  readonly TIMEZONE: string;
}

/** Settings that cannot work, each with the reason in plain words. */
export class ConfigError extends Error {
  readonly problems: string[];
  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const FILE_VARIANTS = [
  'DATABASE_URL',
  'REDIS_URL',
  'SECRET_KEY',
  'ENCRYPTION_KEY',
  'S3_SECRET_ACCESS_KEY',
  'CERTIFICATE_AUTHORITIES',
] as const;

function readFileVariants(
  env: Record<string, string | undefined>,
  problems: string[],
): Record<string, string | undefined> {
  const merged = { ...env };
  for (const name of FILE_VARIANTS) {
    const file = env[`${name}_FILE`];
    if (!file) continue;
    try {
      merged[name] = readFileSync(file, 'utf8').trim();
    } catch {
      problems.push(`${name}_FILE: the file that it names cannot be read`);
    }
  }
  return merged;
}

/** Parses the environment. Throws `ConfigError` with every problem at once. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const parsed = configSchema.safeParse(readFileVariants(env, problems), { error: plainWords });
  if (!parsed.success)
    problems.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  const zone = parsed.data?.TIMEZONE ?? parsed.data?.TZ ?? 'UTC';
  if (!isTimeZone(zone)) problems.push(`TIMEZONE: "${zone}" is not an IANA time zone such as Europe/Berlin`);
  if (parsed.data?.FILE_STORAGE === 's3' && !parsed.data.S3_BUCKET)
    problems.push('S3_BUCKET: required when FILE_STORAGE is s3');
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  const { TZ: _, ...rest } = parsed.data;
  return Object.freeze({ ...rest, TIMEZONE: zone });
}
