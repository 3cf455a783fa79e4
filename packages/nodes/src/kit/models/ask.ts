import { type Failure, type JsonObject, NodeFailure } from '@millrace/engine';
import { complete, type TokenUsage, type ToolUse } from '@millrace/models';
import type { NodeCall, StepCall } from '../../implement.ts';
import { refusedParam } from '../refused-param.ts';
import { budgetStopIn } from './budgets/budget-stop.ts';
import { requireCapable } from './capable.ts';
import { createModelCaller, watchCalls } from './model-caller.ts';
import { isAuto } from './model-problems.ts';
import { openModelService } from './model-service.ts';
import type { ModelCall, ModelParams, Prepared } from './request.ts';
import { chooseRoute, type Route, type RouteServices } from './route.ts';

/** A model by the credential that opens it. */
export interface Target {
  readonly credential_id: string;
  readonly model: string;
  /** How a router has chosen it. */
  readonly route?: Route;
}

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

/** The part of a node's call that a single question needs. */
export type Asking = Pick<NodeCall, 'services' | 'signal' | 'idempotency_key' | 'node' | 'callers'> & {
  readonly params: Readonly<Record<string, unknown>>;
};

/** A step, or what stands for it in a node that has none. */
export type AskingStep = Pick<StepCall, 'name' | 'signal'> & Partial<Pick<StepCall, 'growingText'>>;

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
export function readTargets({
  credentialId,
  model,
  fallbackCredentialId,
  fallbackModel,
}: ModelParams): Targets {
  const hasFallback = fallbackCredentialId !== '' || fallbackModel !== '';
  return {
    first: createTarget('credentialId', credentialId, model),
    second: hasFallback
      ? createTarget('fallbackCredentialId', fallbackCredentialId || credentialId, fallbackModel)
      : undefined,
  };
}

