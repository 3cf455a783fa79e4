import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call as the server saw it. */
export interface SeenCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it came. */
  readonly text: string;
  /** Parsed JSON; undefined when there was no body, or one of another kind. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Resolves when the connection of the call is gone. */
  readonly closed: Promise<void>;
}

export interface FakeReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one after another, each as a packet of its own; a promise holds up the rest until it is fulfilled. */
  readonly chunks: readonly (string | Uint8Array | Promise<void>)[];
  /** `drop`: the connection is destroyed. `hang`: nothing more comes. */
  readonly end?: 'close' | 'drop' | 'hang';
}

export interface FakeProvider {
  readonly url: string;
  readonly seen: SeenCall[];
  stop(): void;
}

/** A real HTTP server in the place of a provider. `reply` gets the number of the call, from 0. */
export async function startFakeProvider(
  reply: (call: SeenCall, count: number) => FakeReply,
): Promise<FakeProvider> {
  const seen: SeenCall[] = [];
  const server: Server = createServer((request, response) => {
    void receive(request, response).then((call) => {
      seen.push(call);
      return answer(response, reply(call, seen.length - 1));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<SeenCall> {
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const isForm = headers['content-type']?.startsWith('multipart/') === true;
  const body = text === '' || isForm ? undefined : (JSON.parse(text) as Record<string, unknown>);
  return { method: request.method ?? '', path: request.url ?? '', headers, text, body, closed };
}

async function answer(response: ServerResponse, { status = 200, headers, chunks, end }: FakeReply) {
  response.writeHead(status, { 'content-type': 'text/event-stream', ...headers });
  response.flushHeaders();
  for (const chunk of chunks) {
    if (chunk instanceof Promise) {
      await chunk;
      continue;
    }
    response.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (end === 'drop') response.destroy();
  else if (end !== 'hang') response.end();
}

/** A refusal in JSON. */
export const refuse = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): FakeReply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  chunks: [typeof body === 'string' ? body : JSON.stringify(body)],
});

/** An answer in JSON. */
export const json = (body: unknown): FakeReply => refuse(200, body);

interface Told {
  readonly finish?: string;
  readonly usage?: readonly [input: number, output: number];
  /** Tokens of the prompt that were in the cache: a part of the input of the Responses API, and beside that of Anthropic. */
  readonly cached?: number;
  /** Tokens of the prompt that were put into the cache, beside the input; told by Anthropic alone. */
  readonly written?: number;
  /** A thought before its words, as the Responses API gives it out encrypted. */
  readonly thought?: string;
  /** Tools that the model asks for after its words, each with its arguments as JSON text in one or two pieces. */
  readonly tools?: readonly ToldTool[];
}

export interface ToldTool {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/**
 * Chat Completions as OpenAI streams them (platform.openai.com/docs/api-reference/chat-streaming): a first chunk with the
 * role, one per piece, one with the reason, one with the usage and no choices, and `[DONE]`.
 */
export function chatStream(
  pieces: readonly string[],
  { tools = [], finish = tools.length > 0 ? 'tool_calls' : 'stop', usage = [12, 5] }: Told = {},
): string[] {
  const chunk = (choices: unknown[], more: object = {}) =>
    event({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_767_323_045,
      model: 'served-model-2026-01-01',
      choices,
      ...more,
    });
  const [prompt_tokens, completion_tokens] = usage;
  return [
    chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
    ...pieces.map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }])),
    ...tools.flatMap(({ id, name, arguments: text }, index) =>
      [
        { index, id, type: 'function', function: { name, arguments: '' } },
        { index, function: { arguments: text.slice(0, 3) } },
        { index, function: { arguments: text.slice(3) } },
      ].map((call) => chunk([{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }])),
    ),
    chunk([{ index: 0, delta: {}, finish_reason: finish }]),
    chunk([], {
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    }),
    'data: [DONE]\n\n',
  ];
}

/** Messages as Anthropic streams them (docs.anthropic.com/en/api/messages-streaming), with its `ping` in between. */
export function messageStream(
  pieces: readonly string[],
  {
    tools = [],
    finish = tools.length > 0 ? 'tool_use' : 'end_turn',
    usage = [12, 5],
    cached = 0,
    written = 0,
  }: Told = {},
): string[] {
  const [input_tokens, output_tokens] = usage;
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'served-model',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens,
      cache_creation_input_tokens: written,
      cache_read_input_tokens: cached,
      output_tokens: 1,
    },
  };
  return [
    event({ type: 'message_start', message }, 'message_start'),
    event(
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      'content_block_start',
    ),
    event({ type: 'ping' }, 'ping'),
    ...pieces.map((text) =>
      event(
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
        'content_block_delta',
      ),
    ),
    event({ type: 'content_block_stop', index: 0 }, 'content_block_stop'),
    ...tools.flatMap(({ id, name, arguments: text }, at) => toolBlock(at + 1, { id, name, text })),
    event(
      {
        type: 'message_delta',
        delta: { stop_reason: finish, stop_sequence: null },
        usage: { output_tokens },
      },
      'message_delta',
    ),
    event({ type: 'message_stop' }, 'message_stop'),
  ];
}

