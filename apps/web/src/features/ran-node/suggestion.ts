import type { MissingReference } from '@millrace/engine';

/** The text with one missing reference replaced by what is there instead. */
export function withSuggestion(
  text: string,
  { start, end, missing, suggestion, text: reference }: MissingReference,
): string {
  if (suggestion === null) return text;
  const at = reference.lastIndexOf(missing);
  const better =
    at < 0 ? suggestion : reference.slice(0, at) + suggestion + reference.slice(at + missing.length);
  return text.slice(0, start) + better + text.slice(end);
}
