import { type Failure, type JsonObject, NodeFailure } from '@millrace/engine';
import { complete, type TokenUsage, type ToolUse } from '@millrace/models';
import { callerOf } from '../integration/run-caller.ts';
import { refusedParam } from '../refused-param.ts';
import { modelServiceOf } from './model-service.ts';
import type { ModelCall, ModelParams, Prepared } from './request.ts';
import { chooseRoute, type Route } from './route.ts';

/** A model by the credential that opens it. */
export interface Target {
  readonly credential_id: string;
  readonly model: string;
  /** How a router has chosen it. */
  readonly route?: Route;
}

/** The only model of a router (specification 2.7). */
const AUTO = /^auto$/i;

/** As it is recorded: a takeover reads it instead of asking and paying again. */
export type Answer = {
  text: string;
  model: string;
  usage: { [key in keyof TokenUsage]: number };
  /** The answer ended because it reached its limit of tokens. */
  is_cut: boolean;
  elapsed_ms: number;
  tool_calls?: ToolUse[];
  reasoning?: { text: string; provider?: JsonObject }[];
};

export interface Asked {
  readonly answer: Answer;
  readonly target: Target;
  readonly is_fallback: boolean;
}

/** Names of the steps of one question. */
export interface AskKeys {
  readonly route: string;
  readonly call: string;
  readonly fallback_route: string;
  readonly fallback: string;
}

export interface Targets {
  readonly first: Target;
  readonly second: Target | undefined;
}

/** The models that a node names: the one to ask, and the one to ask when that fails. */
export function targetsOf({
  credentialId,
  model,
  fallbackCredentialId,
  fallbackModel,
}: ModelParams): Targets {
  const hasFallback = fallbackCredentialId !== '' || fallbackModel !== '';
  return {
    first: targetOf('credentialId', credentialId, model),
    second: hasFallback
      ? targetOf('fallbackCredentialId', fallbackCredentialId || credentialId, fallbackModel)
      : undefined,
  };
}

function targetOf(
  field: 'credentialId' | 'fallbackCredentialId',
  credential_id: string,
  model: string,
): Target {
  const isFirst = field === 'credentialId';
  if (credential_id.trim() === '') throw refusedParam(field, 'choose the credential of the model');
  if (model.trim() === '') throw refusedParam(isFirst ? 'model' : 'fallbackModel', 'choose the model');
  return { credential_id: credential_id.trim(), model: model.trim() };
}

/** The answer of the model, or of the fallback after any failure but the end of the run. */
export async function askModel(
  call: ModelCall,
  prepared: Prepared,
  { first, second }: Targets,
  keys: AskKeys,
): Promise<Asked> {
  try {
    const target = await routed(call, keys.route, first, prepared);
    return { answer: await callModel(call, keys.call, target, prepared), target, is_fallback: false };
  } catch (error) {
    if (!(error instanceof NodeFailure) || call.signal.aborted) throw error;
    if (!second || error.failure.kind === 'cancelled') throw modelFailure(error.failure, error);
    const { message } = error.failure;
    try {
      const target = await routed(call, keys.fallback_route, second, prepared);
      const answer = await callModel(call, keys.fallback, target, prepared);
      return { answer, target, is_fallback: true };
    } catch (again) {
      if (!(again instanceof NodeFailure) || call.signal.aborted) throw again;
      const failure = {
        ...again.failure,
        message: `${message}; the fallback failed too: ${again.failure.message}`,
      };
      throw modelFailure(failure, again);
    }
  }
}

/** How a node that asks a model words its failures. */
export const modelFailure = (failure: Failure, cause: unknown): NodeFailure =>
  new NodeFailure({ ...failure, message: `LLM error: ${failure.message}` }, { cause });

/** The model that a router stands for, chosen in a step of its own: a repeated call keeps its model. */
async function routed(call: ModelCall, key: string, target: Target, prepared: Prepared): Promise<Target> {
  if (target.route || !AUTO.test(target.model)) return target;
  const question = prepared.messages.findLast((message) => message.role === 'user');
  const route = await call.step<Route | null>(key, 'read', ({ signal }) =>
    chooseRoute({ ...callerOf(call), signal }, call.services, {
      credential_id: target.credential_id,
      system: prepared.system,
      message: question?.role === 'user' ? question.text : '',
      tools: (prepared.tools ?? []).map(({ name }) => name),
    }),
  );
  return route ? { credential_id: route.credential_id, model: route.model, route } : target;
}

/**
 * One call of a model as a step: what it answered is recorded, and found again by a process that takes the run over. The
 * credential is read inside, so that a finished call does not depend on it any more.
 */
export function callModel(call: ModelCall, key: string, target: Target, prepared: Prepared): Promise<Answer> {
  const { schema: _schema, ...request } = prepared;
  return call.step<Answer>(key, 'read', async ({ signal }) => {
    const { type, values } = await call.services.credential(target.credential_id, target.route?.router_id);
    if (type === 'model_router') throw refusedParam('model', 'must be Auto, the only model of a router');
    const service = modelServiceOf(type, values);
    const { tool_calls, reasoning, usage, ...completion } = await complete(
      { ...callerOf(call), signal },
      service,
      { ...request, model: target.model },
    );
    return {
      ...completion,
      usage: { ...usage },
      model: target.model,
      ...(tool_calls ? { tool_calls: [...tool_calls] } : {}),
      ...(reasoning ? { reasoning: [...reasoning] } : {}),
    };
  });
}
