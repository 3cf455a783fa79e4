import { type Json, NodeFailure, readText } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { type FileRecord, fileRecord } from '../kit/files/file-record.ts';
import { createRefusal } from '../kit/integration/refusal.ts';
import { filenameIn, lastPathPart } from '../kit/network/file-name.ts';
import { type ResponseBody, readAsBase64, readBody } from '../kit/network/response-body.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { curlFailure } from '../kit/text/shell-words.ts';
import type { EgressResponse } from '../services.ts';
import { namesFile } from './curl/body/file-word.ts';
import type { CurlCommand } from './curl/command.ts';
import { type Header, hasHeader } from './curl/headers.ts';
import { isOneExpression, parseCurl } from './curl/parse.ts';
import type { Evaluate } from './curl/render.ts';
import { type CurlRequest, renderRequest } from './curl/request.ts';
import { http } from './definition.ts';
import { type PageAnswer, readPages } from './pages/read-pages.ts';

const MAX_TIMEOUT_MS = 300_000;
const MAX_RESPONSE_BYTES = 50 * MEGABYTE;
/** The limit of stored files is lower unless the installation has raised it. */
const MAX_STORED_BYTES = 5 * 1024 * MEGABYTE;

type Call = NodeCall<z.output<typeof http.params>>;
type Answer = ResponseBody & { readonly file?: FileRecord };

export const runHttp = implement(http, async (call) => {
  const { node, services } = call;
  const command = readCommand(node.data['curl'], call.evaluate);
  if (command.ignored.length > 0) {
    services.log('warn', `curl options without effect: ${[...new Set(command.ignored)].join(' ')}`);
  }
  const { evaluate, isBearer } = call;
  const rendered = await renderRequest(command, { evaluate, isBearer, files: services.files });
  const { responseBody, pagination } = call.params;
  if (responseBody === 'read' && pagination !== 'off') return { output: await requestPages(call, rendered) };
  const request = withIdempotencyKey(rendered, call);
  const response = await send(call, request);
  const output = await buildOutput(call, request, response);
  if (call.params.failOnErrorStatus && output.status >= 400)
    throw refusedBy(new URL(response.url).host, output);
  return { output };
});

function send({ services, signal, params }: Call, request: CurlRequest): Promise<EgressResponse> {
  return services.http.request({
    ...request,
    timeout_ms: Math.min(request.timeout_ms ?? MAX_TIMEOUT_MS, MAX_TIMEOUT_MS),
    max_response_bytes: params.responseBody === 'file' ? MAX_STORED_BYTES : MAX_RESPONSE_BYTES,
    signal,
  });
}

/** One output with the pages of a list. A first page that is refused is an answer like that of a single request. */
async function requestPages(call: Call, rendered: CurlRequest) {
  if (rendered.body !== undefined && typeof rendered.body !== 'string')
    throw refusedParam('pagination', 'is for requests that send no file');
  const build = ({ status, headers, body, body_encoding }: PageAnswer) => ({
    status,
    headers,
    body,
    ...(body_encoding === undefined ? {} : { body_encoding }),
    request: describeRequest(rendered),
  });
  const refused = (answer: PageAnswer) => refusedBy(new URL(answer.url).host, build(answer));
  const ask = (request: CurlRequest, page: number) =>
    readPage(call, withIdempotencyKey(request, call, page === 1 ? '' : `-${page}`));
  const read = await readPages({ call, ask, refused }, rendered, MAX_RESPONSE_BYTES);
  if ('list' in read) {
    const { last, list, pages, has_more } = read;
    const { body_encoding: _, ...answer } = build(last);
    return { ...answer, body: list, pages, has_more };
  }
  if (call.params.failOnErrorStatus && read.status >= 400) throw refused(read);
  return build(read);
}

async function readPage(call: Call, request: CurlRequest): Promise<PageAnswer> {
  const response = await send(call, request);
  let size_bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of response.body) {
      size_bytes += chunk.length;
      yield chunk;
    }
  }
  const { status, url, headers } = response;
  return { status, url, headers, ...(await readBody({ ...response, body: counted() })), size_bytes };
}

