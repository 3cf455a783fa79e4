import { answerText } from '@millrace/contracts/portal-text';
import type { JsonObject } from '@millrace/engine';
import { type Deferred, receivers } from '@millrace/nodes/runtime';
import { startPolling } from '../../core/polling.ts';
import { type StoredAnswer, storedAnswer } from '../../execution/run/stored-answer.ts';
import * as queries from '../../execution/store/waiting/deferred-answers.ts';
import type { Services } from '../../services.ts';

type AnswerServices = Pick<Services, 'database' | 'egress' | 'execution' | 'log' | 'run_secrets'>;

const LOOK_EVERY_MS = 1_000;
const AT_ONCE = 20;

/** Stores the reply address that a platform has given, encrypted, until the run has ended. */
export async function keepAnswer(
  { database, run_secrets }: Pick<Services, 'database' | 'run_secrets'>,
  { address, expires_at_ms }: Deferred,
  { run_id, node_type }: { run_id: string; node_type: string },
): Promise<void> {
  const sealed = run_secrets.seal(JSON.stringify(address));
  await queries.insertAnswer(database.journal, { run_id, node_type, sealed, expires_at_ms });
}

/** The text that the sender sees. The reason of a failure is only shown to the owner. */
function describeAnswer(answer: StoredAnswer | undefined): string {
  switch (answer?.status) {
    case undefined:
    case 'pending':
      return 'This is taking longer than expected, so the result cannot be posted here.';
    case 'error':
      return 'This could not be completed.';
    case 'cancelled':
      return 'This was cancelled.';
    default:
      return answerText(answer?.outputs) || 'Done.';
  }
}

async function send(
  { database, egress, execution, log, run_secrets }: AnswerServices,
  { run_id, node_type, sealed }: queries.DeferredAnswer,
  signal: AbortSignal,
): Promise<void> {
  const { sql } = database;
  const receiver = receivers.get(node_type);
  const address = run_secrets.open(sealed);
  const answerLater = receiver?.kind === 'webhook' ? receiver.answerLater : undefined;
  if (!answerLater || address === undefined) {
    log.warn({ run_id, node_type }, 'a deferred answer cannot be sent');
    await queries.deleteAnswer(sql, run_id);
    return;
  }
  const stored = await execution.journal.load(run_id);
  const text = describeAnswer(stored && storedAnswer(stored));
  // Guarantee: only `keepAnswer` seals them.
  const result = await answerLater({
    http: egress,
    signal,
    address: JSON.parse(address) as JsonObject,
    text,
  });
  if (result === 'gone')
    log.warn({ run_id, node_type }, 'the platform no longer accepts the answer of a run');
  await queries.deleteAnswer(sql, run_id);
}

/** One poll, on any process. Answers that cannot be sent are retried until their deadline. */
export async function sendAnswers(services: AnswerServices, signal: AbortSignal): Promise<void> {
  const { database, log } = services;
  for (;;) {
    const claimed = await queries.claimAnswers(database.sql, AT_ONCE);
    await Promise.all(
      claimed.map((answer) =>
        send(services, answer, signal).catch((error: unknown) =>
          log.warn({ err: error, run_id: answer.run_id }, 'the answer of a run could not be sent'),
        ),
      ),
    );
    if (claimed.length < AT_ONCE || signal.aborted) return;
  }
}

/** Polls for answers to send; the returned function stops and waits for the current poll. */
export const startAnswers = (services: AnswerServices): (() => Promise<void>) =>
  startPolling({
    every_ms: LOOK_EVERY_MS,
    work: (signal) => sendAnswers(services, signal),
    onError: (error) => services.log.warn({ err: error }, 'deferred answers could not be sent'),
  });
