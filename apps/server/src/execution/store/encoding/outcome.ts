import type { RunFinal, StoredFinal } from '../../model/run.ts';

type Kept = Pick<RunFinal, 'shape' | 'failure' | 'failed_node' | 'sealed_outputs'>;

/** Column `outcome`: what the other columns do not say of an end. Null for a plain success, so that most rows do without it. */
export function outcomeText({ shape, failure, failed_node, sealed_outputs }: Kept): string | null {
  if (shape === 'labels' && !failure && sealed_outputs === undefined) return null;
  return JSON.stringify({
    shape,
    failure: failure ?? null,
    failed_node: failed_node ?? null,
    sealed_outputs,
  });
}

/**
 * Why a run failed, and at which node.
 *
 * @param text as `outcomeText` made it
 */
export function readFailure(
  text: string | null,
): Pick<StoredFinal, 'failure'> & Pick<RunFinal, 'failed_node'> {
  if (text === null) return { failure: undefined };
  const { failure, failed_node } = JSON.parse(text) as Kept;
  return { failure: failure ?? undefined, failed_node };
}

/** @param text as `outcomeText` made it */
export function readOutcome(text: string | null): Pick<StoredFinal, 'shape' | 'failure' | 'sealed_outputs'> {
  if (text === null) return { shape: 'labels' };
  const { shape, failure, sealed_outputs } = JSON.parse(text) as Kept;
  return { shape, failure: failure ?? undefined, sealed_outputs };
}