/** The word may be missing; then it begins with an option, or with the address and an option behind it. */
const LOOKS_LIKE_COMMAND = /^\s*(?:curl(?:\.exe)?\s|-|https?:\/\/\S+\s+-)/i;

/** The command as written; a field that is one expression may bring a whole command, whose text is taken as it is. */
function readCommand(stored: Json | undefined, evaluate: Evaluate): CurlCommand {
  const written = readText(stored);
  if (!isOneExpression(written)) return parseCurl(written);
  const value = evaluate(written.trim(), 'template');
  // A text that came as data is no template: a `$` in it is a character.
  if (typeof value !== 'string' || !LOOKS_LIKE_COMMAND.test(value)) return parseCurl(written);
  const command = parseCurl(value, { literal: true });
  // Else data from outside could choose which files of the owner are sent, and to whom.
  if (command.pieces.some(namesFile)) {
    throw curlFailure(
      'a command that an expression gives cannot name files; write the command here, with an expression for the file only',
    );
  }
  return command;
}

/** The answer is beside the error, for those who continue with it. */
function refusedBy(host: string, output: Awaited<ReturnType<typeof buildOutput>>): NodeFailure {
  const { failure } = createRefusal(host, output, { sign_in: 'curl' });
  return new NodeFailure({ ...failure, details: output });
}

async function buildOutput(call: Call, request: CurlRequest, response: EgressResponse) {
  return {
    status: response.status,
    headers: response.headers,
    ...(await readAnswer(call, request, response)),
    request: describeRequest(request),
  };
}

function describeRequest({ method, url, headers }: CurlRequest) {
  return { method, url, headers: headerObject(headers) };
}

/** The body of an answer as the node is set to hand it on; that of a refusal is always read, for it says why. */
async function readAnswer(call: Call, { method }: CurlRequest, response: EgressResponse): Promise<Answer> {
  const { responseBody } = call.params;
  const { status } = response;
  const isRefusal = status < 200 || status >= 300;
  if (responseBody === 'base64' && !isRefusal) return readAsBase64(response);
  if (responseBody !== 'file') return readBody(response);
  const isEmpty = method === 'HEAD' || status === 204 || status === 205;
  return isRefusal || isEmpty ? readBody({ ...response, body: bounded(response) }) : saveBody(call, response);
}

/** A body that becomes part of the data of the run, of a request whose answer may be longer. */
async function* bounded({ body, url }: EgressResponse): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) {
      const message = `${new URL(url).host}: the answer is larger than ${MAX_RESPONSE_BYTES / MEGABYTE} MB`;
      throw new NodeFailure({ kind: 'upstream', message, final: true });
    }
    yield chunk;
  }
}

/** A node that is repeated finds the file that it stored before, whose body is not read then. */
async function saveBody({ services, idempotency_key: key }: Call, response: EgressResponse): Promise<Answer> {
  const body = response.body[Symbol.asyncIterator]();
  const named = filenameIn(response.headers['content-disposition'] ?? '');
  const filename = named ?? lastPathPart(new URL(response.url)) ?? 'file';
  try {
    const chunks = { [Symbol.asyncIterator]: () => body };
    return { body: null, file: fileRecord(await services.files.store({ filename, body: chunks, key })) };
  } catch (error) {
    if (!(error instanceof NodeFailure) || error.failure.kind !== 'params') throw error;
    throw refusedParam('responseBody', `the answer could not be saved as "${filename}": ${error.message}`);
  } finally {
    await body.return?.();
  }
}

/** A request that may be sent again after a crash names itself, so that a server which honours the key applies it once. */
function withIdempotencyKey(
  request: CurlRequest,
  { params, idempotency_key }: Call,
  suffix = '',
): CurlRequest {
  const isRepeatable = params.onUnknownOutcome === 'repeat' && ['POST', 'PATCH'].includes(request.method);
  if (!isRepeatable || hasHeader(request.headers, 'idempotency-key')) return request;
  return { ...request, headers: [...request.headers, ['Idempotency-Key', idempotency_key + suffix]] };
}

function headerObject(headers: readonly Header[]): Record<string, string> {
  const result: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) {
    result[name] = result[name] === undefined ? value : `${result[name]}, ${value}`;
  }
  return result;
}
