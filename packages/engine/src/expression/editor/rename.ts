import { compile, type ExpressionMode } from '../compile.ts';

const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]*$/;

/**
 * Writes a new label into every reference to `from`, also inside arguments and item expressions. A label that no
 * reference can spell leaves the text as it is.
 */
export function renameReference(text: string, mode: ExpressionMode, from: string, to: string): string {
  if (!IDENTIFIER.test(to)) return text;
  const starts = compile(text, mode)
    .references.filter((reference) => reference.name === from)
    .map((reference) => (text[reference.start] === '$' ? reference.start + 1 : reference.start));
  let renamed = text;
  for (const start of [...new Set(starts)].sort((a, b) => b - a)) {
    if (renamed.startsWith(from, start))
      renamed = renamed.slice(0, start) + to + renamed.slice(start + from.length);
  }
  return renamed;
}
