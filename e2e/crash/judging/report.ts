import type { Scenario, ScenarioResult } from '../scenario.ts';
import { listFindings } from './checker.ts';
import { percentile } from './takeovers.ts';

const COLUMNS = [
  'Trouble',
  'Times',
  'Accepted',
  'Taken over',
  'p50 s',
  'p99 s',
  'Fresh starts',
  'Effects applied / sent',
  'Model calls again',
  'Unknown',
  'Parked',
  'Lost',
  'Doubled',
  'Wrong',
  'Seconds',
];

export const heading = () => `| ${COLUMNS.join(' | ')} |\n|${COLUMNS.map(() => '---').join('|')}|`;

const seconds = (ms: number | undefined) => (ms === undefined ? '' : (ms / 1000).toFixed(1));

export function formatRow(scenario: Scenario, result: ScenarioResult): string {
  const { verdict, counts, takeovers_ms } = result;
  const cells = [
    scenario.name,
    scenario.strikes(counts),
    verdict.accepted,
    takeovers_ms.length,
    seconds(percentile(takeovers_ms, 0.5)),
    seconds(percentile(takeovers_ms, 0.99)),
    counts.fresh_starts,
    `${verdict.applied} / ${verdict.sent}`,
    verdict.model_calls_again,
    verdict.unknown_outcome,
    verdict.parked,
    verdict.lost.length,
    verdict.doubled.length,
    verdict.wrong.length,
    result.seconds.toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Sums over all scenarios that must hold. */
export function formatTotal(results: readonly (readonly [Scenario, ScenarioResult])[]): string {
  const sum = (read: (scenario: Scenario, result: ScenarioResult) => number) =>
    results.reduce((total, [scenario, result]) => total + read(scenario, result), 0);
  const cells = [
    'all of these',
    sum((scenario, { counts }) => scenario.strikes(counts)),
    sum((_, { verdict }) => verdict.accepted),
    sum((_, { takeovers_ms }) => takeovers_ms.length),
    '',
    '',
    sum((_, { counts }) => counts.fresh_starts),
    `${sum((_, { verdict }) => verdict.applied)} / ${sum((_, { verdict }) => verdict.sent)}`,
    sum((_, { verdict }) => verdict.model_calls_again),
    sum((_, { verdict }) => verdict.unknown_outcome),
    sum((_, { verdict }) => verdict.parked),
    sum((_, { verdict }) => verdict.lost.length),
    sum((_, { verdict }) => verdict.doubled.length),
    sum((_, { verdict }) => verdict.wrong.length),
    sum((_, { seconds: time }) => time).toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

/**
 * With the lease that is set by default, another process must have continued every run within this. Where there is no
 * other process, it counts from the moment at which the one that starts again usually serves.
 */
const RESCUED_WITHIN_MS = 10_000;
const FINDINGS_TOLD = 10;

/** Everything that the result of a scenario proves wrong, in words; empty when it holds. */
export function describeFailures(
  scenario: Scenario,
  { verdict, counts, takeovers_ms, starts_ms }: ScenarioResult,
  is_timed: boolean,
): string[] {
  const { name, strikes, wanted_strikes, may_exit, lease_seconds } = scenario;
  const failures: string[] = [];
  if (strikes(counts) < wanted_strikes)
    failures.push(
      `there was trouble ${strikes(counts)} times instead of ${wanted_strikes}, which proves nothing`,
    );
  if (scenario.fenced === false) {
    // The negative control: what the checker does not see without the fence, it would not see with it either.
    if (!verdict.doubled.some((finding) => finding.includes('ended')))
      failures.push('no run ended twice without the fence, so the checker proves nothing');
    // A process that was fenced late is replaced by a fresh one, which finds the rest.
    failures.push(...verdict.lost.slice(0, FINDINGS_TOLD).map((label) => `${label} is lost`));
    return failures.map((failure) => `${name}: ${failure}`);
  }
  failures.push(...listFindings(verdict).slice(0, FINDINGS_TOLD));
  const until_served_ms = scenario.processes === 1 ? (percentile(starts_ms, 0.5) ?? 0) : 0;
  const limit_ms = until_served_ms + RESCUED_WITHIN_MS;
  const late = is_timed && lease_seconds === undefined ? takeovers_ms.filter((ms) => ms > limit_ms) : [];
  if (late.length > 0)
    failures.push(
      `${late.length} runs were taken over after more than ${seconds(limit_ms)} s, the last after ${seconds(Math.max(...late))} s`,
    );
  const exits = is_timed ? counts.exits : counts.exits - counts.late_ends;
  if (exits > 0 && may_exit !== true) failures.push(`${exits} processes ended by themselves`);
  return failures.map((failure) => `${name}: ${failure}`);
}
