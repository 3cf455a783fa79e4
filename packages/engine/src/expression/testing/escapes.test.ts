import { afterEach, describe, expect, it, vi } from 'vitest';
import { createScope, type ExpressionMode, evaluate } from '../index.ts';
import { ESCAPES, hostileValues } from './escapes.ts';
import { captureOutcome, getResult, hostSnapshot, notPlain } from './sandbox.ts';

const MODES: readonly ExpressionMode[] = ['template', 'value', 'raw', 'prompt', 'condition'];

function scope() {
  return createScope({ values: hostileValues(), now: () => 0, uuid: () => '0'.repeat(32), random: () => 0 });
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('published ways out of expression languages', () => {
  for (const text of ESCAPES) {
    it(`gives plain data and leaves the host alone: ${JSON.stringify(text)}`, () => {
      for (const mode of MODES) {
        for (const written of [
          text,
          `x ${text} y`,
          text.replace(/^\$/, ''),
          `$list.map(${JSON.stringify(text)})`,
        ]) {
          const before = hostSnapshot();
          const first = captureOutcome(() => evaluate(written, mode, scope()));
          const second = captureOutcome(() => evaluate(written, mode, scope()));
          expect(hostSnapshot()).toBe(before);
          expect(second).toEqual(first);
          expect(notPlain(getResult(first))).toBeNull();
        }
      }
    });
  }

  it('finds neither the environment nor a global of the process', () => {
    const canary = 'canary-4711';
    vi.stubEnv('EXPRESSION_CANARY', canary);
    vi.stubGlobal('expressionCanary', canary);
    const attempts = [
      ...ESCAPES,
      '$process.env.EXPRESSION_CANARY',
      '$expressionCanary',
      '$globalThis.expressionCanary',
      '$s.constructor.constructor("return expressionCanary")()',
      '$list.map("expressionCanary")',
      '$list.map("item.constructor.constructor(\'return process.env.EXPRESSION_CANARY\')()")',
    ];
    for (const text of attempts) {
      for (const mode of MODES) {
        expect(JSON.stringify(captureOutcome(() => evaluate(text, mode, scope())))).not.toContain(canary);
      }
    }
  });

  it('has an oracle that notices a leak', () => {
    expect(notPlain({ a: [() => 1] })).toBe('result.a.0 is a function');
    expect(notPlain(new Map())).toBe('result has a foreign prototype');
    expect(notPlain({ a: Number.NaN })).toBe('result.a is NaN');
    expect(notPlain([undefined])).toBe('result.0 is a undefined');
    const before = hostSnapshot();
    Reflect.defineProperty(Object.prototype, 'polluted', { value: 1, configurable: true });
    const after = hostSnapshot();
    Reflect.deleteProperty(Object.prototype, 'polluted');
    expect(after).not.toBe(before);
  });

  it('keeps an item expression that comes from data away from credentials', () => {
    const values = {
      list: [{ a: 1 }],
      credentials: { token: 'secret' },
      code: '$credentials.token',
      bare: 'credentials',
    };
    const sealed = createScope({ values, now: () => 0, uuid: () => '', random: () => 0 });
    for (const text of [
      '$list.map(code)',
      '$list.map($code)',
      '$list.map(bare)',
      '$list.filter(code)',
      '$list.sort(code)',
    ]) {
      expect(JSON.stringify(evaluate(text, 'value', sealed))).not.toContain('secret');
    }
  });
});
