import { compile, type ExpressionMode } from '../compile.ts';
import type { Reference } from '../modes/references.ts';

const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]*$/;

export interface ReferenceRename {
  readonly from: string;
  readonly to: string;
  /** Which references to `from` to rename; absent: all. */
  readonly only?: (reference: Reference) => boolean;
}

/**
 * Renames references to `from`, also in arguments and item expressions. A label that cannot be written as a reference
 * leaves the text unchanged.
 */
export function renameReference(
  text: string,
  mode: ExpressionMode,
  { from, to, only = () => true }: ReferenceRename,
): string {
  if (!IDENTIFIER.test(to)) return text;
  const starts = compile(text, mode)
    .references.filter((reference) => reference.name === from && only(reference))
    .map((reference) => (text[reference.start] === '$' ? reference.start + 1 : reference.start));
  let renamed = text;
  for (const start of [...new Set(starts)].sort((a, b) => b - a)) {
    if (renamed.startsWith(from, start))
      renamed = renamed.slice(0, start) + to + renamed.slice(start + from.length);
  }
  return renamed;
}
