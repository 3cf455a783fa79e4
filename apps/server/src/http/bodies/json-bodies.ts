import { isBlockedKey, parseExactJson } from '@millrace/engine';
import type { FastifyInstance } from 'fastify';
import { AppError, invalidField } from '../../core/app-error.ts';
import { requireParsable } from '../../core/documents/json-limits.ts';
import { type HttpExchange, hasBody, type ReadBody } from './read-body.ts';

type Path = (string | number)[];

interface Open {
  readonly value: object;
  readonly path: Path;
}

/** @throws AppError `invalid_input` whose `loc` leads to the first such key */
function requireSafeKeys(root: unknown): void {
  if (typeof root !== 'object' || root === null) return;
  const open: Open[] = [{ value: root, path: ['body'] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const isList = Array.isArray(next.value);
    for (const [key, value] of Object.entries(next.value)) {
      const path = [...next.path, isList ? Number(key) : key];
      if (!isList && isBlockedKey(key))
        throw invalidField(path, `"${key}" is not allowed as a key`, 'key_forbidden');
      if (typeof value === 'object' && value !== null) open.push({ value: value as object, path });
    }
  }
}

/** Most texts hold nothing that could be such a key, escaped or not, and need no second look. */
const SUSPICIOUS = /__proto__|constructor|prototype|\\u00/i;

/** Wide enough for the largest graph, whose data may nest a hundred levels deep when it is imported. */
const LIMITS = { depth: 200, values: 1_000_000 } as const;

function invalidJson(): AppError {
  const msg = 'is not valid JSON; check quotes, commas and brackets';
  return new AppError('invalid_input', 'The body is not valid JSON', {
    detail: [{ loc: ['body'], msg, type: 'json_invalid' }],
  });
}

/**
 * Parses a body, and looks before it parses: millions of nested lists would keep the process busy for seconds and take
 * gigabytes. No bytes are no body, for many clients name a type with everything they send.
 *
 * @throws AppError `invalid_input` whose `loc` leads to what is wrong
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  requireParsable(bytes, LIMITS);
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  let body: unknown;
  try {
    body = parseExactJson(text);
  } catch {
    throw invalidJson();
  }
  if (SUSPICIOUS.test(text)) requireSafeKeys(body);
  return body;
}

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** The JSON body of a request; undefined when there is none. */
export async function readJsonBody(
  readBody: ReadBody,
  http: HttpExchange,
  max_bytes: number,
): Promise<unknown> {
  const isJson = JSON_TYPE.test(http.request.headers['content-type'] ?? '');
  if (!isJson && hasBody(http.request.raw)) {
    throw new AppError('unsupported_media_type', 'Send JSON with Content-Type: application/json');
  }
  return parseJsonBody(await readBody(http, max_bytes));
}

/** No body is read before its handler asks for it, which it does once it knows the caller. */
export function leaveBodiesUnread(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // The common type by name: the catch-all has to take the header of every request apart first.
  for (const type of ['application/json', '*']) {
    app.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
  }
}
