import {
  APICallError,
  type JSONSchema7,
  type LanguageModelV3CallOptions,
  type LanguageModelV3FinishReason,
  type LanguageModelV3StreamPart,
  type LanguageModelV3ToolCall,
  type LanguageModelV3Usage,
  type SharedV3ProviderMetadata,
} from '@ai-sdk/provider';
import type { JsonObject } from '@millrace/engine';
import type { ModelCaller, ModelProvider, ModelService } from './model-service.ts';
import { noted } from './note-call.ts';
import { type ModelMessage, promptOf, type Thought, type ToolMessage, type ToolUse } from './prompt.ts';
import { guardedFetch } from './provider/guarded-fetch.ts';
import { languageModel } from './provider/language-model.ts';
import { type ReasoningEffort, reasoningOptions } from './provider/reasoning.ts';
import { FailedAttempt, failureWithout, parsed, refusedAttempt, wordsOf } from './refusal.ts';
import { retrying } from './retry.ts';

export interface CompletionRequest {
  /** Id of the model at its provider. */
  readonly model: string;
  /** Empty: none is sent. */
  readonly system: string;
  readonly messages: readonly (ModelMessage | ToolMessage)[];
  /** What the model may ask for instead of answering. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** The model has to answer in words, which may be none: tools are only named where the conversation has used some. */
  readonly is_last?: boolean | undefined;
  readonly temperature?: number | undefined;
  readonly max_tokens?: number | undefined;
  /** Replaces the temperature, which models that reason do not take. */
  readonly reasoning_effort?: ReasoningEffort | undefined;
  /** `schema`: JSON Schema of the answer; without it any JSON object. */
  readonly json?: { readonly schema?: JsonObject | undefined } | undefined;
  /** Laid over the body of the request. */
  readonly extra_body?: JsonObject | undefined;
  /** Of each attempt, from its call to its last byte. */
  readonly timeout_ms: number;
  /**
   * Gets each piece of the text as it arrives. After the first piece the call is not repeated, because it was read already,
   * unless `onRestart` takes that back.
   */
  readonly onText?: ((piece: string) => void) | undefined;
  /** What `onText` was given is void: that attempt has failed. */
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

/** Tokens as providers count them; 0 when they do not say. */
export interface TokenUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export interface Completion {
  /** Empty when the model asks for tools without a word. */
  readonly text: string;
  /** Absent when it asks for none. */
  readonly tool_calls?: readonly ToolUse[];
  /** What it thought before it asked for tools, as its provider gave it out. */
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
  try {
    return await retrying(caller, () => attemptOnce(caller, model, request));
  } catch (error) {
    throw error instanceof FailedAttempt ? failureWithout(model.secrets, error) : error;
  }
}

async function attemptOnce(
  caller: ModelCaller,
  service: ModelService,
  request: CompletionRequest,
): Promise<Completion> {
  const { timeout_ms, extra_body } = request;
  const started_ms = caller.now();
  const prompt = await promptOf(caller, service, request);
  const fetch = guardedFetch(caller, service, { timeout_ms, extra_body });
  const model = await languageModel(service, request.model, fetch);
  let hasText = false;
  const onText = (piece: string): void => {
    if (!request.onText || piece === '') return;
    hasText = true;
    request.onText(piece);
  };
  try {
    const { stream } = await model.doStream({ prompt, ...optionsOf(service, request, caller.signal) });
    const answer = await readAnswer(service.title, stream, { is_last: request.is_last, onText });
    return { ...answer, elapsed_ms: caller.now() - started_ms };
  } catch (error) {
    const failed = explained(service.title, error, caller.now());
    if (hasText) request.onRestart?.();
    throw hasText && !request.onRestart && failed instanceof FailedAttempt
      ? new FailedAttempt(failed.failure, undefined, failed.cause)
      : failed;
  }
}

function optionsOf(
  { provider }: ModelService,
  { model, temperature, max_tokens, reasoning_effort, json, ...asked }: CompletionRequest,
  abortSignal: AbortSignal,
): Omit<LanguageModelV3CallOptions, 'prompt'> {
  const tools = toolsFor(provider, asked);
  return {
    abortSignal,
    ...(max_tokens === undefined ? {} : { maxOutputTokens: max_tokens }),
    ...(reasoning_effort === undefined
      ? temperature === undefined
        ? {}
        : { temperature }
      : { providerOptions: reasoningOptions(provider, model, reasoning_effort) }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, input_schema }) => ({
            type: 'function' as const,
            name,
            description,
            inputSchema: input_schema as JSONSchema7,
          })),
        }),
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

