import { isUtf8 } from 'node:buffer';
import { isBlockedKey, type Json, type JsonObject } from '@millrace/engine';
import { AppError } from '../../core/app-error.ts';
import { parseBody } from '../../http/bodies/call-body.ts';

/** Types whose bytes are not text, even if they look like it. */
const BINARY = /^(image|audio|video|font)\/|^application\/(octet-stream|pdf|zip|gzip|x-tar|msword|vnd\.)/;
/** SVG and its like are XML. */
const TEXTUAL = /[+/](xml|json|yaml)$/;
/** The official name of the type, without parameters. */
const parseMediaType = (header: string): string => (header.split(';')[0] ?? '').trim().toLowerCase();

const toFile = (
  bytes: Uint8Array,
  { filename, content_type }: Record<'filename' | 'content_type', string>,
) => ({
  filename,
  content_type,
  size: bytes.length,
  base64: Buffer.from(bytes).toString('base64'),
});

async function parseForm(bytes: Uint8Array, header: string): Promise<JsonObject> {
  const sent = new Response(Buffer.from(bytes), { headers: { 'content-type': header } });
  const form = await sent.formData().catch((cause: unknown) => {
    throw new AppError('bad_request', 'The form is damaged or was cut off', { cause });
  });
  const fields: JsonObject = {};
  for (const [name, value] of form) {
    if (isBlockedKey(name)) continue;
    const field: Json =
      typeof value === 'string'
        ? value
        : toFile(new Uint8Array(await value.arrayBuffer()), {
            filename: value.name,
            content_type: value.type,
          });
    const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (before === undefined) fields[name] = field;
    else fields[name] = Array.isArray(before) ? [...before, field] : [before, field];
  }
  return fields;
}

/**
 * The body of a webhook as data: JSON, forms and text as an execute call reads them, a multipart form as an object of its
 * fields, files and other bytes as `{filename, content_type, size, base64}`.
 *
 * @throws AppError 400 or 422 for a body that is not what its type says
 */
export async function parseContent(bytes: Uint8Array, content_type: string | undefined): Promise<Json> {
  const type = parseMediaType(content_type ?? '');
  if (type === 'multipart/form-data') return parseForm(bytes, content_type ?? '');
  const isBinary = BINARY.test(type) && !TEXTUAL.test(type);
  const isText = type === '' || TEXTUAL.test(type) || type === 'application/x-www-form-urlencoded';
  if (bytes.length > 0 && (isBinary || (!isText && !isUtf8(bytes))))
    return toFile(bytes, { filename: '', content_type: type });
  return parseBody(bytes, content_type);
}
