// The yardstick of agents: the library of the provider in a loop with one tool, behind a bare Fastify. MODEL_URL names the provider.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Fastify from 'fastify';

const provider = createOpenAICompatible({
  baseURL: process.env.MODEL_URL,
  name: 'bench',
  includeUsage: true,
});
const model = provider(process.env.MODEL ?? 'bench');
const TOOLS = [
  {
    type: 'function',
    name: 'note',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
];

async function readAnswer(prompt) {
  const { stream } = await model.doStream({ prompt, tools: TOOLS });
  let text = '';
  const calls = [];
  for await (const part of stream) {
    if (part.type === 'text-delta') text += part.delta;
    if (part.type === 'tool-call') calls.push(part);
  }
  return { text, calls };
}

async function takeTurn(question) {
  const prompt = [{ role: 'user', content: [{ type: 'text', text: question }] }];
  for (;;) {
    const { text, calls } = await readAnswer(prompt);
    if (calls.length === 0) return text;
    const asked = calls.map(({ toolCallId, toolName, input }) => {
      return { type: 'tool-call', toolCallId, toolName, input: JSON.parse(input) };
    });
    const results = asked.map(({ toolCallId, toolName, input }) => {
      return { type: 'tool-result', toolCallId, toolName, output: { type: 'json', value: input } };
    });
    prompt.push({ role: 'assistant', content: asked }, { role: 'tool', content: results });
  }
}

const app = Fastify();
app.post('/turn', async (request) => ({ text: await takeTurn(request.body.text) }));
const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ msg: 'millrace is serving', address })}\n`);
process.on('SIGTERM', () => process.exit(0));
