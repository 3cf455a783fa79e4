import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { type AnswerSchema, type CompletionRequest, isImage, type ModelMessage } from '@millrace/models';
import type { z } from 'zod';
import type { NodeCall } from '../../implement.ts';
import { refusedParam } from '../refused-param.ts';
import { modelProblems } from './model-problems.ts';
import type { modelParams } from './params/model-params.ts';

export type ModelParams = Omit<z.output<z.ZodObject<typeof modelParams>>, 'userMessage'> & {
  /** A list where a node asks many questions as a batch. */
  readonly userMessage: string | readonly Json[];
};
/** A node that asks a language model. */
export type ModelCall = NodeCall<ModelParams>;

/** Refuses what does not fit together. */
export function requireConsistent(params: ModelParams): void {
  const [problem] = modelProblems(params);
  if (problem) throw refusedParam(problem.field, problem.words);
}

type StrictSchema = Pick<AnswerSchema, 'strict'>;

/** Everything of a request but its model; the same for the fallback. */
export type Prepared = Omit<CompletionRequest, 'model' | 'onText' | 'onRestart'> & {
  readonly schema: StrictSchema | undefined;
  /** Its answer may be the result of the node, and is shown while it grows. */
  readonly is_shown?: boolean;
};

/** @param message in the place of the user message that the node has */
export async function prepare(call: ModelCall, message?: string): Promise<Prepared> {
  const { params } = call;
  const { reasoningEffort, isReasoningModel, temperature, maxTokens } = params;
  const schema = await compileSchema(call);
  const extra_body = readExtraBody(params);
  return {
    schema,
    is_shown: true,
    system: buildInstruction(params, schema),
    messages: [...readHistory(call), buildQuestion(call, message)],
    timeout_ms: Math.round(params.requestTimeoutSeconds * 1_000),
    ...(typeof maxTokens !== 'number' ? {} : { max_tokens: maxTokens }),
    ...(temperature === null || isReasoningModel ? {} : { temperature }),
    ...(reasoningEffort === '' ? {} : { reasoning_effort: reasoningEffort }),
    ...(params.jsonOutputEnabled ? { json: schema ? { schema: schema.strict } : {} } : {}),
    ...(params.responsesApiEnabled ? { responses_api: true } : {}),
    ...(extra_body ? { extra_body } : {}),
  };
}

/** Compiling a large schema takes seconds. */
async function compileSchema({ params, services, signal }: ModelCall): Promise<StrictSchema | undefined> {
  const { jsonOutputEnabled, jsonOutputSchema } = params;
  if (!jsonOutputEnabled || jsonOutputSchema.trim() === '') return undefined;
  const { value, problem } = await services.parsers.run('answer_schema', [jsonOutputSchema], {
    what: 'The JSON Schema of the answer',
    field: 'jsonOutputSchema',
    signal,
  });
  if (value) return value;
  throw refusedParam('jsonOutputSchema', problem);
}

/** Servers that do not know schemas read it here; JSON modes of some providers ask that the word occurs in a message. */
function buildInstruction(
  { systemInstruction, jsonOutputEnabled }: ModelParams,
  schema: StrictSchema | undefined,
): string {
  if (!jsonOutputEnabled) return systemInstruction;
  const hint = schema
    ? `Answer only with JSON that follows this JSON Schema, without any other text: ${JSON.stringify(schema.strict)}`
    : 'Answer only with one JSON object, without any other text.';
  return systemInstruction === '' ? hint : `${systemInstruction}\n\n${hint}`;
}

/** The earlier messages that the portal hands over with a message (specification 4.4). */
function readHistory({ params, run_input }: ModelCall): ModelMessage[] {
  const history = isJsonObject(run_input) ? run_input['conversation_history'] : undefined;
  if (!params.conversationHistoryEnabled || !Array.isArray(history)) return [];
  return history.flatMap((message): ModelMessage[] => {
    if (!isJsonObject(message)) return [];
    const { role, content } = message;
    const isKnown = role === 'user' || role === 'assistant';
    return isKnown && typeof content === 'string' && content !== '' ? [{ role, text: content }] : [];
  });
}

function buildQuestion(
  { params, inputs }: ModelCall,
  given: ModelParams['userMessage'] = params.userMessage,
): ModelMessage {
  if (typeof given !== 'string') {
    throw refusedParam('userMessage', 'must be text; a list of texts needs batch mode');
  }
  const text = given.trim() === '' ? textOfInputs(inputs) : given;
  const images = readImages(params);
  if (text.trim() === '' && images.length === 0) throw refusedParam('userMessage', 'is empty');
  return { role: 'user', text, images };
}

function textOfInputs(inputs: ModelCall['inputs']): string {
  return inputs
    .map(({ output }) => (isJsonObject(output) && output['text'] !== undefined ? output['text'] : output))
    .map(toText)
    .filter((text) => text !== '')
    .join('\n');
}

function toText(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0)
    ? ''
    : JSON.stringify(value);
}

function readImages({ imageInputEnabled, imageInput }: ModelParams): string[] {
  if (!imageInputEnabled) return [];
  const given: unknown[] = Array.isArray(imageInput) ? imageInput : [imageInput];
  const images = given.filter((image) => image !== '' && image !== null && image !== undefined);
  if (images.length === 0) throw refusedParam('imageInput', 'is empty; give an address or a data URL');
  return images.map((image) => {
    if (typeof image === 'string' && isImage(image.trim())) return image.trim();
    throw refusedParam(
      'imageInput',
      'must be an address that starts with https:// or http://, or a data URL such as data:image/png;base64,...',
    );
  });
}

function readExtraBody({ extraBodyEnabled, extraBody }: ModelParams): JsonObject | undefined {
  if (!extraBodyEnabled || extraBody === '') return undefined;
  let value = extraBody;
  try {
    if (typeof value === 'string') value = JSON.parse(value);
  } catch {
    // Named below like any other value that is no object.
  }
  if (isJsonObject(value)) return value;
  throw refusedParam('extraBody', 'must be a JSON object such as {"seed": 7}');
}
