import {
  type JSONSchema7,
  type LanguageModelV3CallOptions,
  type LanguageModelV3FinishReason,
  type LanguageModelV3FunctionTool,
  type LanguageModelV3Prompt,
  type LanguageModelV3StreamPart,
  type LanguageModelV3ToolCall,
  type LanguageModelV3Usage,
  type SharedV3ProviderMetadata,
  type SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import type { JsonObject } from '@millrace/engine';
import type { TokenUsage } from '../model-call.ts';
import type { ModelCaller, ModelProvider, ModelService } from '../model-service.ts';
import { noted } from '../note-call.ts';
import { cutOff, explained } from '../provider/explained.ts';
import { guardedFetch } from '../provider/guarded-fetch.ts';
import { languageModel, mayHaveResponses } from '../provider/language-model.ts';
import { withCacheBreakpoints } from '../provider/prompt-cache.ts';
import { type ReasoningEffort, reasoningOptions } from '../provider/reasoning.ts';
import { buildPrompt, type ModelMessage, type Thought, type ToolMessage, type ToolUse } from './prompt.ts';
import { FailedAttempt } from './refusal.ts';
import { retrying } from './retry.ts';

export interface CompletionRequest {
  /** Id of the model at its provider. */
  readonly model: string;
  /** Empty: none is sent. */
  readonly system: string;
  readonly messages: readonly (ModelMessage | ToolMessage)[];
  /** Tools that the model may ask for instead of answering. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** The model has to answer in words, which may be none: tools are only named where the conversation has used some. */
  readonly is_last?: boolean | undefined;
  readonly temperature?: number | undefined;
  readonly max_tokens?: number | undefined;
  /** Replaces the temperature, which models that reason do not take. */
  readonly reasoning_effort?: ReasoningEffort | undefined;
  /** `schema`: JSON Schema of the answer; without it any JSON object. */
  readonly json?: { readonly schema?: JsonObject | undefined } | undefined;
  /**
   * Speaks OpenAI's Responses API (platform.openai.com/docs/api-reference/responses) with OpenAI and compatible servers; other
   * providers have one interface, and are asked as always.
   */
  readonly responses_api?: boolean | undefined;
  /** Laid over the body of the request. */
  readonly extra_body?: JsonObject | undefined;
  /** Of each attempt, from its call to its last byte. */
  readonly timeout_ms: number;
  /**
   * Gets each piece of the text as it arrives. After the first piece the call is not repeated, because it was read already,
   * unless `onRestart` takes that back.
   */
  readonly onText?: ((piece: string) => void) | undefined;
  /** Called when the text given to `onText` is void: that attempt has failed. */
  readonly onRestart?: (() => void) | undefined;
}

/** A tool as a model sees it. */
export interface ToolDefinition {
  /** Of at most 64 letters, digits, `_` and `-`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input_schema: JsonObject;
}

export interface Completion {
  /** Empty when the model asks for tools without a word. */
  readonly text: string;
  /** Absent when it asks for none. */
  readonly tool_calls?: readonly ToolUse[];
  /** The model's thoughts before it asked for tools, as its provider gave them out. */
  readonly reasoning?: readonly Thought[];
  readonly usage: TokenUsage;
  /** The answer ended because it reached its limit of tokens. */
  readonly is_cut: boolean;
  /** Of the attempt that succeeded. */
  readonly elapsed_ms: number;
}

/**
 * The answer of a model to some messages. Throws `NodeFailure` in plain words with those of the provider, and with nothing
 * of `secrets`, when the provider refuses, cannot be reached, ends in the middle, blocks the answer or gives none.
 */
export function complete(
  caller: ModelCaller,
  model: ModelService,
  request: CompletionRequest,
): Promise<Completion> {
  const { onText: _onText, onRestart: _onRestart, timeout_ms: _timeout_ms, model: name, ...asked } = request;
  return noted(
    caller,
    { request_type: 'chat', provider: model.provider, model: name, request: asked },
    () => completeUnnoted(caller, model, request),
    ({ usage, elapsed_ms: _elapsed_ms, tool_calls, reasoning, ...answer }) => ({
      response: {
        ...answer,
        ...(tool_calls ? { tool_calls: [...tool_calls] } : {}),
        ...(reasoning ? { reasoning: [...reasoning] } : {}),
      },
      usage: usage.total_tokens === 0 ? null : usage,
    }),
  );
}

async function completeUnnoted(
  caller: ModelCaller,
  model: ModelService,
  request: CompletionRequest,
): Promise<Completion> {
  return retrying(caller, model, () => attemptOnce(caller, model, request));
}

async function attemptOnce(
  caller: ModelCaller,
  service: ModelService,
  request: CompletionRequest,
): Promise<Completion> {
  const { timeout_ms, extra_body } = request;
  const started_ms = caller.now();
  const prompt = await buildPrompt(caller, service, request);
  const fetch = guardedFetch(caller, service, { timeout_ms, extra_body });
  const is_responses = isResponses(service, request);
  const model = await languageModel(service, { model: request.model, is_responses }, fetch);
  let hasText = false;
  const onText = (piece: string): void => {
    if (!request.onText || piece === '') return;
    hasText = true;
    request.onText(piece);
  };
  try {
    const { stream } = await model.doStream(
      buildOptions(service, request, { prompt, signal: caller.signal }),
    );
    const answer = await readAnswer(service.title, stream, {
      is_last: request.is_last,
      is_responses,
      onText,
    });
    return { ...answer, elapsed_ms: caller.now() - started_ms };
  } catch (error) {
    const failed = explained(service.title, error, caller.now());
    if (hasText) request.onRestart?.();
    throw hasText && !request.onRestart && failed instanceof FailedAttempt
      ? new FailedAttempt(failed.failure, undefined, failed.cause)
      : failed;
  }
}

/**
 * The body that `complete` would send to Chat Completions, without its stream, for requests that are handed in otherwise. What is laid over
 * it is not part of it.
 */
export async function chatBody(
  caller: ModelCaller,
  service: ModelService,
  request: Omit<CompletionRequest, 'responses_api'>,
): Promise<JsonObject> {
  const prompt = await buildPrompt(caller, service, request);
  let body: JsonObject = {};
  const notSent = new Error('not sent');
  const model = await languageModel(service, { model: request.model, is_responses: false }, (_, init) => {
    if (typeof init?.body === 'string') body = JSON.parse(init.body) as JsonObject;
    return Promise.reject(notSent);
  });
  try {
    await model.doGenerate(buildOptions(service, request, { prompt, signal: caller.signal }));
  } catch (error) {
    if (error !== notSent) throw error;
  }
  return body;
}

const isResponses = (
  { provider }: ModelService,
  { responses_api }: Pick<CompletionRequest, 'responses_api'>,
): boolean => responses_api === true && mayHaveResponses(provider);

function buildOptions(
  service: ModelService,
  request: CompletionRequest,
  given: { readonly prompt: LanguageModelV3Prompt; readonly signal: AbortSignal },
): LanguageModelV3CallOptions {
  const { provider } = service;
  const { temperature, max_tokens, reasoning_effort, json } = request;
  const described = toolsFor(provider, request).map(describedTool);
  const { prompt, tools } = withCacheBreakpoints(provider, { prompt: given.prompt, tools: described });
  const providerOptions = buildProviderOptions(service, request);
  return {
    prompt,
    abortSignal: given.signal,
    ...(max_tokens === undefined ? {} : { maxOutputTokens: max_tokens }),
    ...(reasoning_effort !== undefined || temperature === undefined ? {} : { temperature }),
    ...(providerOptions ? { providerOptions } : {}),
    ...(tools.length === 0 ? {} : { tools: [...tools] }),
    // Google takes either tools or a format of the answer (ai.google.dev/gemini-api/docs/structured-output).
    ...(json === undefined || (provider === 'google' && tools.length > 0)
      ? {}
      : {
          responseFormat: {
            type: 'json' as const,
            ...(json.schema ? { schema: json.schema, name: 'output' } : {}),
          },
        }),
  };
}

const describedTool = ({ name, description, input_schema }: ToolDefinition): LanguageModelV3FunctionTool => ({
  type: 'function',
  name,
  description,
  inputSchema: input_schema as JSONSchema7,
});

/** A response is not kept by its provider: a conversation is sent whole each time, with thoughts that are encrypted. */
function buildProviderOptions(
  service: ModelService,
  { model, reasoning_effort, ...request }: CompletionRequest,
): SharedV3ProviderOptions | undefined {
  const is_responses = isResponses(service, request);
  const spoken = is_responses ? 'openai' : service.provider;
  const options =
    reasoning_effort === undefined ? undefined : reasoningOptions(spoken, model, reasoning_effort);
  return is_responses ? { openai: { ...options?.['openai'], store: false } } : options;
}

/** Anthropic refuses a conversation with tools that the request does not describe. */
function toolsFor(
  provider: ModelProvider,
  { tools = [], is_last = false }: Pick<CompletionRequest, 'tools' | 'is_last'>,
): readonly ToolDefinition[] {
  return is_last && provider !== 'anthropic' ? [] : tools;
}

type Answer = Omit<Completion, 'elapsed_ms'>;

interface Reader {
  readonly is_last?: boolean | undefined;
  readonly is_responses: boolean;
  readonly onText: (piece: string) => void;
}

async function readAnswer(
  title: string,
  stream: ReadableStream<LanguageModelV3StreamPart>,
  { is_last = false, is_responses, onText }: Reader,
): Promise<Answer> {
  let text = '';
  const uses: ToolUse[] = [];
  const thoughts = new Map<string, Thought>();
  for await (const part of stream) {
    if (part.type === 'text-delta') {
      text += part.delta;
      onText(part.delta);
    } else if (part.type === 'tool-call') uses.push(toToolUse(part));
    else if (part.type.startsWith('reasoning-')) noteThought(thoughts, part);
    else if (part.type === 'error') throw part.error;
    else if (part.type === 'finish') {
      const reasoning = [...thoughts.values()];
      return finished(title, { text, uses, is_last, is_responses, reasoning, ...part });
    }
  }
  throw cutOff(title);
}

function toToolUse({ toolCallId, toolName, input, providerMetadata }: LanguageModelV3ToolCall): ToolUse {
  return { id: toolCallId, name: toolName, arguments: input, ...givenBy(providerMetadata) };
}

const givenBy = (metadata: SharedV3ProviderMetadata | undefined): { provider?: JsonObject } =>
  metadata ? { provider: metadata as JsonObject } : {};

function noteThought(thoughts: Map<string, Thought>, part: LanguageModelV3StreamPart): void {
  if (part.type !== 'reasoning-start' && part.type !== 'reasoning-delta' && part.type !== 'reasoning-end') {
    return;
  }
  const known = thoughts.get(part.id) ?? { text: '' };
  const delta = part.type === 'reasoning-delta' ? part.delta : '';
  thoughts.set(part.id, { ...known, text: known.text + delta, ...givenBy(part.providerMetadata) });
}

interface Ending {
  readonly text: string;
  readonly uses: readonly ToolUse[];
  readonly is_last: boolean;
  readonly is_responses: boolean;
  readonly reasoning: readonly Thought[];
  readonly finishReason: LanguageModelV3FinishReason;
  readonly usage: LanguageModelV3Usage;
}

/**
 * Libraries end a stream that has no end of its own with a reason without the provider's word for it. The Responses API has a
 * word only for an answer that is not whole, and a whole one has a reason that libraries know.
 */
const hasEnded = ({ raw, unified }: LanguageModelV3FinishReason, is_responses: boolean): boolean =>
  raw !== undefined || (is_responses && unified !== 'other');

function finished(title: string, ending: Ending): Answer {
  const { text, uses, is_last, is_responses, reasoning, finishReason, usage } = ending;
  if (!hasEnded(finishReason, is_responses)) throw cutOff(title);
  const reason = finishReason.raw ?? finishReason.unified;
  if (finishReason.unified === 'content-filter') throw unusable(`${title} blocked the answer (${reason})`);
  const is_cut = finishReason.unified === 'length';
  if (uses.length > 0) {
    const thought = reasoning.length === 0 ? {} : { reasoning };
    return { text, tool_calls: uses, ...thought, is_cut, usage: toTokenUsage(usage) };
  }
  if (text === '' && !is_last) {
    throw unusable(
      is_cut
        ? `${title} reached the token limit before it returned any text; raise the limit`
        : `${title} returned an empty answer (${reason})`,
    );
  }
  return { text, is_cut, usage: toTokenUsage(usage) };
}

/** All tokens of the prompt are counted, those too that Anthropic counts apart as read from its cache or put there. */
function toTokenUsage({ inputTokens, outputTokens }: LanguageModelV3Usage): TokenUsage {
  const prompt_tokens = inputTokens.total ?? 0;
  const completion_tokens = outputTokens.total ?? 0;
  const total_tokens = prompt_tokens + completion_tokens;
  const cached_tokens = inputTokens.cacheRead ?? 0;
  const cache_write_tokens = inputTokens.cacheWrite ?? 0;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens,
    ...(cached_tokens > 0 ? { cached_tokens } : {}),
    ...(cache_write_tokens > 0 ? { cache_write_tokens } : {}),
  };
}

const unusable = (message: string) => new FailedAttempt({ kind: 'upstream', message, final: true });
