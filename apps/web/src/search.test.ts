import { runStatus } from '@millrace/contracts';
import { describe, expect, it } from 'vitest';
import { afterSignIn, editorSearch, RUN_STATUSES, runsSearch } from './search.ts';

describe('afterSignIn', () => {
  it.each(['/workflows/1?x=1', '/runs', '/'])('keeps the path %s', (next) => {
    expect(afterSignIn({ next })).toEqual({ next });
  });

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', 7, null])(
    'drops %s, which leads elsewhere',
    (next) => {
      // Not left out: the router would fall back on the raw parameter.
      expect(afterSignIn({ next })).toStrictEqual({ next: undefined });
    },
  );
});

const id = '0197aaaa-0000-7000-8000-000000000001';

describe('editorSearch', () => {
  it.each([
    ['a run and its node', { run: id, node: 'pause' }, { run: id, node: 'pause' }],
    ['a run that is none', { run: '../x', node: 'pause' }, { run: undefined, node: 'pause' }],
    ['a node without a name', { run: id, node: '' }, { run: id, node: undefined }],
    ['nothing', {}, { run: undefined, node: undefined }],
  ])('reads %s', (_name, raw, search) => {
    expect(editorSearch(raw)).toStrictEqual(search);
  });
});

describe('runsSearch', () => {
  it('keeps good parameters', () => {
    const search = {
      status: 'error',
      workflow: id,
      period: '7d',
      from: '2026-11-21T10:00:00.000Z',
      q: 'timeout',
      run: id,
    };
    expect(runsSearch(search)).toEqual(search);
  });

  it('drops bad ones and keeps the good ones beside them', () => {
    expect(
      runsSearch({ status: 'error', workflow: 'nonsense', q: '  ', period: '2y', from: '2026-13-45T99:99Z' }),
    ).toEqual({
      status: 'error',
    });
  });

  it('reads a number as the words that it was typed as', () => {
    expect(runsSearch({ q: 42 })).toEqual({ q: '42' });
  });

  it('offers every status of the contract', () => {
    expect([...RUN_STATUSES].sort()).toEqual([...runStatus.options].sort());
  });
});
