import { describe, expect, it } from 'vitest';
import { bodyOfRun, bodyText, isOpen } from './runs.ts';

describe('bodyOfRun', () => {
  it.each([
    ['the body of a call', { headers: {}, query: {}, body: { who: 'Grace' } }, { who: 'Grace' }],
    ['a body that is a list', { headers: {}, query: {}, body: [1, 2] }, [1, 2]],
    ['a body that is null', { headers: {}, query: {}, body: null }, null],
    ['all of what another trigger gave', { triggered_by: 'cron' }, { triggered_by: 'cron' }],
    ['nothing', null, undefined],
  ])('is %s', (_name, inputs, body) => {
    expect(bodyOfRun(inputs)).toEqual(body);
  });
});

describe('isOpen', () => {
  it.each([
    ['running', true],
    ['queued', true],
    ['pending', true],
    ['success', false],
    ['error', false],
    ['cancelled', false],
    ['cached', false],
    ['rate_limited', false],
  ] as const)('%s: %s', (status, open) => {
    expect(isOpen(status)).toBe(open);
  });
});

describe('bodyText', () => {
  it.each([
    [
      'an object is wrapped, so that its own `inputs` stays',
      { inputs: { a: 1 } },
      '{"inputs":{"inputs":{"a":1}}}',
    ],
    ['a list is sent as it is (§4.1)', [1, 2], '[1,2]'],
    ['a text is sent as it is', 'hi', '"hi"'],
    ['null is sent as it is', null, 'null'],
    ['nothing is an empty object', undefined, '{}'],
  ])('%s', (_name, body, text) => {
    expect(bodyText(body)).toBe(text);
  });
});