function createTarget(
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
export function askModel(
  call: ModelCall,
  prepared: Prepared,
  targets: Targets,
  keys: AskKeys,
): Promise<Asked> {
  return askEither(call, targets, async (wanted, is_fallback) => {
    const target = await routed(call, is_fallback ? keys.fallback_route : keys.route, wanted, prepared);
    const answer = await callModel(call, is_fallback ? keys.fallback : keys.call, target, prepared);
    return { answer, target, is_fallback };
  });
}

/** Asks the first model, and the second after any failure but the end of the run. */
export async function askEither<T>(
  call: ModelCall,
  { first, second }: Targets,
  ask: (target: Target, is_fallback: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await ask(first, false);
  } catch (error) {
    if (!(error instanceof NodeFailure) || call.signal.aborted || budgetStopIn(error)) throw error;
    if (!second || error.failure.kind === 'cancelled') throw modelFailure(error.failure, error);
    try {
      return await ask(second, true);
    } catch (again) {
      if (!(again instanceof NodeFailure) || call.signal.aborted || budgetStopIn(again)) throw again;
      const both = bothFailed(error.failure, again);
      throw modelFailure(both.failure, again);
    }
  }
}

/** How a node that asks a model words its failures. */
export const modelFailure = (failure: Failure, cause: unknown): NodeFailure =>
  new NodeFailure({ ...failure, message: `LLM error: ${failure.message}` }, { cause });

/** The same for what a step may throw; the end of the run and of a budget keep their own words. */
export const inModelWords = (call: Pick<ModelCall, 'signal'>, error: unknown): unknown =>
  error instanceof NodeFailure && !call.signal.aborted && !budgetStopIn(error)
    ? modelFailure(error.failure, error)
    : error;

/** The model that a router stands for, chosen in a step of its own: a repeated call keeps its model. */
async function routed(call: ModelCall, key: string, target: Target, prepared: Prepared): Promise<Target> {
  if (!isRouted(target)) return target;
  const route = await call.step<Route | null>(key, 'read', (step) =>
    resolveRoute(call, step, target, prepared),
  );
  return withChosen(target, route);
}

const isRouted = ({ route, model }: Target): boolean => !route && isAuto(model);

const withChosen = (target: Target, route: Route | null): Target =>
  route ? { credential_id: route.credential_id, model: route.model, route } : target;

async function withRoute(
  call: Asking,
  step: AskingStep,
  target: Target,
  prepared: Prepared,
): Promise<Target> {
  return isRouted(target) ? withChosen(target, await resolveRoute(call, step, target, prepared)) : target;
}

function resolveRoute(
  call: Asking,
  step: AskingStep,
  { credential_id }: Target,
  { system, messages, tools = [] }: Prepared,
): Promise<Route | null> {
  const question = messages.findLast((message) => message.role === 'user');
  return chooseRoute(createModelCaller(call, step), createServices(call, step), {
    credential_id,
    system,
    message: question?.role === 'user' ? question.text : '',
    tools: tools.map(({ name }) => name),
  });
}

const createServices = (call: Asking, step: AskingStep): RouteServices => ({
  credential: (id, through) => call.services.credential(id, through),
  createHooks: watchCalls(call, step),
});

/**
 * One call of a model as a step: what it answered is recorded, and found again by a process that takes the run over. The
 * credential is read inside, so that a finished call does not depend on it any more.
 */
export function callModel(call: ModelCall, key: string, target: Target, prepared: Prepared): Promise<Answer> {
  return call.step<Answer>(key, 'read', (step) => requestAnswer(call, step, target, prepared));
}

/** One question without a step of its own, for nodes that have none. Throws `NodeFailure`. */
export async function askOnce(
  call: Asking,
  step: AskingStep,
  target: Target,
  prepared: Prepared,
): Promise<Answer> {
  return requestAnswer(call, step, await withRoute(call, step, target, prepared), prepared);
}

async function requestAnswer(
  call: Asking,
  step: AskingStep,
  target: Target,
  { schema: _schema, is_shown = false, ...request }: Prepared,
): Promise<Answer> {
  const credential = await call.services.credential(target.credential_id, target.route?.router_id);
  const { type, values } = credential;
  if (type === 'model_router') throw refusedParam('model', 'must be Auto, the only model of a router');
  const service = openModelService(type, values);
  requireCapable(service, target.model, request);
  const text = is_shown ? step.growingText?.() : undefined;
  const shown = text && {
    onText: (piece: string) => text.add(piece),
    onRestart: () => text.restart(),
  };
  const { tool_calls, reasoning, usage, ...completion } = await complete(
    { ...createModelCaller(call, step), ...watchCalls(call, step)(credential) },
    service,
    { ...request, ...shown, model: target.model },
  ).finally(() => text?.end());
  return {
    ...completion,
    usage: { ...usage },
    model: target.model,
    ...(tool_calls ? { tool_calls: [...tool_calls] } : {}),
    ...(reasoning ? { reasoning: [...reasoning] } : {}),
  };
}

/** An answer with the model that gave it, as it is recorded. */
export type Turn = {
  answer: Answer;
  target: { credential_id: string; model: string; route?: Route };
  is_fallback: boolean;
};

/**
 * The same as one step: the answer of the model or of its fallback is recorded together with which of the two it was, so
 * that later steps, which follow from the answer, never meet another one.
 */
export function takeTurn(call: ModelCall, key: string, targets: Targets, prepared: Prepared): Promise<Turn> {
  return call
    .step<Turn>(key, 'read', async (step) => {
      const ask = async (wanted: Target, is_fallback: boolean): Promise<Turn> => {
        const target = await withRoute(call, step, wanted, prepared);
        return { answer: await requestAnswer(call, step, target, prepared), target, is_fallback };
      };
      try {
        return await ask(targets.first, false);
      } catch (error) {
        const mayFallBack =
          error instanceof NodeFailure && error.failure.kind !== 'cancelled' && !budgetStopIn(error);
        if (!targets.second || !mayFallBack || step.signal.aborted) throw error;
        return ask(targets.second, true).catch((again: unknown) => {
          throw again instanceof NodeFailure && !budgetStopIn(again)
            ? bothFailed(error.failure, again)
            : again;
        });
      }
    })
    .catch((error: unknown) => {
      throw inModelWords(call, error);
    });
}

const bothFailed = ({ message }: Failure, again: NodeFailure): NodeFailure =>
  new NodeFailure(
    { ...again.failure, message: `${message}; the fallback failed too: ${again.failure.message}` },
    { cause: again },
  );
