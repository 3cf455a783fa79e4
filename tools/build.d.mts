import type { RolldownBuild } from 'rolldown';

/** Whether the bundler leaves the module as an import. */
export function isExternal(id: string, importer?: string): boolean;
/** Code with escapes in place of characters outside ASCII. Throws where these mean something else. */
export function withoutUnicode(code: string): string;
/** Reads the sources of the server; the caller has the result written or looks at it, and closes it. */
export function openServerBundle(): Promise<RolldownBuild>;

export const SERVER_ENTRIES: Readonly<Record<string, string>>;
