// A language model behind the API of OpenAI, for tests (platform.openai.com/docs/api-reference): chat with streams, JSON Schema
// and tools, embeddings, models. `node e2e/model/server.mjs` prints its base URL.
//
// The model answers only what `train.py` has taught it. What a grammar demands (JSON Schema, arguments of tools) holds
// for every prompt.
import { createServer } from 'node:http';
import { MODEL_ENGINE } from '../../tools/test/services.mjs';

const { getLlama, LlamaCompletion } = await import(
  new URL('node-llama-cpp/dist/index.js', MODEL_ENGINE).href
);
const CONTEXT_TOKENS = 1_024;
const LONGEST_ANSWER_TOKENS = 256;

// With a thread per processor it is forty times slower on processors that others use.
const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 1, logLevel: 'error' });
const model = await llama.loadModel({ modelPath: new URL('tiny.gguf', import.meta.url).pathname });
const context = await model.createContext({ contextSize: CONTEXT_TOKENS, threads: 1 });
const sequence = context.getSequence();
const embeddings = await model.createEmbeddingContext({ threads: 1 });

const control = (text) => model.tokenize(text, true);
const words = (text) => model.tokenize(text, false);

/** The text of a message, whose content is a text, a list of parts, or null beside calls of tools. */
const readText = ({ content }) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');

function buildPrompt(messages) {
  const turns = messages.flatMap((message) => [
    ...control('<|im_start|>'),
    ...words(`${message.role}\n${readText(message)}`),
    ...control('<|im_end|>'),
    ...words('\n'),
  ]);
  return [...turns, ...control('<|im_start|>'), ...words('assistant\n')];
}

class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

/** The tools that the model must choose from: none when it has just been told what one returned. */
function listTools({ tools = [], tool_choice, messages }) {
  if (tool_choice === 'none' || messages.at(-1)?.role === 'tool') return [];
  return tools.map((tool) => tool.function);
}

async function createGrammar(body, tools) {
  if (tools.length > 0) {
    const calls = tools.map(({ name, parameters }) => ({
      type: 'object',
      properties: { name: { const: name }, arguments: parameters },
    }));
    return llama.createGrammarForJsonSchema(calls.length === 1 ? calls[0] : { oneOf: calls });
  }
  if (body.response_format?.type === 'json_schema')
    return llama.createGrammarForJsonSchema(body.response_format.json_schema.schema);
  if (body.response_format?.type === 'json_object') return llama.getGrammarFor('json');
  return undefined;
}

/** The model computes one answer at a time; the others wait. */
let turn = Promise.resolve();

/** Generates an answer and hands on its pieces. Stops when the signal aborts. */
function generate(body, tools, { signal, onText }) {
  const prompt = buildPrompt(body.messages);
  const room = CONTEXT_TOKENS - prompt.length;
  if (room < 1)
    throw new Refusal(
      400,
      'context_length_exceeded',
      `This model's maximum context length is ${CONTEXT_TOKENS} tokens. However, your messages resulted in ${prompt.length} tokens.`,
    );
  const asked = body.max_completion_tokens ?? body.max_tokens ?? LONGEST_ANSWER_TOKENS;
  const answer = turn.then(async () => {
    const grammar = await createGrammar(body, tools);
    await sequence.clearHistory();
    const completion = new LlamaCompletion({ contextSequence: sequence, autoDisposeSequence: false });
    let written = 0;
    try {
      const { response, metadata } = await completion.generateCompletionWithMeta(prompt, {
        maxTokens: Math.min(asked, room),
        temperature: body.temperature ?? 0,
        repeatPenalty: false,
        customStopTriggers: ['<|im_end|>'],
        stopOnAbortSignal: true,
        signal,
        grammar,
        onToken: (tokens) => {
          written += tokens.length;
        },
        onTextChunk: onText,
      });
      const usage = { prompt_tokens: prompt.length, completion_tokens: written };
      return {
        text: response,
        finish: metadata.stopReason === 'maxTokens' ? 'length' : 'stop',
        usage: { ...usage, total_tokens: prompt.length + written },
      };
    } finally {
      completion.dispose();
    }
  });
  turn = answer.then(
    () => undefined,
    () => undefined,
  );
  return answer;
}

let calls = 0;
const parseCalls = (text) => {
  const { name, arguments: input } = JSON.parse(text);
  calls += 1;
  return [{ id: `call_${calls}`, type: 'function', function: { name, arguments: JSON.stringify(input) } }];
};

const createHead = (object) => ({
  id: `chatcmpl-${calls}`,
  object,
  created: Math.floor(Date.now() / 1000),
  model: 'tiny',
});

function writeJson(response, body, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function complete(body, response, signal) {
  const tools = listTools(body);
  const { text, finish, usage } = await generate(body, tools, { signal });
  const message =
    tools.length > 0
      ? { role: 'assistant', content: null, tool_calls: parseCalls(text) }
      : { role: 'assistant', content: text };
  const finish_reason = tools.length > 0 ? 'tool_calls' : finish;
  writeJson(response, {
    ...createHead('chat.completion'),
    choices: [{ index: 0, message, finish_reason }],
    usage,
  });
}

async function stream(body, response, signal) {
  const tools = listTools(body);
  const write = (choices, more) =>
    response.write(
      `data: ${JSON.stringify({ ...createHead('chat.completion.chunk'), choices, ...more })}\n\n`,
    );
  const writeDelta = (delta, finish_reason = null) => write([{ index: 0, delta, finish_reason }]);
  const begin = () => {
    if (response.headersSent) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    writeDelta({ role: 'assistant', content: '' });
  };
  const { text, finish, usage } = await generate(body, tools, {
    signal,
    onText: (content) => {
      begin();
      if (tools.length === 0) writeDelta({ content });
    },
  });
  begin();
  if (tools.length > 0)
    writeDelta({ tool_calls: parseCalls(text).map((call, index) => ({ index, ...call })) });
  writeDelta({}, tools.length > 0 ? 'tool_calls' : finish);
  if (body.stream_options?.include_usage) write([], { usage });
  response.end('data: [DONE]\n\n');
}

async function embed({ input }, response) {
  const texts = [input].flat();
  const data = [];
  for (const [index, text] of texts.entries()) {
    const { vector } = await embeddings.getEmbeddingFor(text);
    data.push({ object: 'embedding', index, embedding: [...vector] });
  }
  const tokens = texts.reduce((sum, text) => sum + words(text).length, 0);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  writeJson(response, { object: 'list', model: 'tiny', data, usage });
}

async function readBody(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return JSON.parse(text || '{}');
}

async function serve(request, response) {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const body = await readBody(request);
  switch (request.url) {
    case '/v1/models':
      return writeJson(response, { object: 'list', data: [{ id: 'tiny', object: 'model' }] });
    case '/v1/embeddings':
      return embed(body, response);
    case '/v1/chat/completions':
      return body.stream ? stream(body, response, gone.signal) : complete(body, response, gone.signal);
    default:
      throw new Refusal(404, 'not_found', `Unknown path: ${request.url}`);
  }
}

const server = createServer((request, response) => {
  serve(request, response).catch(({ message, status = 500, code = 'server_error' }) => {
    if (response.headersSent) response.destroy();
    else writeJson(response, { error: { message, code, type: 'invalid_request_error' } }, status);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/v1\n`);
});
// The process that has started it holds the other end, and ends it by ending.
process.stdin.on('end', () => process.exit()).resume();
