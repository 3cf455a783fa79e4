/** How the service reports its own mistakes: a node or a run that crashed, a request that was answered with 500. */
const DEFECTS: ReadonlySet<string> = new Set(['node crashed', 'run crashed', 'request failed']);

function isDefect(line: string): boolean {
  try {
    // Other programs may write to the same stream, so a line need not be an entry of the log.
    const entry = JSON.parse(line) as { msg?: unknown } | null;
    return typeof entry?.msg === 'string' && DEFECTS.has(entry.msg);
  } catch {
    return false;
  }
}

/** The lines of a log that report a mistake of the service. */
export const findDefects = (lines: Iterable<string>): string[] => [...lines].filter(isDefect);

/** @throws Error with the lines, when there are any */
export function requireNoDefects(lines: Iterable<string>): void {
  const defects = findDefects(lines);
  if (defects.length > 0) throw new Error(`The service has logged errors of its own:\n${defects.join('\n')}`);
}
