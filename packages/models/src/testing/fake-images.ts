import { type FakeReply, json, refuse, type SeenCall } from './fake-provider.ts';

/** A PNG file of one pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const FIELDS = new Set(['model', 'prompt', 'n', 'size', 'quality', 'response_format', 'user', 'background']);
const SIZES: Readonly<Record<string, readonly unknown[]>> = {
  'gpt-image': ['1024x1024', '1536x1024', '1024x1536', 'auto', undefined],
  'dall-e-3': ['1024x1024', '1792x1024', '1024x1792', undefined],
};

const invalid = (message: string): FakeReply =>
  refuse(400, { error: { message, type: 'invalid_request_error', param: null, code: null } });

/**
 * Images as OpenAI makes them (platform.openai.com/docs/api-reference/images/create), which refuses what it does not know: a
 * model of the family `gpt-image` takes no `response_format`, and one of `dall-e-3` answers with an address without it.
 */
export function imagesReply({ method, path, body = {} }: SeenCall, more: object = {}): FakeReply {
  if (method !== 'POST' || !path.endsWith('/images/generations')) return invalid(`Unknown address: ${path}`);
  const { model, prompt, size, response_format } = body;
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) return invalid(`Unknown parameter: '${unknown}'.`);
  if (typeof prompt !== 'string' || prompt === '') return invalid("Missing required parameter: 'prompt'.");
  const [, sizes] = Object.entries(SIZES).find(([family]) => String(model).startsWith(family)) ?? [];
  if (!sizes) return invalid(`The model '${String(model)}' does not exist.`);
  if (!sizes.includes(size)) return invalid(`Invalid value: '${String(size)}'.`);
  const created = 1_767_323_045;
  if (String(model).startsWith('gpt-image')) {
    if (response_format !== undefined) return invalid("Unknown parameter: 'response_format'.");
    const usage = { input_tokens: 12, output_tokens: 272, total_tokens: 284 };
    return json({ created, data: [{ b64_json: PIXEL }], usage, ...more });
  }
  const revised_prompt = `${prompt}, in oil`;
  const generated =
    response_format === 'b64_json' ? { b64_json: PIXEL } : { url: 'https://images.example/1.png' };
  return json({ created, data: [{ revised_prompt, ...generated }], ...more });
}
