/** The folder of the repository, with a slash at its end. */
export const root: string;
/** Path of an installed command. */
export function bin(name: string): string;
/** Builds server and web app unless nothing has changed since the last build. */
export function ensureBuilt(): Promise<void>;
