import { afterEach, describe, expect, it, vi } from 'vitest';
import { againFrom, bodyOfRun, isOpen, newestEndedRun } from './runs.ts';

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

describe('newestEndedRun', () => {
  const run = (status: string, minute: number) => ({
    id: `${status}-${minute}`,
    status,
    started_at: `2026-01-08T00:${String(minute).padStart(2, '0')}:00.000Z`,
  });
  const CACHED = Array.from({ length: 30 }, (_, at) => run('cached', 59 - at));

  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it.each([
    ['success-5', [...CACHED, run('success', 5), run('error', 4), run('success', 3)]],
    ['error-6', [...CACHED, run('error', 6), run('success', 5)]],
    ['error-2', [run('rate_limited', 9), run('error', 2)]],
    [null, [...CACHED, run('cancelled', 1), run('running', 0)]],
  ])('is %s, however many others are newer', async (id, runs) => {
    vi.stubGlobal('fetch', async (address: string) => {
      const { searchParams } = new URL(address, 'http://localhost');
      const status = searchParams.get('status');
      const items = runs.filter((one) => status === null || one.status === status);
      return Response.json({ items: items.slice(0, Number(searchParams.get('limit'))) });
    });
    expect(await newestEndedRun('6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a10')).toBe(id);
  });
});
