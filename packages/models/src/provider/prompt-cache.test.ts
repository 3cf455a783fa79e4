import { expect, onTestFinished, test } from 'vitest';
import { type CompletionRequest, complete } from '../answer/complete.ts';
import type { ModelProvider } from '../model-service.ts';
import { chatStream, contentStream, messageStream, startFakeProvider } from '../testing/fake-provider.ts';
import { openTransport } from '../testing/open-transport.ts';

const STREAMS = {
  openai: chatStream,
  anthropic: messageStream,
  google: contentStream,
  compatible: chatStream,
};
const KEPT = { cache_control: { type: 'ephemeral' } };
const tool = (name: string) => ({ name, description: 'A tool', input_schema: { type: 'object' } });
const TOOLS = [tool('weather'), tool('time')];
const QUESTION = { role: 'user' as const, text: 'Weather?' };
const turn = (id: string): CompletionRequest['messages'] => [
  { role: 'assistant', text: '', tool_calls: [{ id, name: 'weather', arguments: '{"town":"Rome"}' }] },
  { role: 'tool', results: [{ id, name: 'weather', text: `sunny ${id}`, is_error: false }] },
];

interface Body {
  readonly system?: readonly object[];
  readonly tools?: readonly object[];
  readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[];
}

async function captureBody(request: Partial<CompletionRequest>, provider: ModelProvider = 'anthropic') {
  const server = await startFakeProvider(() => ({ chunks: STREAMS[provider](['ok']) }));
  onTestFinished(() => server.stop());
  const service = {
    provider,
    title: 'The provider',
    service: { base_url: server.url, headers: {} },
    secrets: [],
  };
  const caller = {
    http: openTransport(),
    now: () => 0,
    sleepUntil: () => Promise.resolve(),
    signal: new AbortController().signal,
    max_wait_ms: 0,
    mask: <T>(value: T) => value,
  };
  const asked = { model: 'm', system: 'Be brief', messages: [QUESTION], timeout_ms: 5_000, ...request };
  await complete(caller, service, asked);
  return server.seen[0]?.text ?? '';
}

const read = (text: string): Body => JSON.parse(text) as Body;
const isMarked = (block: object | undefined): boolean => block !== undefined && 'cache_control' in block;
/** Which messages end with a mark. */
const markedMessages = ({ messages }: Body): boolean[] =>
  messages.map(({ content }) => isMarked(content.at(-1)));
const marksIn = (text: string): number => text.split('"cache_control"').length - 1;
const withoutMarks = (text: string): Body =>
  read(text.replaceAll(',"cache_control":{"type":"ephemeral"}', ''));

test('Anthropic is asked to keep the tools, the system message and the conversation so far', async () => {
  const text = await captureBody({ tools: TOOLS });
  const body = read(text);
  expect(body.tools?.map(isMarked)).toEqual([false, true]);
  expect(body.system).toEqual([{ type: 'text', text: 'Be brief', ...KEPT }]);
  expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Weather?', ...KEPT }] }]);
});

test('a turn is kept where it ends and where the turn before ended, so with four marks at most', async () => {
  const text = await captureBody({ tools: TOOLS, messages: [QUESTION, ...turn('1'), ...turn('2')] });
  expect(markedMessages(read(text))).toEqual([false, false, true, false, true]);
  expect(marksIn(text)).toBe(4);
});

test('the request of a turn begins with the bytes of the turn before', async () => {
  const first = withoutMarks(await captureBody({ tools: TOOLS, messages: [QUESTION, ...turn('1')] }));
  const second = withoutMarks(
    await captureBody({ tools: TOOLS, messages: [QUESTION, ...turn('1'), ...turn('2')] }),
  );
  expect(JSON.stringify([second.tools, second.system])).toBe(JSON.stringify([first.tools, first.system]));
  const same = second.messages.slice(0, first.messages.length);
  expect(JSON.stringify(same)).toBe(JSON.stringify(first.messages));
});

test('a question without tools, which no next turn reads, keeps its system message alone', async () => {
  const text = await captureBody({});
  expect(isMarked(read(text).system?.[0])).toBe(true);
  expect(marksIn(text)).toBe(1);
});

test.each(['openai', 'google', 'compatible'] as const)('%s keeps prompts without marks', async (provider) => {
  expect(await captureBody({ tools: TOOLS }, provider)).not.toMatch(/cache_?control/i);
});
