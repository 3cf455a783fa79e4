import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';
import { API_INFO } from './documentation.ts';

type Verdict = 'ready' | 'stopping' | 'busy' | 'storage stalled' | 'database unreachable';

/** A database that answers later than this cannot carry requests. */
const ANSWER_WITHIN_MS = 1_000;

async function answersInTime({ database }: Services): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ANSWER_WITHIN_MS);
  });
  const answer = database.sql.query({ text: 'SELECT 1' }).then(
    () => true,
    () => false,
  );
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

interface SandboxHealth {
  readonly status: 'ready' | 'unavailable' | 'unknown';
  /** Version of the container engine. */
  readonly engine?: string;
  /** Says what is missing and how to get it. */
  readonly problem?: string;
  /** Says what is missing for browsers alone. */
  readonly browser_problem?: string;
}

/** Asks the sandbox of the node Code, and does not wait long for the answer. */
export async function readSandboxHealth({ sandboxes }: Pick<Services, 'sandboxes'>): Promise<SandboxHealth> {
  const late = new AbortController();
  const unknown = pause<SandboxHealth>(ANSWER_WITHIN_MS, { status: 'unknown' }, { signal: late.signal });
  const state = sandboxes.of('code').state();
  return Promise.race([state, unknown.catch(() => state)]).finally(() => late.abort());
}

/** A missing sandbox is reported without changing the verdict, since everything else still works. */
async function checkSandbox(services: Services): Promise<SandboxHealth> {
  const { status, problem } = await readSandboxHealth(services);
  return { status, ...(problem === undefined ? {} : { problem }) };
}

async function readiness(services: Services): Promise<Verdict> {
  const { execution } = services;
  if (!execution.is_accepting) return 'stopping';
  if (!(await answersInTime(services))) return 'database unreachable';
  if (execution.journal.stats.is_stalled) return 'storage stalled';
  return execution.hasRoom() ? 'ready' : 'busy';
}

/**
 * `/healthz`: the process answers. `/readyz`: it may be sent work. `/metrics`: what it counts, for Prometheus.
 * `/api/health` and `/api/version` are the names that monitors and clients of the reference family ask for.
 */
export function installHealth(app: FastifyInstance, services: Services): void {
  const { version } = API_INFO;
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/api/health', () => ({ status: 'healthy', service: 'millrace', version }));
  app.get('/api/version', (_request, reply) => reply.header('Cache-Control', 'no-store').send({ version }));
  app.get('/readyz', async (_request, reply) => {
    const [status, sandbox] = await Promise.all([readiness(services), checkSandbox(services)]);
    return reply.code(status === 'ready' ? 200 : 503).send({ status, sandbox });
  });
  app.get('/metrics', async (_request, reply) => {
    const { metrics } = services.execution;
    return reply.header('Content-Type', metrics.content_type).send(await metrics.text());
  });
}
