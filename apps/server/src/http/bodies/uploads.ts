import type { Readable } from 'node:stream';
import multipart, { type MultipartFields } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../core/app-error.ts';
import { refuseEncodings } from './encodings.ts';

/** A file as it arrives; only the parser of this module makes one, so that no JSON body can pose as a file. */
export interface Upload {
  /** As the sender names it; a label, never a path. */
  readonly filename: string;
  /** As the sender claims. */
  readonly mime_type: string;
  readonly stream: AsyncIterable<Uint8Array>;
  /** A text field of the form that came before the file. */
  field(name: string): string | undefined;
}

const RAW_TYPES = ['application/zip', 'application/x-zip-compressed', 'application/octet-stream'];
const LARGEST_FIELD = 64 * 1024;

const MULTIPART = {
  limits: { files: 1, fields: 16, parts: 20, fieldSize: LARGEST_FIELD, fieldNameSize: 100, headerPairs: 100 },
  throwFileSizeLimit: false,
  // Browsers send names in UTF-8 without saying so.
  defParamCharset: 'utf8',
} as const;

/**
 * A scope whose routes take multipart forms and raw bytes as streams; nothing is read before the handler asks for it. The
 * parser of forms adds work to each request, which other routes must not pay for. In an object, because an instance has a
 * `then` of its own, which a promise would call.
 */
export async function openUploads(app: FastifyInstance): Promise<{ readonly uploads: FastifyInstance }> {
  let uploads = app;
  await app.register(async (scope) => {
    refuseEncodings(scope, 'none');
    await scope.register(multipart, MULTIPART);
    for (const type of RAW_TYPES)
      scope.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
    uploads = scope;
  });
  return { uploads };
}

function textField(fields: MultipartFields, name: string): string | undefined {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const single = Array.isArray(field) ? field[0] : field;
  return single?.type === 'field' && typeof single.value === 'string' ? single.value : undefined;
}

/** The parser throws plain errors at what the sender did wrong, and nothing of ours runs inside it. */
function malformed(cause: unknown): AppError {
  const { statusCode } = cause as { statusCode?: number };
  if (statusCode === 413) return new AppError('too_large', 'The form has too many parts', { cause });
  return new AppError('bad_request', 'The upload is damaged or was cut off', { cause });
}

async function* received(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw malformed(error);
  }
}

const noForm = () => new AppError('unsupported_media_type', 'Send the file as multipart/form-data');

/** The file of an endpoint that takes it as `form`: the part `file`. */
export async function requireFormFile(request: FastifyRequest, max_bytes: number): Promise<Upload> {
  if (!request.isMultipart()) throw noForm();
  const part = await request
    .file({ limits: { fileSize: max_bytes + 1 } })
    .catch((error: unknown) => Promise.reject(malformed(error)));
  if (!part) throw new AppError('bad_request', 'Send the file as the form field "file"');
  const field = (name: string) => textField(part.fields, name);
  return { filename: part.filename, mime_type: part.mimetype, stream: received(part.file), field };
}

/** The file of an endpoint that takes it as `form_or_body`: the part `file`, or the body itself. */
export async function requireUpload(request: FastifyRequest, max_bytes: number): Promise<Upload> {
  if (request.isMultipart()) return requireFormFile(request, max_bytes);
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!RAW_TYPES.includes(type)) throw noForm();
  const stream = received(request.body as Readable);
  return { filename: 'upload', mime_type: type, stream, field: () => undefined };
}
