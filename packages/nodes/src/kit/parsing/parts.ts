/** Part of a value; joining all parts in order yields the value. */
export type Part =
  | { readonly op: 'open'; readonly key?: string; readonly is_list: boolean; readonly is_outermost: boolean }
  | { readonly op: 'items'; readonly items: readonly unknown[] }
  | { readonly op: 'fields'; readonly keys: readonly string[]; readonly values: readonly unknown[] }
  | { readonly op: 'close' };

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Maximum size of a value that is copied in one piece, which takes about 10 ms. Long texts count as more than one value. */
const MOST_AT_ONCE = 20_000;
const CHARACTERS = 256;

const isContainer = (value: unknown): value is Container =>
  Array.isArray(value) ||
  (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype);

/** Number of nested values; counting stops above the maximum. */
function countValues(value: unknown): number {
  if (typeof value === 'string') return 1 + Math.floor(value.length / CHARACTERS);
  if (!isContainer(value)) return 1;
  let count = 1;
  if (Array.isArray(value)) {
    if (value.length > MOST_AT_ONCE) return value.length;
    for (const item of value) if ((count += countValues(item)) > MOST_AT_ONCE) break;
    return count;
  }
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) if ((count += countValues(object[key])) > MOST_AT_ONCE) break;
  return count;
}

/** Whether copying it in one piece would block the event loop. */
export const isLarge = (value: unknown): value is Container =>
  isContainer(value) && countValues(value) > MOST_AT_ONCE;

/** Splits a large value lazily into parts that can each be copied in milliseconds. */
export const splitIntoParts = (value: Container): Generator<Part> =>
  partsWithin(value, { is_outermost: true });

function* partsWithin(
  value: Container,
  place: { readonly key?: string; readonly is_outermost: boolean },
): Generator<Part> {
  const is_list = Array.isArray(value);
  yield { op: 'open', is_list, ...place };
  let [keys, values, count]: [string[], unknown[], number] = [[], [], 0];
  const taken = (): Part => {
    const part: Part = is_list ? { op: 'items', items: values } : { op: 'fields', keys, values };
    [keys, values, count] = [[], [], 0];
    return part;
  };
  for (const name of is_list ? value.keys() : Object.keys(value)) {
    const item = (value as Record<string | number, unknown>)[name];
    const more = countValues(item);
    const isSplit = more > MOST_AT_ONCE && isContainer(item);
    if (values.length > 0 && (isSplit || count + more > MOST_AT_ONCE)) yield taken();
    if (isSplit) {
      yield* partsWithin(item, { is_outermost: false, ...(is_list ? {} : { key: String(name) }) });
      continue;
    }
    if (!is_list) keys.push(String(name));
    values.push(item);
    count += more;
  }
  if (values.length > 0) yield taken();
  yield { op: 'close' };
}

function setField(object: Record<string, unknown>, key: string, value: unknown): void {
  // An assignment would change its prototype.
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

/** Joins the parts of a value. */
export class Joiner {
  readonly #open: (unknown[] | Record<string, unknown>)[] = [];
  #value: unknown;

  add(part: Part): void {
    // Drops the parts of a value that was not sent completely.
    if (part.op === 'open' && part.is_outermost) this.take();
    const top = this.#open.at(-1);
    if (part.op === 'open') {
      const made = part.is_list ? [] : {};
      if (Array.isArray(top)) top.push(made);
      else if (top) setField(top, part.key ?? '', made);
      else this.#value = made;
      this.#open.push(made);
    } else if (part.op === 'close') this.#open.pop();
    else if (part.op === 'items' && Array.isArray(top)) for (const item of part.items) top.push(item);
    else if (part.op === 'fields' && top && !Array.isArray(top))
      for (const [at, key] of part.keys.entries()) setField(top, key, part.values[at]);
  }

  /** Returns the value of the parts added since the last call. */
  take(): unknown {
    const value = this.#value;
    this.#value = undefined;
    this.#open.length = 0;
    return value;
  }
}
