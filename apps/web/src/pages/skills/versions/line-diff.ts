import { diffArrays } from 'diff';

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Unchanged lines between two changes. */
export interface SkippedLines {
  readonly kind: 'skipped';
  readonly count: number;
}

/** Where texts differ in more lines, the comparison would take noticeable time. */
const MOST_CHANGES = 2_000;

/** An empty text has no line, not an empty one. */
const splitLines = (text: string): string[] => (text === '' ? [] : text.split('\n'));

const as = (kind: DiffLine['kind'], lines: readonly string[]): DiffLine[] =>
  lines.map((text) => ({ kind, text }));

/** One text after the other, but for what both begin and end with. */
function apart(one: readonly string[], other: readonly string[]): DiffLine[] {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [
    ...as('same', one.slice(0, start)),
    ...as('removed', one.slice(start, one.length - end)),
    ...as('added', other.slice(start, other.length - end)),
    ...as('same', one.slice(one.length - end)),
  ];
}

/** The lines of two texts in one list; what was replaced stands before what replaces it. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [one, other] = [splitLines(before), splitLines(after)];
  const parts = diffArrays(one, other, { maxEditLength: MOST_CHANGES });
  if (!parts) return apart(one, other);
  return parts.flatMap(({ added, removed, value }) =>
    as(added ? 'added' : removed ? 'removed' : 'same', value),
  );
}

/** Leaves out unchanged lines that are further from a change than `context`. */
export function shortened(lines: readonly DiffLine[], context = 3): (DiffLine | SkippedLines)[] {
  const changed = lines.flatMap(({ kind }, at) => (kind === 'same' ? [] : [at]));
  const near = new Set(
    changed.flatMap((at) => Array.from({ length: 2 * context + 1 }, (_, step) => at - context + step)),
  );
  const shown: (DiffLine | SkippedLines)[] = [];
  for (const [at, line] of lines.entries()) {
    const last = shown.at(-1);
    if (near.has(at)) shown.push(line);
    else if (last?.kind === 'skipped') shown[shown.length - 1] = { ...last, count: last.count + 1 };
    else shown.push({ kind: 'skipped', count: 1 });
  }
  return shown;
}
