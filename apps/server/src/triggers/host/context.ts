import { createMasker, eventKeyProblem, fieldMeta, NodeFailure } from '@millrace/engine';
import {
  type Credential,
  type EventKey,
  readEventKey,
  type TriggerCall,
  type TriggerReceiver,
  type TriggerServices,
} from '@millrace/nodes/runtime';
import type { z } from 'zod';
import type { SqlClient } from '../../database/sql-client.ts';
import { typedValues } from '../../execution/run/node/node-services.ts';
import type { Services } from '../../services.ts';
import { type Fired, fire, type Occurrence } from '../fire.ts';
import type { Refusals } from '../refused/refusals.ts';
import type { HostedTrigger } from './hosted-trigger.ts';
import { triggerFiles } from './trigger-files.ts';

export type HostServices = Pick<
  Services,
  | 'database'
  | 'execution'
  | 'changes'
  | 'files'
  | 'parsers'
  | 'run_secrets'
  | 'egress'
  | 'config'
  | 'log'
  | 'now'
  | 'broadcast'
>;

/** The context that every kind of host works with. */
export interface HostContext {
  readonly services: HostServices;
  /** Connections of ownership, so that slow reads never stand in the way. */
  readonly sql: SqlClient;
  readonly worker_id: string;
  readonly receivers: ReadonlyMap<string, TriggerReceiver>;
  readonly refusals: Refusals;
}

/** A trigger with its receiver and readable parameters. */
export interface Reading<R extends TriggerReceiver = TriggerReceiver> {
  readonly trigger: HostedTrigger;
  readonly receiver: R;
  readonly call: TriggerCall<Readonly<Record<string, unknown>>>;
  fire(occurrence: Occurrence): Promise<Fired>;
  /** A sentence for the owner of what was thrown, without secrets. */
  describeError(error: unknown): string;
  /** The text without the secrets of the credentials that were read. */
  masked(text: string): string;
}

/** Of a trigger whose receiver is of that kind. */
export type ReadingOf<K extends TriggerReceiver['kind']> = Reading<Extract<TriggerReceiver, { kind: K }>>;

const MASKED_AFTER = 7;

async function resolveCredential(
  { run_secrets }: HostServices,
  { owner_id, id, secrets }: { owner_id: string; id: string; secrets: Set<string> },
): Promise<Credential> {
  const found = id === '' ? undefined : await run_secrets.credentialById(owner_id, id);
  if (!found) {
    const message =
      id === ''
        ? 'Choose a credential'
        : "The credential does not exist or is not shared with the workflow's owner";
    throw new NodeFailure({ kind: 'credential', message, field: 'credentialId', final: true });
  }
  for (const secret of found.secrets) secrets.add(secret);
  return { id: found.id, name: found.name, type: found.type, values: typedValues(found.config) };
}

/** Names of system errors are harmless and help; what else a bug says stays in the log. */
function plainReason(error: unknown): string {
  if (error instanceof NodeFailure) return error.message;
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z_]+$/.test(code)
    ? `The source cannot be reached (${code})`
    : 'The trigger failed inside the service; the log of the service says more';
}

/** Parameters that cannot be read, as a sentence that names the first field. */
export class UnreadableSettings extends Error {}

/** @throws UnreadableSettings */
function parseParams({ definition }: TriggerReceiver, settings: unknown): Readonly<Record<string, unknown>> {
  const parsed = definition.params.safeParse(settings);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UnreadableSettings(
    `${issue?.path.join('.') ?? 'settings'}: ${issue?.message ?? 'cannot be read'}`,
  );
}

/** @throws UnreadableSettings */
function parseEventKey(
  { definition }: TriggerReceiver,
  params: Readonly<Record<string, unknown>>,
): EventKey | undefined {
  const key = readEventKey(params);
  const schema: z.ZodType | undefined = definition.params.shape['deduplicateBy'];
  const problem = key && eventKeyProblem(key.expression, schema && fieldMeta(schema));
  if (problem !== undefined) throw new UnreadableSettings(`deduplicateBy: ${problem}`);
  return key;
}

/** @throws UnreadableSettings */
export function createReading(
  { services }: Pick<HostContext, 'services'>,
  trigger: HostedTrigger,
  receiver: TriggerReceiver,
): Reading {
  const secrets = new Set<string>();
  const shared: TriggerServices = {
    http: services.egress,
    credential: (id) => resolveCredential(services, { owner_id: trigger.owner_id, id, secrets }),
    now: services.now,
    files: triggerFiles(services, trigger),
    parsers: {
      run: (name, args, options) => services.parsers.run(name, args, { ...options, owner: trigger.owner_id }),
    },
  };
  const masked = (text: string): string => {
    const hidden = [...secrets].filter(({ length }) => length > MASKED_AFTER);
    return hidden.length === 0 ? text : createMasker(hidden).mask(text);
  };
  const params = parseParams(receiver, trigger.settings);
  const key = parseEventKey(receiver, params);
  return {
    trigger,
    receiver,
    call: { params, node_id: trigger.node_id, services: shared },
    fire: (occurrence) => fire(services, { trigger, receiver, key }, occurrence),
    describeError: (error) => masked(plainReason(error)),
    masked,
  };
}
