/** Steps from the root to a value: property names and list positions. */
export type JsonPath = readonly (string | number)[];

const PLAIN = /^[A-Za-z_]\w*$/;

/** A path as expressions write it: `.user.tags[0]["first name"]`; empty for the root. */
export function pathText(path: JsonPath): string {
  return path
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`;
      return PLAIN.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join('');
}

/** Identity of a path that no other path shares. */
export function pathKey(path: JsonPath): string {
  return path
    .map((step) => (typeof step === 'number' ? `#${step}` : `/${step.replaceAll('/', '//')}`))
    .join('\u0001');
}

export function valueAt(value: unknown, path: JsonPath): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Object.hasOwn(current, step) ? (current as Record<string | number, unknown>)[step] : undefined;
  }
  return current;
}
