import type { LanguageModelV3FilePart, LanguageModelV3Prompt } from '@ai-sdk/provider';
import { NodeFailure } from '@millrace/engine';
import type { ModelCaller, ModelService } from './model-service.ts';
import { attemptOf, FailedAttempt } from './refusal.ts';

export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** Addresses (`http:`, `https:`) or data URLs; of users only. */
  readonly images?: readonly string[];
}

const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const DATA_URL = /^data:(image\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=\s]+)$/i;

/** Whether a text names an image as `ModelMessage` takes it. */
export const isImage = (text: string): boolean =>
  DATA_URL.test(text) || (/^https?:\/\//i.test(text) && URL.canParse(text));

export async function promptOf(
  caller: ModelCaller,
  model: ModelService,
  { system, messages, timeout_ms }: { system: string; messages: readonly ModelMessage[]; timeout_ms: number },
): Promise<LanguageModelV3Prompt> {
  const prompt: LanguageModelV3Prompt = system === '' ? [] : [{ role: 'system', content: system }];
  for (const { role, text, images = [] } of messages) {
    if (role === 'assistant') {
      prompt.push({ role, content: [{ type: 'text', text }] });
      continue;
    }
    const files = await Promise.all(images.map((image) => imagePart(caller, model, { image, timeout_ms })));
    prompt.push({ role, content: [{ type: 'text', text }, ...files] });
  }
  return prompt;
}

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
    throw error instanceof NodeFailure ? attemptOf(error.failure, error) : error;
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
