import type { Workflow } from '@millrace/contracts';
import type { Json } from '@millrace/engine';
import { printValue } from '@millrace/engine/json';

export interface CallRequest {
  base_url: string;
  workflow: Pick<Workflow, 'id' | 'http_method' | 'auth_type' | 'auth_header_key' | 'sse_enabled'>;
  body: Json;
  token: string | undefined;
  header_value: string | undefined;
}

export interface Call {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const sendsBody = (method: string) => method === 'POST' || method === 'PUT';

function asQuery(body: Json): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return '';
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(body)) query.set(key, printValue(value));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** The call exactly as an outside caller makes it (§4.1). */
export function buildCall({ base_url, workflow, body, token, header_value }: CallRequest): Call {
  const stream = workflow.sse_enabled;
  const method = stream ? 'POST' : workflow.http_method;
  const withBody = sendsBody(method);
  const headers: Record<string, string> = {};
  if (withBody) headers['Content-Type'] = 'application/json';
  if (stream) headers['Accept'] = 'text/event-stream';
  if (workflow.auth_type === 'jwt') headers['Authorization'] = `Bearer ${token ?? '<EXECUTION_TOKEN>'}`;
  if (workflow.auth_type === 'header_auth' && workflow.auth_header_key) {
    headers[workflow.auth_header_key] = header_value || '<VALUE>';
  }
  const path = `/api/workflows/${workflow.id}/execute${stream ? '/stream' : ''}`;
  return {
    method,
    url: `${base_url}${path}${withBody ? '' : asQuery(body)}`,
    headers,
    body: withBody ? JSON.stringify(body) : undefined,
  };
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function asCurl(call: Call): string {
  const lines = [`curl -X ${call.method} ${shellQuote(call.url)}`];
  for (const [name, value] of Object.entries(call.headers))
    lines.push(`-H ${shellQuote(`${name}: ${value}`)}`);
  if (call.headers['Accept']) lines.push('-N');
  if (call.body !== undefined) lines.push(`-d ${shellQuote(call.body)}`);
  return lines.join(' \\\n  ');
}

export function asJavaScript(call: Call): string {
  const options = {
    method: call.method,
    headers: call.headers,
    ...(call.body === undefined ? {} : { body: call.body }),
  };
  return `const response = await fetch(${JSON.stringify(call.url)}, ${JSON.stringify(options, null, 2)});\nconsole.log(await response.${call.headers['Accept'] ? 'text' : 'json'}());`;
}

export function asPython(call: Call): string {
  const request = [
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(call.url)},`,
    `    method=${JSON.stringify(call.method)},`,
    `    headers=${JSON.stringify(call.headers)},`,
    ...(call.body === undefined ? [] : [`    data=${JSON.stringify(call.body)}.encode(),`]),
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    print(response.read().decode())',
  ];
  return request.join('\n');
}
