import { beforeEach, expect, it, vi } from 'vitest';
import { keepChosen, keepInput, readKept } from './last-inputs.ts';

const input = (text: string) => ({ mode: 'form' as const, typed: { text }, raw: '' });

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
});

it('keeps inputs by person and workflow', () => {
  keepInput('ada', 'w1', input('one'));
  keepInput('ada', 'w2', input('two'));
  keepChosen('ada', 'w2');
  expect(readKept('ada')).toEqual({ chosen: 'w2', inputs: { w1: input('one'), w2: input('two') } });
  expect(readKept('bob')).toEqual({ inputs: {} });
  keepChosen('ada', undefined);
  expect(readKept('ada').chosen).toBeUndefined();
});

it('forgets the workflow that was used longest ago, and does not keep large inputs', () => {
  for (let at = 0; at < 30; at += 1) keepInput('ada', `w${at}`, input('x'));
  keepInput('ada', 'w0', input('again'));
  keepInput('ada', 'new', input('x'));
  const { inputs } = readKept('ada');
  expect(Object.keys(inputs)).toHaveLength(30);
  expect(inputs['w0']).toEqual(input('again'));
  expect(inputs['w1']).toBeUndefined();
  keepInput('ada', 'new', input('x'.repeat(30_000)));
  expect(readKept('ada').inputs['new']).toBeUndefined();
});

it('starts empty where the storage is broken or forbidden', () => {
  vi.stubGlobal('localStorage', {
    getItem: () => '{',
    setItem: () => {
      throw new Error('full');
    },
  });
  expect(() => keepInput('ada', 'w1', input('one'))).not.toThrow();
  expect(readKept('ada')).toEqual({ inputs: {} });
});
