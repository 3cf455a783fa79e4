import { expect, test } from 'vitest';
import { caseFromTrace } from './case-from-trace.ts';
import { parseConversation } from './conversation.ts';

type Message = { role: string; text: string };
const answered = { status: 'success', is_cut: false } as const;

const buildTurns = (messages: readonly Message[], text: string | null = 'Paris', system = 'Be brief.') =>
  parseConversation('chat', {
    request: { system, messages },
    response: text === null ? null : { text },
  }) ?? [];

const question = { role: 'user', text: 'France' };

test('the question and the answer of a call become a test case with its prompt', () => {
  expect(caseFromTrace(buildTurns([question]), answered)).toEqual({
    system_prompt: 'Be brief.',
    input: 'France',
    expected_output: 'Paris',
    is_one_of_many: false,
    is_cut: false,
  });
  expect(caseFromTrace(buildTurns([question], 'Paris', ''), answered)?.system_prompt).toBe('');
});

test('of a longer conversation the last question counts', () => {
  const earlier = [question, { role: 'assistant', text: 'Paris' }];
  const found = caseFromTrace(buildTurns([...earlier, { role: 'user', text: 'Italy' }], 'Rome'), answered);
  expect(found).toMatchObject({ input: 'Italy', expected_output: 'Rome', is_one_of_many: true });
});

test.each([
  ['failed', buildTurns([question], null), { status: 'error', is_cut: false }],
  ['was answered without words', buildTurns([question], ''), answered],
  ['had no question', buildTurns([]), answered],
] as const)('a call that %s makes none', (_, turns, trace) => {
  expect(caseFromTrace(turns, trace)).toBeUndefined();
});
