import { allEndpoints } from '@millrace/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listIdFields } from '../support/id-fields.ts';
import { createWorld, type World } from '../support/matrix-world.ts';
import { idSwaps } from '../support/swaps/id-swaps.ts';
import type { IdSwap } from '../support/swaps/swap.ts';

/** §5.8: an id that belongs to another user has no effect, anywhere in a request. */
let world: World;
beforeAll(async () => {
  world = await createWorld();
}, 120_000);
afterAll(() => world.app.close());

const fields = allEndpoints.flatMap((endpoint) =>
  listIdFields(endpoint).map((id) => ({ ...id, name: `${endpoint.id} ${id.place} ${id.field}` })),
);

describe('every id of the contract', () => {
  test('in a query or a body has a swap', () => {
    const carried = fields.filter(({ place }) => place !== 'path').map(({ name }) => name);
    expect(carried.filter((name) => !Object.hasOwn(idSwaps, name))).toEqual([]);
  });

  test.each(fields.map(({ name, schema }) => [name, schema] as const))(
    '%s is the same id in capitals',
    (_, schema) => {
      expect(schema.parse('0F8FAD5B-D9CB-469F-A165-70867728950E')).toBe(
        '0f8fad5b-d9cb-469f-a165-70867728950e',
      );
    },
  );
});

const findTraces = async (swap: IdSwap, id: string): Promise<readonly string[]> =>
  (await swap.traces?.(world, id)) ?? [id];

/** A request that always fails, or a response that is always empty, would prove nothing. */
async function expectReached(swap: IdSwap, id: string): Promise<void> {
  const { status, body } = await swap.send(world, id);
  if (!swap.reached?.includes(status)) expect(status, body).toBeLessThan(300);
  if (swap.shows) for (const trace of await findTraces(swap, id)) expect(body).toContain(trace);
}

async function expectUnreached(swap: IdSwap, id: string): Promise<void> {
  const { stranger } = world.users;
  const read = async () => (swap.read ? (await stranger.call('GET', swap.read(id))).body : '');
  const before = await read();
  const { status, body } = await swap.send(world, id);
  if (swap.verdict === 'refused') expect([400, 403, 404, 422], body).toContain(status);
  if (swap.verdict === 'untouched') expect(body).not.toMatch(/"succeeded":\[[^\]]/);
  if (swap.verdict === 'nothing')
    for (const trace of await findTraces(swap, id)) expect(body).not.toContain(trace);
  expect(await read()).toBe(before);
}

describe("§5.8: another user's id in place of an own one", () => {
  test.each(Object.entries(idSwaps))('%s', async (_, swap) => {
    const { owner, stranger } = world.users;
    await expectReached(swap, await swap.make(world, owner));
    await expectUnreached(swap, await swap.make(world, stranger));
  });
});
