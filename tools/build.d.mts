/** What the bundler leaves as an import. */
export function isExternal(id: string): boolean;
