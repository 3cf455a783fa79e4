import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import { isJsonObject, type JsonObject, NodeFailure } from '@millrace/engine';
import type { ModelCaller, ModelService } from '../model-service.ts';
import { FailedAttempt, toFailedAttempt } from './refusal.ts';
import { readJsonAnswer } from './structured.ts';

export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** Addresses (`http:`, `https:`) or data URLs; of users only. */
  readonly images?: readonly string[];
  /** Tools that an assistant asked for, whose results follow in a message of the role `tool`. */
  readonly tool_calls?: readonly ToolUse[];
  /** Earlier thoughts of an assistant, for providers that want them back with the results. */
  readonly reasoning?: readonly Thought[];
}

/** Results of all tools that the assistant's message before asked for. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly results: readonly ToolAnswer[];
}

/** A tool that a model asks for. Plain data, so that it can be stored and sent back. */
export type ToolUse = {
  /** Names the use within its conversation. */
  id: string;
  name: string;
  /** JSON text as the model wrote it, which may be wrong. */
  arguments: string;
  /** Data that its provider wants back with it. */
  provider?: JsonObject;
};

export type Thought = { text: string; provider?: JsonObject };

export interface ToolAnswer {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly is_error: boolean;
}

const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const DATA_URL = /^data:(image\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=\s]+)$/i;

/** Whether a text names an image as `ModelMessage` takes it. */
export const isImage = (text: string): boolean =>
  DATA_URL.test(text) || (/^https?:\/\//i.test(text) && URL.canParse(text));

export async function buildPrompt(
  caller: ModelCaller,
  model: ModelService,
  { system, messages, timeout_ms }: Asked,
): Promise<LanguageModelV3Prompt> {
  const prompt: LanguageModelV3Prompt = system === '' ? [] : [{ role: 'system', content: system }];
  for (const message of messages) {
    if (message.role === 'tool') prompt.push(toolMessage(message));
    else if (message.role === 'assistant') prompt.push(assistantMessage(message));
    else {
      const { role, text, images = [] } = message;
      const files = await Promise.all(images.map((image) => imagePart(caller, model, { image, timeout_ms })));
      prompt.push({ role, content: [{ type: 'text', text }, ...files] });
    }
  }
  return prompt;
}

interface Asked {
  readonly system: string;
  readonly messages: readonly (ModelMessage | ToolMessage)[];
  readonly timeout_ms: number;
}

/** Data that a provider gave with a part of its answer is returned to it in the same words. */
const returned = (provider: JsonObject | undefined): { providerOptions?: SharedV3ProviderOptions } =>
  provider ? { providerOptions: provider as SharedV3ProviderOptions } : {};

function assistantMessage({ text, tool_calls = [], reasoning = [] }: ModelMessage): LanguageModelV3Message {
  return {
    role: 'assistant',
    content: [
      ...reasoning.map((thought) => ({
        type: 'reasoning' as const,
        text: thought.text,
        ...returned(thought.provider),
      })),
      ...(text === '' && tool_calls.length > 0 ? [] : [{ type: 'text' as const, text }]),
      ...tool_calls.map(({ id, name, arguments: written, provider }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input: objectIn(written),
        ...returned(provider),
      })),
    ],
  };
}

/** Providers refuse a conversation whose arguments are no object; what the model wrote instead is in the result. */
function objectIn(written: string): JsonObject {
  const read = readJsonAnswer(written, true);
  return isJsonObject(read.value) ? read.value : {};
}

const toolMessage = ({ results }: ToolMessage): LanguageModelV3Message => ({
  role: 'tool',
  content: results.map(({ id, name, text, is_error }) => ({
    type: 'tool-result' as const,
    toolCallId: id,
    toolName: name,
    output: { type: is_error ? ('error-text' as const) : ('text' as const), value: text },
  })),
});

/** Google takes no addresses of other servers, so their images are loaded here; the other providers load them. */
async function imagePart(
  caller: ModelCaller,
  { provider }: ModelService,
  { image, timeout_ms }: { image: string; timeout_ms: number },
): Promise<LanguageModelV3FilePart> {
  const [, media = '', base64 = ''] = DATA_URL.exec(image) ?? [];
  if (base64 !== '') return { type: 'file', mediaType: media.toLowerCase(), data: base64.replace(/\s/g, '') };
  if (provider !== 'google') return { type: 'file', mediaType: 'image/*', data: new URL(image) };
  return load(caller, image, timeout_ms);
}

async function load(
  { http, signal }: ModelCaller,
  url: string,
  timeout_ms: number,
): Promise<LanguageModelV3FilePart> {
  try {
    const response = await http.request({
      method: 'GET',
      url,
      headers: [['accept', 'image/*']],
      timeout_ms,
      max_response_bytes: MAX_IMAGE_BYTES,
      follow_redirects: true,
      signal,
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const mediaType = (response.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    if (response.status !== 200 || !mediaType.startsWith('image/')) throw noImage(response.status, mediaType);
    return { type: 'file', mediaType, data: Buffer.concat(chunks) };
  } catch (error) {
    throw error instanceof NodeFailure ? toFailedAttempt(error) : error;
  }
}

const noImage = (status: number, mediaType: string): FailedAttempt =>
  new FailedAttempt({
    kind: 'params',
    field: 'imageInput',
    message:
      status === 200
        ? `the address did not return an image but ${mediaType === '' ? 'content of no type' : mediaType}`
        : `the address of the image answered with status ${status}`,
    final: true,
  });