/** Anthropic refuses a conversation with tools that the request does not describe. */
function toolsFor(
  provider: ModelProvider,
  { tools = [], is_last = false }: Pick<CompletionRequest, 'tools' | 'is_last'>,
): readonly ToolDefinition[] {
  return is_last && provider !== 'anthropic' ? [] : tools;
}

type Answer = Omit<Completion, 'elapsed_ms'>;

async function readAnswer(
  title: string,
  stream: ReadableStream<LanguageModelV3StreamPart>,
  { is_last = false, onText }: { is_last?: boolean | undefined; onText: (piece: string) => void },
): Promise<Answer> {
  let text = '';
  const uses: ToolUse[] = [];
  const thoughts = new Map<string, Thought>();
  for await (const part of stream) {
    if (part.type === 'text-delta') {
      text += part.delta;
      onText(part.delta);
    } else if (part.type === 'tool-call') uses.push(toolUseOf(part));
    else if (part.type.startsWith('reasoning-')) noteThought(thoughts, part);
    else if (part.type === 'error') throw part.error;
    else if (part.type === 'finish') {
      return finished(title, { text, uses, is_last, reasoning: [...thoughts.values()], ...part });
    }
  }
  throw cutOff(title);
}

function toolUseOf({ toolCallId, toolName, input, providerMetadata }: LanguageModelV3ToolCall): ToolUse {
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
  readonly reasoning: readonly Thought[];
  readonly finishReason: LanguageModelV3FinishReason;
  readonly usage: LanguageModelV3Usage;
}

function finished(title: string, { text, uses, is_last, reasoning, finishReason, usage }: Ending): Answer {
  // Libraries end a stream that has no end of its own with a reason without the provider's word for it.
  if (finishReason.raw === undefined) throw cutOff(title);
  if (finishReason.unified === 'content-filter') {
    throw unusable(`${title} blocked the answer (${finishReason.raw})`);
  }
  const is_cut = finishReason.unified === 'length';
  if (uses.length > 0) {
    const thought = reasoning.length === 0 ? {} : { reasoning };
    return { text, tool_calls: uses, ...thought, is_cut, usage: tokensOf(usage) };
  }
  if (text === '' && !is_last) {
    throw unusable(
      is_cut
        ? `${title} reached the token limit before it returned any text; raise the limit`
        : `${title} returned an empty answer (${finishReason.raw})`,
    );
  }
  return { text, is_cut, usage: tokensOf(usage) };
}

function tokensOf({ inputTokens, outputTokens }: LanguageModelV3Usage): TokenUsage {
  const prompt_tokens = inputTokens.total ?? 0;
  const completion_tokens = outputTokens.total ?? 0;
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

const unusable = (message: string) => new FailedAttempt({ kind: 'upstream', message, final: true });

const cutOff = (title: string) =>
  new FailedAttempt(
    { kind: 'upstream', message: `${title} ended the connection before the answer was complete` },
    null,
  );

/** How the library of compatible servers words a stream without its end. */
const NO_FINISH = 'Response stream ended without a finish reason.';

/** What a provider's library throws, in our words: our own failures as they are, errors inside a stream by what they say. */
function explained(title: string, error: unknown, now_ms: number): unknown {
  if (error instanceof FailedAttempt) return error;
  if (APICallError.isInstance(error)) {
    if (error.cause instanceof FailedAttempt) return error.cause;
    const text = error.responseBody ?? error.message;
    // Anthropic's library reports what it cannot read in the first event as a refusal of the server.
    const isOwn = text.includes('"AI_');
    if (!isOwn && error.statusCode !== undefined && error.statusCode >= 400) {
      return refusedAttempt(title, { status: error.statusCode, headers: {}, text }, now_ms);
    }
  }
  if (error instanceof Error && error.name.startsWith('AI_')) {
    if (error.message === NO_FINISH) return cutOff(title);
    const message = `${title} returned an answer that cannot be read`;
    return new FailedAttempt({ kind: 'upstream', message }, null, error);
  }
  if (error instanceof Error) return error;
  return streamError(title, error);
}

const OVERLOAD = /overload|rate.?limit|unavailable|server.?error|timeout|api_error/i;

/** An error that a provider sends as an event of the stream: `{type, message}`, `{error: {...}}` or text. */
function streamError(title: string, error: unknown): FailedAttempt {
  const value = typeof error === 'string' ? parsed(error) : error;
  const said = wordsOf(value);
  const message = `${title} interrupted the answer${said === undefined ? '' : `: ${said}`}`;
  const canRecover = OVERLOAD.test(JSON.stringify(value) ?? '');
  return new FailedAttempt({ kind: 'upstream', message }, canRecover ? null : undefined);
}
