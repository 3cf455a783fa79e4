import { describe, expect, it } from 'vitest';
import { againFrom, bodyOfRun, isOpen } from './runs.ts';

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

describe('againFrom', () => {
  const inputs = { headers: {}, query: {}, body: { who: 'Grace' } };
  it.each([
    ['success', false, { from: 'start', version: 'current' }],
    ['error', false, { from: 'start', version: 'current' }],
    ['cancelled', true, { from: 'start', version: 'draft' }],
    // The server asks for the input of calls that it answered without a run.
    ['cached', false, { from: 'start', version: 'current', input: inputs }],
    ['rate_limited', false, { from: 'start', version: 'current', input: inputs }],
  ] as const)('%s, draft %s: %j', (status, is_draft, body) => {
    expect(againFrom({ status, is_draft, inputs })).toEqual(body);
  });
});
