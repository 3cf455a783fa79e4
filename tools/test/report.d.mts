export interface FileTime {
  readonly name: string;
  readonly ms: number;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly files: readonly FileTime[];
}

export interface VitestCounts extends Counts {
  /** Files with a failure, from the folder of the repository. */
  readonly failing: readonly string[];
  /** Errors that belong to no test; 1 where the run did not end by itself. */
  readonly unhandled: number;
}

export function readVitest(path: string, unhandled: string): VitestCounts;
export function addRepetition(
  first: VitestCounts,
  second: VitestCounts,
): VitestCounts & { readonly flaky: readonly string[] };
export function readPlaywright(path: string): Counts;
export function formatSlowest(files: readonly FileTime[]): string;
export function formatTimes(parts: readonly FileTime[]): string;
export function formatMissing(
  missing: readonly { readonly name: string; readonly debian?: string; readonly command?: string }[],
): string;
