import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../core/app-error.ts';
import { readEncoding, unpack } from './encodings.ts';

/** Bytes that request bodies of the whole process may take together. */
export interface BodyBudget {
  /** False, and nothing taken, when that would be too many. */
  take(bytes: number): boolean;
  release(bytes: number): void;
  readonly held: number;
}

export function createBodyBudget(max_bytes: number): BodyBudget {
  let held = 0;
  return {
    take(bytes) {
      if (held + bytes > max_bytes) return false;
      held += bytes;
      return true;
    },
    release(bytes) {
      held -= bytes;
    },
    get held() {
      return held;
    },
  };
}

export interface HttpExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Reads the body of a request. A handler calls it once it knows who asks: until then nothing of a body is kept.
 *
 * @throws AppError `too_large` over the limit, `unavailable` when all bodies together take too much memory
 */
export type ReadBody = (http: HttpExchange, max_bytes: number) => Promise<Buffer>;

const EMPTY = Buffer.alloc(0);
/** A body that is larger counts until its answer is sent, for it lives as long in parsed form. */
const COUNTED_TO_THE_END = 16 * 1024;

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const tooLarge = (max_bytes: number) =>
  new AppError(
    'too_large',
    `The request body is larger than the ${max_bytes} bytes allowed for this endpoint`,
  );

const noMemory = () =>
  new AppError('unavailable', 'Too many large requests are in progress; try again in a moment', {
    headers: { 'Retry-After': '2' },
  });

const cutOff = () => new AppError('bad_request', 'The request body was cut off');

/** Collects what arrives; every byte is taken from the budget before it is kept. */
function collect(raw: IncomingMessage, budget: BodyBudget, max_bytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (): void => {
      raw.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
    };
    const fail = (error: AppError): void => {
      stop();
      raw.pause();
      budget.release(size);
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      if (size + chunk.length > max_bytes) return fail(tooLarge(max_bytes));
      if (!budget.take(chunk.length)) return fail(noMemory());
      size += chunk.length;
      chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
    };
    const onCut = (): void => fail(cutOff());
    raw.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
}

interface Limits {
  readonly budget: BodyBudget;
  readonly max_bytes: number;
}

/** The body as its sender had it. Its bytes count like those of a body that arrived so; no more are unpacked than may be kept. */
async function unpackWithin(
  packed: Buffer,
  encoding: string,
  { budget, max_bytes }: Limits,
): Promise<Buffer> {
  let size = 0;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of unpack(packed, encoding)) {
      if (size + chunk.length > max_bytes) throw tooLarge(max_bytes);
      if (!budget.take(chunk.length)) throw noMemory();
      size += chunk.length;
      chunks.push(chunk);
    }
  } catch (error) {
    budget.release(size);
    throw error;
  } finally {
    budget.release(packed.length);
  }
  return Buffer.concat(chunks, size);
}

/** Makes the headers tell of the body that runs see: one that forwards them would send a wrong length and encoding. */
function describeUnpacked({ headers }: IncomingMessage, body: Buffer): void {
  delete headers['content-encoding'];
  headers['content-length'] = String(body.length);
}

export function createReadBody(budget: BodyBudget): ReadBody {
  return async ({ request, reply }, max_bytes) => {
    const { raw } = request;
    if (!hasBody(raw)) return EMPTY;
    const declared = Number(raw.headers['content-length'] ?? 0);
    if (declared > max_bytes) throw tooLarge(max_bytes);
    const arrived = await collect(raw, budget, max_bytes);
    const encoding = readEncoding(raw);
    const body = encoding === '' ? arrived : await unpackWithin(arrived, encoding, { budget, max_bytes });
    if (encoding !== '') describeUnpacked(raw, body);
    if (body.length <= COUNTED_TO_THE_END || reply.raw.destroyed) budget.release(body.length);
    else reply.raw.once('close', () => budget.release(body.length));
    return body;
  };
}
