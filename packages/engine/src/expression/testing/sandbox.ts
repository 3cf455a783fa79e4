import { ExpressionError } from '../limits.ts';

/** The state that every evaluation must leave as it was. */
export function hostSnapshot(): string {
  const hosts: readonly object[] = [
    Object.prototype,
    Array.prototype,
    String.prototype,
    Number.prototype,
    Boolean.prototype,
    Function.prototype,
    RegExp.prototype,
    Date.prototype,
    Map.prototype,
    Promise.prototype,
    Object,
    Array,
    JSON,
    Math,
    Reflect,
  ];
  return hosts.map((host) => Reflect.ownKeys(host).map(String).join()).join('|');
}

const NOT_DATA = Symbol('not data');

/** The reason why a value is not plain JSON data; null when it is. */
export function notPlain(value: unknown, path = 'result', depth = 0): string | null {
  if (depth > 1_100) return `${path} is too deep`;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null;
    case 'number':
      return Number.isFinite(value) ? null : `${path} is ${value}`;
    case 'object':
      return value === null ? null : notPlainObject(value, path, depth);
    default:
      return `${path} is a ${typeof value}`;
  }
}

function notPlainObject(value: object, path: string, depth: number): string | null {
  const prototype: unknown = Object.getPrototypeOf(value);
  const expected = Array.isArray(value) ? [Array.prototype] : [Object.prototype, null];
  if (!expected.some((one) => one === prototype)) return `${path} has a foreign prototype`;
  for (const key of Reflect.ownKeys(value)) {
    if (Array.isArray(value) && key === 'length') continue;
    if (typeof key === 'symbol') return `${path} has a symbol key`;
    const descriptor = Reflect.getOwnPropertyDescriptor(value, key);
    const inner = descriptor === undefined || 'get' in descriptor ? NOT_DATA : descriptor.value;
    if (inner === NOT_DATA) return `${path}.${key} has an accessor`;
    const reason = notPlain(inner, `${path}.${key}`, depth + 1);
    if (reason !== null) return reason;
  }
  return null;
}

export type Outcome = { readonly result: unknown } | { readonly error: string };

/** The result, or the code of an ExpressionError. Any other error is a fault and is thrown on. */
export function captureOutcome(evaluate: () => unknown): Outcome {
  try {
    return { result: evaluate() };
  } catch (error) {
    if (error instanceof ExpressionError) return { error: error.code };
    throw error;
  }
}

/** The result of an outcome; null, which is plain, for an error. */
export function getResult(outcome: Outcome): unknown {
  return 'result' in outcome ? outcome.result : null;
}
