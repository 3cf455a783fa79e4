/** Shorter texts are not worth a reference. */
const SHORTEST_TEXT = 64;
/** Parts that are looked at, so that an input of a million keys costs no more than others. */
const MOST_PARTS = 64;

/** The input of a run by its parts: its own values and those of its body. */
export interface InputParts {
  /** References given so far. */
  readonly used: number;
  /** The value with references in the place of itself or of what it consists of; the value itself if there are none. */
  inside(value: unknown): unknown;
}

const isKeyed = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isWorthIt(value: unknown): boolean {
  if (typeof value === 'string') return value.length >= SHORTEST_TEXT;
  if (typeof value !== 'object' || value === null) return false;
  for (const _ in value) return true;
  return false;
}

/**
 * Finds parts of an input again by their identity, texts by what they say. Nodes hand on what they got, so rows are full of
 * them.
 *
 * @param key of an object that stands for a part
 */
export function inputParts(key: string, input: unknown): InputParts {
  const references = new Map<unknown, Readonly<Record<string, readonly string[]>>>();
  let used = 0;

  function addAll(values: Readonly<Record<string, unknown>>, above: readonly string[]): void {
    for (const name in values) {
      if (references.size >= MOST_PARTS) return;
      const value = values[name];
      if (!isWorthIt(value) || references.has(value)) continue;
      references.set(value, { [key]: [...above, name] });
    }
  }

  if (isKeyed(input)) {
    addAll(input, []);
    if (isKeyed(input['body'])) addAll(input['body'], ['body']);
  }

  return {
    get used() {
      return used;
    },
    inside(value) {
      if (references.size === 0) return value;
      const whole = references.get(value);
      if (whole) used += 1;
      if (whole || !isKeyed(value)) return whole ?? value;
      let copy: Record<string, unknown> | undefined;
      for (const name in value) {
        const reference = references.get(value[name]);
        if (!reference) continue;
        // Without a prototype, so that a key of that name stays a key.
        copy ??= Object.assign(Object.create(null) as Record<string, unknown>, value);
        copy[name] = reference;
        used += 1;
      }
      return copy ?? value;
    },
  };
}

/** The part of the input that a path leads to. @throws Error when there is none */
export function partAt(input: unknown, path: readonly string[]): unknown {
  let value = input;
  for (const name of path) {
    if (!isKeyed(value) || !Object.hasOwn(value, name))
      throw new Error(`the stored input has no ${path.join('.')}`);
    value = value[name];
  }
  return value;
}
