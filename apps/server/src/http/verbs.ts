import type { AnyEndpoint } from '@millrace/contracts';

/** Answers which verbs an address takes, whatever its parameters are. */
export function createVerbs(endpoints: readonly AnyEndpoint[]): (path: string) => readonly string[] {
  const known = endpoints.flatMap(({ method, path, aliases = [] }) =>
    [path, ...aliases].map((address) => ({
      method,
      pattern: new RegExp(`^${address.replace(/\{\w+\}/g, '[^/]+')}$`),
    })),
  );
  return (path) =>
    [...new Set(known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))].sort();
}