function toolBlock(index: number, { id, name, text }: { id: string; name: string; text: string }): string[] {
  const piece = (partial_json: string) =>
    event(
      { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } },
      'content_block_delta',
    );
  return [
    event(
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
      'content_block_start',
    ),
    piece(''),
    piece(text.slice(0, 3)),
    piece(text.slice(3)),
    event({ type: 'content_block_stop', index }, 'content_block_stop'),
  ];
}

/** `streamGenerateContent?alt=sse` as Google streams it (ai.google.dev/api/generate-content), with CRLF between events. */
export function contentStream(
  pieces: readonly string[],
  { tools = [], finish = 'STOP', usage = [12, 5] }: Told = {},
): string[] {
  const [promptTokenCount, candidatesTokenCount] = usage;
  const usageMetadata = {
    promptTokenCount,
    candidatesTokenCount,
    totalTokenCount: promptTokenCount + candidatesTokenCount,
  };
  const chunk = (candidate: object) =>
    `data: ${JSON.stringify({ candidates: [{ index: 0, ...candidate }], usageMetadata, modelVersion: 'served' })}\r\n\r\n`;
  return [
    ...pieces.map((text) => chunk({ content: { role: 'model', parts: [{ text }] } })),
    ...tools.map(({ id, name, arguments: text }) =>
      chunk({
        content: {
          role: 'model',
          parts: [{ functionCall: { id, name, args: JSON.parse(text) }, thoughtSignature: `signed-${id}` }],
        },
      }),
    ),
    chunk({ content: { role: 'model', parts: [{ text: '' }] }, finishReason: finish }),
  ];
}

/**
 * The Responses API as OpenAI streams it (platform.openai.com/docs/api-reference/responses-streaming): each item is added, grows
 * and is done, and the last event has the usage. `finish` is the reason of an answer that is not whole.
 */
export function responseStream(
  pieces: readonly string[],
  { tools = [], finish, usage = [12, 5], cached = 0, thought }: Told = {},
): string[] {
  let sequence_number = 0;
  const send = (type: string, data: object) =>
    event({ type, sequence_number: sequence_number++, ...data }, type);
  const [input_tokens, output_tokens] = usage;
  const response = (status: string, more: object = {}) => ({
    response: {
      id: 'resp_1',
      object: 'response',
      created_at: 1_767_323_045,
      model: 'served-model',
      status,
      error: null,
      incomplete_details: null,
      output: [],
      usage: null,
      ...more,
    },
  });
  const items = [
    ...(thought === undefined ? [] : [thoughtItem(thought)]),
    ...(pieces.length === 0 ? [] : [messageItem(pieces)]),
    ...tools.map(callItem),
  ];
  return [
    send('response.created', response('in_progress')),
    send('response.in_progress', response('in_progress')),
    ...items.flatMap((item, output_index) => [
      send('response.output_item.added', { output_index, item: item.added }),
      ...item.growing.map(({ type, ...data }) =>
        send(type, { item_id: item.added.id, output_index, ...data }),
      ),
      send('response.output_item.done', { output_index, item: item.done }),
    ]),
    send(
      finish === undefined ? 'response.completed' : 'response.incomplete',
      response(finish === undefined ? 'completed' : 'incomplete', {
        incomplete_details: finish === undefined ? null : { reason: finish },
        usage: {
          input_tokens,
          input_tokens_details: { cached_tokens: cached },
          output_tokens,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: input_tokens + output_tokens,
        },
      }),
    ),
  ];
}

interface ResponseItem {
  readonly added: Readonly<Record<string, unknown>> & { readonly id: string };
  /** Events between the two, without the place of the item. */
  readonly growing: readonly (Readonly<Record<string, unknown>> & { readonly type: string })[];
  readonly done: object;
}

function thoughtItem(encrypted_content: string): ResponseItem {
  const item = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content };
  return { added: { ...item }, growing: [], done: item };
}

function messageItem(pieces: readonly string[]): ResponseItem {
  const item = { id: 'msg_1', type: 'message', role: 'assistant' };
  const content_index = 0;
  const part = { type: 'output_text', text: pieces.join(''), annotations: [] };
  return {
    added: { ...item, status: 'in_progress', content: [] },
    growing: [
      { type: 'response.content_part.added', content_index, part: { ...part, text: '' } },
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', content_index, delta, logprobs: [] })),
      { type: 'response.output_text.done', content_index, text: part.text, logprobs: [] },
      { type: 'response.content_part.done', content_index, part },
    ],
    done: { ...item, status: 'completed', content: [part] },
  };
}

function callItem({ id, name, arguments: text }: ToldTool): ResponseItem {
  const item = { id: `fc_${id}`, type: 'function_call', call_id: id, name };
  return {
    added: { ...item, status: 'in_progress', arguments: '' },
    growing: [
      { type: 'response.function_call_arguments.delta', delta: text.slice(0, 3) },
      { type: 'response.function_call_arguments.delta', delta: text.slice(3) },
      { type: 'response.function_call_arguments.done', arguments: text },
    ],
    done: { ...item, status: 'completed', arguments: text },
  };
}
