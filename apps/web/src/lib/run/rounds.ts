import { readText } from '@millrace/engine/json';

/** The facts about itself that a result of a node states. */
interface Result {
  readonly status: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Rounds of the loops around a result as they are recorded, from 0 and outermost first: `1.0`; empty outside of loops. */
export function getRound(result: Pick<Result, 'metadata'> | undefined): string {
  const round = result?.metadata?.['iteration'];
  return readText(round);
}

/** Rounds as people count them, from one. */
export const roundText = (round: string): string =>
  round
    .split('.')
    .map((index) => String(Number(index) + 1))
    .join(' · ');

const measureDepth = (round: string): number => (round === '' ? 0 : round.split('.').length);

/** In how many rounds a node ran. The end of a loop is none of them, and a repeated attempt is no second one. */
export function countRounds(results: readonly Result[]): number {
  const rounds = results.filter(({ status }) => status !== 'skipped').map(getRound);
  const depth = Math.max(0, ...rounds.map(measureDepth));
  return new Set(rounds.filter((round) => measureDepth(round) === depth)).size;
}
