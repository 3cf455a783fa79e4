import type { TraceSource } from '@millrace/contracts';
import { NodeFailure } from '@millrace/engine';
import {
  type CallHooks,
  type Completion,
  type CompletionRequest,
  complete,
  type ModelCaller,
} from '@millrace/models';
import { credentialType } from '@millrace/nodes/credentials';
import { type Credential, chooseRoute, openModelService } from '@millrace/nodes/runtime';
import { AppError } from '../core/app-error.ts';
import { typedValues } from '../execution/run/node/node-services.ts';
import { createMask } from '../execution/run/secrets/secrets-mask.ts';
import { sleepUntil } from '../execution/run/sleep.ts';
import { type CallWatchers, watchCalls } from '../execution/traces/watch-calls.ts';
import type { Context, Services } from '../services.ts';
import { requireUsable } from './credentials/service.ts';

/** The model that a person chose. */
export interface ChosenModel {
  readonly credential_id: string;
  readonly model: string;
}

/** @throws AppError `not_found` for a credential that the person cannot see, `bad_request` for one that opens no model */
export async function requireModelCredential(
  ctx: Pick<Context, 'db' | 'actor'>,
  credential_id: string,
): Promise<{ id: string; name: string }> {
  const { credential } = await requireUsable(ctx, credential_id);
  if (credential.type !== 'model_router' && !credentialType(credential.type)?.model) {
    throw new AppError('bad_request', 'The credential is not of a model type; choose one of a model');
  }
  return credential;
}

/** The same for the model that a person chose with it. */
export async function requireModel(
  ctx: Pick<Context, 'db' | 'actor'>,
  { credential_id, model }: ChosenModel,
): Promise<ChosenModel> {
  await requireModelCredential(ctx, credential_id);
  return { credential_id, model };
}

export type Ask = Omit<CompletionRequest, 'model' | 'timeout_ms' | 'max_tokens'>;

/** The bounds of each call. */
export interface CallLimits {
  readonly call_ms: number;
  /** Total of the pauses of one call that a provider may request. */
  readonly max_wait_ms: number;
  /** Tokens of one answer; absent: those of the provider. */
  readonly answer_tokens?: number | undefined;
}

export interface Asking {
  /** Whose rights count, and whose the traces are. */
  readonly user_id: string;
  readonly source: TraceSource;
  readonly signal: AbortSignal;
  readonly limits: CallLimits;
  /** Gets each call that has ended, those of a router included. */
  readonly onCall?: ModelCaller['onCall'];
}

/** A model for one conversation; a router chooses at the first question, and the choice stays. */
export interface OpenModel {
  /** @throws NodeFailure in plain words, without secrets of the credential */
  ask(request: Ask): Promise<Completion>;
}

/** Reads credentials that the person may use, and adds their secrets to `hidden`. */
function credentialReader(
  run_secrets: Services['run_secrets'],
  user_id: string,
  hidden: Set<string>,
): (id: string, through?: string) => Promise<Credential> {
  return async (id, through) => {
    const found = await run_secrets.credentialById(user_id, id, { through });
    if (!found) {
      const message = 'The credential does not exist or is not shared with you';
      throw new NodeFailure({ kind: 'credential', message, final: true });
    }
    for (const secret of found.secrets) hidden.add(secret);
    return { id: found.id, name: found.name, type: found.type, values: typedValues(found.config) };
  };
}

/** Hooks that watch the calls that are made with a credential. */
const hooksFor =
  (
    watchers: CallWatchers,
    { user_id, source, onCall }: Pick<Asking, 'user_id' | 'source' | 'onCall'>,
    hidden: Set<string>,
  ) =>
  ({ id, name }: Pick<Credential, 'id' | 'name'>): CallHooks => {
    const cause = { user_id, source, credential: { id, name } };
    const { beforeCall, onCall: keep } = watchCalls(watchers, cause, { secrets: hidden });
    return {
      beforeCall,
      onCall(call) {
        keep?.(call);
        onCall?.(call);
      },
    };
  };

export function openModel(
  {
    run_secrets,
    egress,
    now,
    ...watchers
  }: Pick<Services, 'run_secrets' | 'egress' | 'now' | 'traces' | 'budgets'>,
  { user_id, source, signal, limits, onCall }: Asking,
  chosen: ChosenModel,
): OpenModel {
  const caller = {
    http: egress,
    now,
    sleepUntil: (epoch_ms: number, ended: AbortSignal) => sleepUntil(epoch_ms, ended, now),
    signal,
    max_wait_ms: limits.max_wait_ms,
  };
  /** Secrets that were read: a router's credentials need no share with the person. */
  const hidden = new Set<string>();
  const readCredential = credentialReader(run_secrets, user_id, hidden);
  const createHooks = hooksFor(watchers, { user_id, source, onCall }, hidden);
  let target: { credential: Credential; model: string } | undefined;

  async function resolveTarget(mask: ModelCaller['mask'], { system, messages, tools = [] }: Ask) {
    const { credential_id, model } = chosen;
    const credential = await readCredential(credential_id);
    if (credential.type !== 'model_router') return { credential, model };
    const last = messages.findLast(({ role }) => role === 'user');
    const route = await chooseRoute(
      { ...caller, mask },
      { credential: readCredential, createHooks },
      {
        credential_id,
        system,
        message: last?.role === 'user' ? last.text : '',
        tools: tools.map(({ name }) => name),
      },
    );
    if (!route) throw new NodeFailure({ kind: 'credential', message: 'The model router chose no model' });
    return { credential: await readCredential(route.credential_id, route.router_id), model: route.model };
  }

  return {
    async ask(request) {
      const mask = await createMask(run_secrets, user_id);
      target ??= await resolveTarget(mask, request);
      const { credential, model } = target;
      const asking = { ...caller, mask, ...createHooks(credential) };
      return complete(asking, openModelService(credential.type, credential.values), {
        ...request,
        model,
        max_tokens: limits.answer_tokens,
        timeout_ms: limits.call_ms,
      });
    },
  };
}
