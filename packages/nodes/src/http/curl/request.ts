import { curlFailure } from '../../kit/text/shell-words.ts';
import { parseNumber } from '../../kit/values/numeric.ts';
import type { BodyStream } from '../../services.ts';
import { renderBody, renderQuery } from './body/body.ts';
import type { CurlCommand } from './command.ts';
import { findMethod } from './effect.ts';
import { type Header, hasHeader, renderHeaders } from './headers.ts';
import { type Evaluate, type Rendering, renderWord } from './render.ts';
import { renderUrl } from './url.ts';

/** The request of a curl command, with all expressions evaluated. */
export interface CurlRequest {
  method: string;
  url: string;
  headers: Header[];
  body?: string | BodyStream;
  follow_redirects: boolean;
  insecure: boolean;
  /** From `-m`, in milliseconds. */
  timeout_ms?: number;
}

/** Evaluates a command, part by part. Fails with kind `params` and field `curl`. */
export async function renderRequest(command: CurlCommand, rendering: Rendering): Promise<CurlRequest> {
  const { evaluate } = rendering;
  const url = renderUrl(command.url, evaluate);
  const headers = renderHeaders(command, url, rendering);
  // It travels as a header instead.
  url.username = '';
  url.password = '';
  const request: CurlRequest = {
    method: renderMethod(command, evaluate),
    url: url.href,
    headers,
    follow_redirects: command.follow_redirects,
    insecure: command.insecure,
  };
  const added = [...command.query, ...(command.data_in_query ? command.pieces : [])];
  if (added.length > 0) {
    const query = renderQuery(added, evaluate);
    url.search = [url.search.replace(/^\?/, ''), query].filter((part) => part !== '').join('&');
    request.url = url.href;
  }
  if (!command.data_in_query) await addBody(request, command, rendering);
  const timeout = renderTimeout(command, evaluate);
  if (timeout !== undefined) request.timeout_ms = timeout;
  return request;
}

async function addBody(request: CurlRequest, command: CurlCommand, rendering: Rendering): Promise<void> {
  const declared = request.headers.find(([name]) => name.toLowerCase() === 'content-type');
  const body = await renderBody(command.pieces, rendering, declared?.[1]);
  if (!body) return;
  request.body = body.content;
  if (command.puts_file && body.filename !== undefined) request.url = named(request.url, body.filename);
  if (declared)
    request.headers[request.headers.indexOf(declared)] = withBoundary(declared, body.content_type);
  else request.headers.push(['Content-Type', body.content_type]);
  if (body.accept && !hasHeader(request.headers, 'accept')) request.headers.push(['Accept', body.accept]);
}

/** curl: a type that is written for a form gets its boundary, without which nothing can read the fields. */
function withBoundary([name, written]: readonly [string, string], content_type: string): [string, string] {
  const boundary = /; boundary=.*$/.exec(content_type)?.[0];
  return [name, boundary === undefined ? written : `${written.replace(/;\s*boundary=.*$/i, '')}${boundary}`];
}

/** curl: an address that ends with a slash is a folder, in which the file gets its name. */
function named(address: string, filename: string): string {
  const url = new URL(address);
  // These two name another folder.
  if (/^\.\.?$/.test(filename)) throw curlFailure(`-T: "${filename}" cannot be the name of a file`);
  if (url.pathname.endsWith('/')) url.pathname += encodeURIComponent(filename);
  return url.href;
}

function renderMethod(command: CurlCommand, evaluate: Evaluate): string {
  const method =
    findMethod(command) ??
    renderWord(command.method ?? [], evaluate)
      .trim()
      .toUpperCase();
  if (!/^[A-Z]+(-[A-Z]+)*$/.test(method) || method.length > 20) {
    throw curlFailure(`"${method.slice(0, 40)}" is not an HTTP method`);
  }
  // These two address a proxy and would show it what the request holds.
  if (method === 'CONNECT' || method === 'TRACE') throw curlFailure(`the method ${method} is not available`);
  return method;
}

function renderTimeout(command: CurlCommand, evaluate: Evaluate): number | undefined {
  if (!command.max_time) return undefined;
  const seconds = parseNumber(renderWord(command.max_time, evaluate));
  if (seconds === undefined || seconds <= 0) throw curlFailure('-m needs a number of seconds');
  return seconds * 1000;
}
