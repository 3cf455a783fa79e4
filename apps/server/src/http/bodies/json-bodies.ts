import type { FastifyInstance } from 'fastify';
import { AppError, invalidField } from '../../core/app-error.ts';
import { requireParsable } from '../../execution/admission/body-limits.ts';

type Path = (string | number)[];

interface Open {
  readonly value: object;
  readonly path: Path;
}

/** Keys that reach a prototype when objects are merged: `__proto__`, and `constructor` with a `prototype` in it. */
function isForbidden(key: string, value: unknown): boolean {
  if (key === '__proto__') return true;
  return (
    key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
  );
}

/** @throws AppError `invalid_input` whose `loc` leads to the first such key */
function requireSafeKeys(root: unknown): void {
  if (typeof root !== 'object' || root === null) return;
  const open: Open[] = [{ value: root, path: ['body'] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const isList = Array.isArray(next.value);
    for (const [key, value] of Object.entries(next.value)) {
      const path = [...next.path, isList ? Number(key) : key];
      if (!isList && isForbidden(key, value))
        throw invalidField(path, `"${key}" is not allowed as a key`, 'key_forbidden');
      if (typeof value === 'object' && value !== null) open.push({ value: value as object, path });
    }
  }
}

/** Most texts hold nothing that could be such a key, escaped or not, and need no second look. */
const SUSPICIOUS = /__proto__|constructor|\\u00/i;

/** Wide enough for the largest graph, whose data may nest a hundred levels deep when it is imported. */
const LIMITS = { depth: 200, values: 1_000_000 } as const;

/**
 * Parses bodies like Fastify does by itself, but says where a forbidden key stands, and looks before it parses: anybody
 * may send a body, and millions of nested lists would keep the process busy for seconds and take gigabytes. No bytes are no
 * body, for many clients name a type with everything they send.
 */
export function installJsonBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null, undefined);
    try {
      requireParsable(bytes, LIMITS);
      const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
      const body: unknown = JSON.parse(text);
      if (SUSPICIOUS.test(text)) requireSafeKeys(body);
      done(null, body);
    } catch (error) {
      done(error as Error, undefined);
    }
  });
}

/**
 * Compressed bodies are refused in words (RFC 9110 section 15.5.16): unpacked here, a small one could hold more than the
 * process does; taken as they are, they would be garbage.
 */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, next) => {
    const encoding = request.headers['content-encoding']?.trim() ?? '';
    if (encoding === '' || encoding.toLowerCase() === 'identity') return next();
    const message = `Send the body as it is, without Content-Encoding: ${encoding.slice(0, 50)}`;
    const headers = { 'Accept-Encoding': 'identity' };
    return next(new AppError('unsupported_media_type', message, { headers }));
  });
}
