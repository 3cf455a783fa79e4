// A provider of models that costs next to nothing: it asks for the first tool that it is offered and then answers, in as many
// tokens and after as long as the name of the model says: `tokens-1000`, `waits-500` (milliseconds).
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_767_323_045, model: 'bench' };
const frame = (choices, more) => `data: ${JSON.stringify({ ...HEAD, choices, ...more })}\n\n`;
const delta = (part, finish_reason = null) => frame([{ index: 0, delta: part, finish_reason }]);
const USAGE = frame([], { usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } });
const END = `${USAGE}data: [DONE]\n\n`;

function* framesFor({ model, tools = [], messages }) {
  yield delta({ role: 'assistant', content: '' });
  const tool = messages.at(-1)?.role === 'tool' ? undefined : tools[0]?.function;
  if (tool) {
    const [name = ''] = Object.keys(tool.parameters.properties ?? {});
    const asked = { name: tool.name, arguments: JSON.stringify({ [name]: 'hello' }) };
    yield delta({ tool_calls: [{ index: 0, id: 'use_1', type: 'function', function: asked }] });
    yield delta({}, 'tool_calls') + END;
    return;
  }
  const [, count = '5'] = /^tokens-(\d+)$/.exec(model) ?? [];
  for (let at = 0; at < Number(count); at++) yield delta({ content: 'word ' });
  yield delta({}, 'stop') + END;
}

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  request.once('end', async () => {
    const body = JSON.parse(text);
    const [, wait] = /^waits-(\d+)$/.exec(body.model) ?? [];
    if (wait) await pause(Number(wait));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const each of framesFor(body)) {
      response.write(each);
      // Each token is a packet.
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`${JSON.stringify({ msg: 'millrace is serving', address })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
