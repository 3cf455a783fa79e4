import { expect, test } from 'vitest';
import { parseConversation } from './conversation.ts';

const turn = (role: string, more: object = {}) => ({
  role,
  text: '',
  reasoning: '',
  tools: [],
  images: 0,
  ...more,
});

test('a chat is read as its turns, the answer last', () => {
  const request = {
    system: 'Be brief.',
    messages: [
      { role: 'user', text: 'What is this?', images: ['[image/png, 3 bytes]'] },
      {
        role: 'assistant',
        text: '',
        reasoning: [{ text: 'I look.' }],
        tool_calls: [{ id: '1', name: 'look', arguments: '{"at":1}' }],
      },
      { role: 'tool', results: [{ id: '1', name: 'look', text: 'a cat', is_error: false }] },
      '… (4 more entries)',
    ],
  };
  expect(parseConversation('chat', { request, response: { text: 'A cat.', is_cut: false } })).toEqual([
    turn('system', { text: 'Be brief.' }),
    turn('user', { text: 'What is this?', images: 1 }),
    turn('assistant', {
      reasoning: 'I look.',
      tools: [{ id: '1', name: 'look', text: '{"at":1}' }],
    }),
    turn('tool', { tools: [{ id: '1', name: 'look', text: 'a cat' }] }),
    turn('system', { text: '… (4 more entries)' }),
    turn('assistant', { text: 'A cat.' }),
  ]);
});

test('a call that failed ends with what was asked', () => {
  const request = { system: '', messages: [{ role: 'user', text: 'Hi' }] };
  expect(parseConversation('chat', { request, response: null })).toEqual([turn('user', { text: 'Hi' })]);
});

test('decisions, vectors and texts that were cut as a whole are no conversation', () => {
  expect(parseConversation('decision', { request: { messages: [] }, response: {} })).toBeUndefined();
  expect(parseConversation('chat', { request: '{"messages":…', response: {} })).toBeUndefined();
});
