import type { AnyEndpoint } from '@millrace/contracts';

/** Returns the methods that an address accepts, regardless of its parameters. */
export function createVerbs(endpoints: readonly AnyEndpoint[]): (path: string) => readonly string[] {
  const known = endpoints.flatMap(({ method, also_methods = [], path, aliases = [] }) =>
    [path, ...aliases].map((address) => ({
      methods: [method, ...also_methods],
      pattern: new RegExp(`^${address.replace(/\{\w+\}/g, '[^/]+')}/?$`),
    })),
  );
  return (path) =>
    [...new Set(known.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))].sort();
}
