import { type Failure, isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { type Completion, complete, listModels, readJsonAnswer } from '@millrace/models';
import { implement } from '../implement.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { callerOf } from '../kit/integration/run-caller.ts';
import { modelServiceOf } from '../kit/models/model-service.ts';
import { chooseRoute, type Route, routingFacts } from '../kit/models/route.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { llm } from './definition.ts';
import { type Call, type Prepared, prepare, requireKnown } from './request.ts';

/** A model by the credential that opens it. */
interface Target {
  readonly credential_id: string;
  readonly model: string;
  /** How a router has chosen it. */
  readonly route?: Route;
}

/** The only model of a router (specification 2.7). */
const AUTO = /^auto$/i;

/** As it is recorded: a takeover reads it instead of asking and paying again. */
type Answer = { model: string } & {
  -readonly [key in keyof Completion]: Completion[key] extends object ? JsonObject : Completion[key];
};

export const runLlm = implement(
  llm,
  async (call) => {
    requireKnown(call.params);
    const prepared = prepare(call);
    const { answer, target, is_fallback } = await asked(call, prepared);
    const metadata = routingFacts(target.route ? [target.route] : []);
    const more = metadata ? { metadata } : {};
    const facts = { model: answer.model, ...(is_fallback ? { fallbackUsed: true } : {}) };
    if (call.params.jsonOutputEnabled) {
      const value = await jsonOf(call, prepared, { answer, target });
      return { output: { ...(isJsonObject(value) ? value : { value }), ...facts }, ...more };
    }
    const { text, usage, elapsed_ms } = answer;
    return { output: { text, usage, tokens_per_sec: speedOf(answer), elapsed_ms, ...facts }, ...more };
  },
  {
    choices: {
      async models({ caller, config, type = '' }, request) {
        if (type === 'model_router')
          return choicesFrom(['Auto'], request, (id) => ({ value: id, label: id }));
        const models = await listModels(caller, modelServiceOf(type, config));
        return choicesFrom(models, request, ({ id, name }) => ({
          value: id,
          label: name,
          ...(name === id ? {} : { hint: id }),
        }));
      },
    },
  },
);

interface Asked {
  readonly answer: Answer;
  readonly target: Target;
  readonly is_fallback: boolean;
}

/** The answer of the model, or of the fallback after any failure but the end of the run. */
async function asked(call: Call, prepared: Prepared): Promise<Asked> {
  const { credentialId, model, fallbackCredentialId, fallbackModel } = call.params;
  const first = targetOf('credentialId', credentialId, model);
  const second =
    fallbackCredentialId === '' && fallbackModel === ''
      ? undefined
      : targetOf('fallbackCredentialId', fallbackCredentialId || credentialId, fallbackModel);
  try {
    const target = await routed(call, 'route', first, prepared);
    return { answer: await callModel(call, 'call', target, prepared), target, is_fallback: false };
  } catch (error) {
    if (!(error instanceof NodeFailure) || call.signal.aborted) throw error;
    if (!second || error.failure.kind === 'cancelled') throw inWords(error.failure, error);
    const { message } = error.failure;
    try {
      const target = await routed(call, 'fallback-route', second, prepared);
      const answer = await callModel(call, 'fallback', target, prepared);
      return { answer, target, is_fallback: true };
    } catch (again) {
      if (!(again instanceof NodeFailure) || call.signal.aborted) throw again;
      const failure = {
        ...again.failure,
        message: `${message}; the fallback failed too: ${again.failure.message}`,
      };
      throw inWords(failure, again);
    }
  }
}

const inWords = (failure: Failure, cause: unknown): NodeFailure =>
  new NodeFailure({ ...failure, message: `LLM error: ${failure.message}` }, { cause });

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

/** The model that a router stands for, chosen in a step of its own: a repeated call keeps its model. */
async function routed(call: Call, key: string, target: Target, prepared: Prepared): Promise<Target> {
  if (!AUTO.test(target.model)) return target;
  const message = prepared.messages.at(-1)?.text ?? '';
  const route = await call.step<Route | null>(key, 'read', ({ signal }) =>
    chooseRoute({ ...callerOf(call), signal }, call.services, {
      credential_id: target.credential_id,
      system: prepared.system,
      message,
    }),
  );
  return route ? { credential_id: route.credential_id, model: route.model, route } : target;
}

/**
 * One call of a model as a step: what it answered is recorded, and found again by a process that takes the run over. The
 * credential is read inside, so that a finished call does not depend on it any more.
 */
function callModel(call: Call, key: string, target: Target, prepared: Prepared): Promise<Answer> {
  const { schema: _schema, ...request } = prepared;
  return call.step<Answer>(key, 'read', async ({ signal }) => {
    const { type, values } = await call.services.credential(target.credential_id, target.route?.router_id);
    if (type === 'model_router') throw refusedParam('model', 'must be Auto, the only model of a router');
    const service = modelServiceOf(type, values);
    const completion = await complete({ ...callerOf(call), signal }, service, {
      ...request,
      model: target.model,
    });
    return { ...completion, usage: { ...completion.usage }, model: target.model };
  });
}

/** Tokens of the answer in a second, to one decimal; 0 when the provider counts none. */
function speedOf({ usage, elapsed_ms }: Answer): number {
  const tokens = Number(usage['completion_tokens']);
  return elapsed_ms > 0 ? Math.round((tokens / elapsed_ms) * 10_000) / 10 : 0;
}

/** The JSON of an answer. A model whose answer cannot be used is told why and asked once more. */
async function jsonOf(
  call: Call,
  prepared: Prepared,
  { answer, target }: Pick<Asked, 'answer' | 'target'>,
): Promise<Json> {
  const first = readAnswer(answer, prepared);
  if (first.problem === undefined) return first.value;
  const repair = {
    ...prepared,
    messages: [
      ...prepared.messages,
      { role: 'assistant' as const, text: answer.text },
      {
        role: 'user' as const,
        text: `That cannot be used: ${first.problem}. Answer again, only with the JSON.`,
      },
    ],
  };
  const again = await callModel(call, 'repair', target, repair).catch((error: unknown) => {
    throw error instanceof NodeFailure && !call.signal.aborted ? inWords(error.failure, error) : error;
  });
  const second = readAnswer(again, prepared);
  if (second.problem === undefined) return second.value;
  throw new NodeFailure({
    kind: 'upstream',
    message: `LLM JSON parse error: ${second.problem}`,
    details: { text: again.text },
  });
}

type ReadAnswer =
  | { readonly value: Json; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

function readAnswer({ text, is_cut }: Answer, { schema }: Prepared): ReadAnswer {
  const read = readJsonAnswer(text, !is_cut);
  if (read.problem !== undefined) {
    return is_cut ? { problem: `${read.problem}; the limit of tokens was reached` } : read;
  }
  const problem = schema?.problemWith(read.value);
  return problem === undefined ? read : { problem: `it does not follow the schema, ${problem}` };
}
