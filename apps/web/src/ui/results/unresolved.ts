import { isJsonObject, type Json, readText } from '@millrace/engine';

/** An unresolved reference and what the text shows instead. */
export interface Unresolved {
  readonly field: string | null;
  readonly reference: string;
  readonly instead: string;
}

/** The unresolved references in one result of a node. */
export function unresolvedIn(metadata: Readonly<Record<string, unknown>> | undefined): readonly Unresolved[] {
  const listed = metadata?.['unresolved_references'];
  if (!Array.isArray(listed)) return [];
  return (listed as Json[]).flatMap((entry) => {
    if (!isJsonObject(entry) || typeof entry['reference'] !== 'string') return [];
    const { field, reference, instead } = entry;
    return [
      {
        field: typeof field === 'string' ? field : null,
        reference,
        instead: readText(instead),
      },
    ];
  });
}

/** Their total number in the results of a node. */
export const countUnresolved = (
  results: readonly { readonly metadata?: Readonly<Record<string, unknown>> | undefined }[],
): number => results.reduce((count, { metadata }) => count + unresolvedIn(metadata).length, 0);
