import type { FastifyInstance } from 'fastify';
import type { Services } from '../execution/context.ts';

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

async function readiness(services: Services): Promise<Verdict> {
  const { execution } = services;
  if (!execution.is_accepting) return 'stopping';
  if (!(await answersInTime(services))) return 'database unreachable';
  if (execution.environment.journal.stats.is_stalled) return 'storage stalled';
  return execution.hasRoom() ? 'ready' : 'busy';
}

/** `/healthz`: the process answers. `/readyz`: it may be sent work. `/metrics`: what it counts, for Prometheus. */
export function installHealth(app: FastifyInstance, services: Services): void {
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const status = await readiness(services);
    return reply.code(status === 'ready' ? 200 : 503).send({ status });
  });
  app.get('/metrics', async (_request, reply) => {
    const { metrics } = services.execution.environment;
    return reply.header('Content-Type', metrics.content_type).send(await metrics.text());
  });
}
