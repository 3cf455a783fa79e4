import { isJsonObject, type JsonObject, NodeFailure } from '@millrace/engine';
import { FailedAttempt, objectIn, toFailedAttempt } from './answer/refusal.ts';
import { retrying } from './answer/retry.ts';
import type { TokenUsage } from './model-call.ts';
import type { ModelCaller, ModelService } from './model-service.ts';
import { noted, usageIn } from './note-call.ts';
import { explained } from './provider/explained.ts';
import { guardedFetch } from './provider/guarded-fetch.ts';
import { googleImageModel } from './provider/language-model.ts';

export interface ImageRequest {
  readonly model: string;
  readonly prompt: string;
  /** Width and height such as `1536x1024`, or a word that the model knows; empty: left to the model. */
  readonly size: string;
  /** Empty or `auto`: left to the model. */
  readonly quality: string;
  /** Laid over the body of the request. */
  readonly extra_body?: JsonObject | undefined;
  readonly timeout_ms: number;
}

export interface GeneratedImage {
  readonly bytes: Uint8Array;
  /** By its first bytes. */
  readonly mime_type: string;
  /** Null when the provider counts none. */
  readonly usage: TokenUsage | null;
  /** The prompt as the model revised it, where it says so. */
  readonly revised_prompt?: string;
  /** Of the attempt that succeeded. */
  readonly elapsed_ms: number;
}

/** Models that always answer with the image itself, and refuse to be asked for it. */
const ANSWERS_WITH_BYTES = /^(chatgpt|gpt)-image/i;
const MAX_IMAGE_BYTES = 50 * 1024 * 1024;

/**
 * Generates one image: through OpenAI's images (platform.openai.com/docs/api-reference/images/create) with OpenAI and servers
 * that speak its format, and through Gemini or Imagen with Google. Repeats and words failures like `complete`.
 */
export function generateImage(
  caller: ModelCaller,
  model: ModelService,
  request: ImageRequest,
): Promise<GeneratedImage> {
  const { timeout_ms: _timeout_ms, model: name, ...asked } = request;
  return noted(
    caller,
    { request_type: 'image', provider: model.provider, model: name, request: asked },
    () => retrying(caller, model, () => attemptOnce(caller, model, request)),
    ({ bytes, mime_type, revised_prompt, usage }) => ({
      response: { mime_type, bytes: bytes.length, ...(revised_prompt ? { revised_prompt } : {}) },
      usage,
    }),
  );
}

async function attemptOnce(
  caller: ModelCaller,
  service: ModelService,
  request: ImageRequest,
): Promise<GeneratedImage> {
  const started_ms = caller.now();
  const generated = await generateBy(caller, service, request);
  const mime_type = detectMimeType(generated.bytes);
  if (!mime_type) throw unusable(`${service.title} did not return an image; check the model`);
  return { ...generated, mime_type, elapsed_ms: caller.now() - started_ms };
}

type Generated = Pick<GeneratedImage, 'bytes' | 'usage' | 'revised_prompt'>;

function generateBy(caller: ModelCaller, service: ModelService, request: ImageRequest): Promise<Generated> {
  switch (service.provider) {
    case 'openai':
    case 'compatible':
      return generateByOpenAi(caller, service, request);
    case 'google':
      return generateByGoogle(caller, service, request);
    case 'anthropic':
      throw unusable(`${service.title} has no models that generate images; choose another credential`);
    default:
      return service.provider satisfies never;
  }
}

async function generateByOpenAi(
  caller: ModelCaller,
  service: ModelService,
  { model, prompt, size, quality, timeout_ms, extra_body }: ImageRequest,
): Promise<Generated> {
  const fetch = guardedFetch(caller, service, { timeout_ms, extra_body });
  const response = await fetch(`${service.service.base_url}/images/generations`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      prompt,
      n: 1,
      ...(size === '' ? {} : { size }),
      ...(quality === '' || quality === 'auto' ? {} : { quality }),
      ...(ANSWERS_WITH_BYTES.test(model) ? {} : { response_format: 'b64_json' }),
    }),
  });
  const answer = objectIn(await response.text());
  const [generated] = Array.isArray(answer?.['data']) ? answer['data'] : [];
  if (!answer || !isJsonObject(generated))
    throw unusable(`${service.title} did not return an image; check the model`);
  const { b64_json, url, revised_prompt } = generated;
  const bytes =
    typeof b64_json === 'string'
      ? Buffer.from(b64_json, 'base64')
      : await download(caller, service.title, { url, timeout_ms });
  return {
    bytes,
    usage: usageIn(answer),
    ...(typeof revised_prompt === 'string' && revised_prompt !== '' ? { revised_prompt } : {}),
  };
}

/** Fetches an image that a server answers with the address of. Another host may have it, so no credential goes there. */
async function download(
  { http, signal }: ModelCaller,
  title: string,
  { url, timeout_ms }: { readonly url: unknown; readonly timeout_ms: number },
): Promise<Uint8Array> {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) {
    throw unusable(`${title} did not return an image; check the model`);
  }
  const failed = (error: unknown): never => {
    throw error instanceof NodeFailure ? toFailedAttempt(error) : error;
  };
  const { status, body } = await http
    .request({
      method: 'GET',
      url,
      headers: [],
      timeout_ms,
      max_response_bytes: MAX_IMAGE_BYTES,
      follow_redirects: true,
      signal,
    })
    .catch(failed);
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch (error) {
    failed(error);
  }
  // The image is paid for, and imageModel it again would cost as much: such an answer is not repeated.
  if (status !== 200) throw unusable(`the image of ${title} could not be fetched (status ${status})`);
  return Buffer.concat(chunks);
}

async function generateByGoogle(
  caller: ModelCaller,
  service: ModelService,
  { model, prompt, size, timeout_ms, extra_body }: ImageRequest,
): Promise<Generated> {
  const fetch = guardedFetch(caller, service, { timeout_ms, extra_body });
  const imageModel = await googleImageModel(service, model, fetch);
  const aspectRatio = toAspectRatio(size);
  try {
    const { images, usage } = await imageModel.doGenerate({
      prompt,
      n: 1,
      size: undefined,
      aspectRatio,
      seed: undefined,
      files: undefined,
      mask: undefined,
      providerOptions: {},
      abortSignal: caller.signal,
    });
    const [image] = images;
    if (!image) throw unusable(`${service.title} did not return an image; check the model and the message`);
    const prompt_tokens = usage?.inputTokens ?? 0;
    const completion_tokens = usage?.outputTokens ?? 0;
    const total_tokens = prompt_tokens + completion_tokens;
    return {
      bytes: typeof image === 'string' ? Buffer.from(image, 'base64') : image,
      usage: total_tokens === 0 ? null : { prompt_tokens, completion_tokens, total_tokens },
    };
  } catch (error) {
    throw explained(service.title, error, caller.now());
  }
}

/** Google takes a ratio in place of a size (ai.google.dev/gemini-api/docs/image-generation). */
function toAspectRatio(size: string): `${number}:${number}` | undefined {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(size) ?? [];
  const [wide, high] = [Number(width), Number(height)];
  if (!(wide > 0 && high > 0)) return undefined;
  const known = ['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '16:9'] as const;
  const distance = (ratio: string): number => {
    const [a = 1, b = 1] = ratio.split(':').map(Number);
    return Math.abs(Math.log(a / b) - Math.log(wide / high));
  };
  return known.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

/** Types of images by how their files begin. */
function detectMimeType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (start.startsWith('\x89PNG')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF8')) return 'image/gif';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : undefined;
}

const unusable = (message: string) => new FailedAttempt({ kind: 'upstream', message, final: true });
