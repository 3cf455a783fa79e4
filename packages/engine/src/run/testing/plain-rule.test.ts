import { assert, asyncProperty, nat } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testCatalog } from '../../testing/catalog.ts';
import { createDice, randomWorkflow } from '../../testing/random-workflow.ts';
import { compileWorkflow } from '../../workflow/compile.ts';
import type { RunEvent } from '../record/events.ts';
import { plainStatuses } from './plain-rule.ts';
import { machineFor, runRandomly } from './random-run.ts';

const seeds = nat(2 ** 31);

/** The selection of each node: the port that its row names. */
function readSelections(events: readonly RunEvent[]): Map<string, string> {
  const rows = events.filter((event) => event.type === 'node_finished');
  return new Map(rows.map(({ node_id, ports }) => [node_id, ports[0] ?? '']));
}

describe('the rule of skipping', () => {
  it('skips in random graphs what a plain writing of the rule skips', { timeout: 120_000 }, async () => {
    let joins = 0;
    let alerts = 0;
    await assert(
      asyncProperty(seeds, seeds, async (seed, order) => {
        const dice = createDice(seed);
        const document = randomWorkflow(dice, { size: 4 + dice(12), depth: 0 });
        const machine = machineFor(compileWorkflow(document, testCatalog));
        const { events, finished } = await runRandomly(
          machine,
          { seed, failing: 3 },
          { dice: createDice(order) },
        );
        if (finished?.status !== 'success') return;
        const rows = events.filter((event) => event.type === 'node_finished');
        const selected = readSelections(events);
        expect(new Map(rows.map(({ node_id, status }) => [node_id, status]))).toEqual(
          plainStatuses(document, selected),
        );
        const { workflow } = machine;
        for (const [id, port] of selected) {
          const { firmly, until_failure } = workflow.closedBy(workflow.indexOf(id), [port]);
          joins += firmly.length;
          alerts += until_failure.length;
        }
      }),
      { numRuns: 1500 },
    );
    // Graphs in which the rule decides anything at all must have been among them.
    expect(joins).toBeGreaterThan(100);
    expect(alerts).toBeGreaterThan(100);
  });
});
