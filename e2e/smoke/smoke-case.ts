import type { JsonObject } from '@millrace/engine';
import { expect, vi } from 'vitest';
import type { SmokeWorld } from './world.ts';

/** Takes a node type, or a type of credential, from its API to its right result. */
export type SmokeCase = (world: SmokeWorld) => Promise<void>;

export type SmokeCases = Readonly<Record<string, SmokeCase>>;

/** A node behind a start, and exactly what it gives. */
export const gives =
  (type: string, { data, body }: { data: JsonObject; body?: JsonObject }, expected: unknown): SmokeCase =>
  async (world) => {
    expect(await world.runNode(type, data, body)).toEqual(expected);
  };

/** Everything that happens on its own time happens within this. */
export const WITHIN = { timeout: 15_000, interval: 50 };

/** The output of the first run of a workflow, once it has succeeded. */
export async function firstOutput({ ask }: SmokeWorld, id: string): Promise<unknown> {
  const runs = () => ask<{ items: { id: string; status: string }[] }>('GET', `/api/workflows/${id}/history`);
  const run = await vi.waitFor(async () => {
    const found = (await runs()).items.at(-1);
    expect(found).toMatchObject({ status: 'success' });
    return found;
  }, WITHIN);
  const { outputs } = await ask<{ outputs: Record<string, unknown> }>(
    'GET',
    `/api/workflows/${id}/history/${run?.id}`,
  );
  return outputs['out'];
}

/** Names that no case covers, and cases that cover nothing: both are mistakes. */
export function compareCoverage(
  names: Iterable<string>,
  covered: Iterable<string>,
): { missing: string[]; unknown: string[] } {
  const [wanted, given] = [new Set(names), new Set(covered)];
  return {
    missing: [...wanted].filter((name) => !given.has(name)),
    unknown: [...given].filter((name) => !wanted.has(name)),
  };
}
