// An execute-like load on the embedded database: parse a body, make three node results, answer when they are durable.
// Arguments: thread|main, synced|plain. `GET /delay` returns how late the event loop was since the last call.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Json } from '@millrace/engine';
import Fastify from 'fastify';
import { pino } from 'pino';
import { createJournal } from '../../apps/server/src/execution/journal/create-journal.ts';
import { createRunBegin, createRunFinal, createStep, registerWorker } from './journal-runs.ts';
import { scratchEmbedded } from './scratch.ts';

const thread = process.argv[2] === 'thread';
const sync_log = process.argv[3] === 'synced';
const { database, close } = await scratchEmbedded({ thread, sync_log });
const worker_id = await registerWorker(database);
const log = pino({ level: 'silent' });
const journal = createJournal({ sql: database.journal, worker_id, log, onFenced: () => process.exit(1) });
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();

const app = Fastify({ bodyLimit: 10 * 1024 * 1024 });
app.post('/execute', async (request) => {
  const input: Json = { headers: {}, query: {}, body: request.body as Json };
  const outputs: Json = { Output: request.body as Json };
  const records = [1, 2, 3].map((sequence) => createStep(sequence, request.body as Json));
  await journal.finish(createRunBegin(input), createRunFinal(outputs, records));
  return { status: 'success', outputs };
});
app.get('/delay', () => {
  const p99_ms = delay.percentile(99) / 1e6;
  delay.reset();
  return { p99_ms };
});
// The cost of a history request for all other requests.
app.get('/history', async () => {
  const { rows } = await database.sql.query({
    text: `SELECT id, status, trigger_source, execution_time_ms, started_at FROM runs WHERE input LIKE '%nothing has this%' LIMIT 50`,
  });
  return rows;
});
const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ msg: 'millrace is serving', address })}\n`);
process.on('SIGTERM', () => {
  void app
    .close()
    .then(close)
    .then(() => process.exit(0));
});
