import { expect, test } from 'vitest';
import { errorMessage } from './client.ts';

const problem = (loc: (string | number)[], msg: string) => ({ loc, msg, type: 'value_error' });

test.each([
  ['a text', { detail: 'Workflow not found' }, 'Workflow not found'],
  [
    'a problem of a field',
    { detail: [problem(['body', 'nodes', 0, 'id'], 'must be text')] },
    'nodes.0.id: must be text',
  ],
  [
    'a sentence about something with a name',
    { detail: [problem(['body', 'node_id'], '"Set" was not reached in that run')] },
    '"Set" was not reached in that run',
  ],
  ['an object with a message', { detail: { message: 'Saved by someone else' } }, 'Saved by someone else'],
  ['nothing to read', { detail: {} }, 'The server answered 500'],
])('the sentence of %s', (_title, body, expected) => {
  expect(errorMessage(body as never, 'The server answered 500')).toBe(expected);
});
