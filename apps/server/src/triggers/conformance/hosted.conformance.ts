import type { JsonObject } from '@millrace/engine';
import { expect, test, vi } from 'vitest';
import type { ArmedTrigger, HostUnderTest, TriggerWorld } from '../testing/world.ts';

/** The subject of a suite for a kind that needs a host. */
export interface HostedSubject {
  readonly world: () => TriggerWorld;
  readonly type: string;
  readonly settings: JsonObject;
  /** Settings that the type refuses, and the field that is wrong. */
  readonly unreadable: { readonly settings: JsonObject; readonly field: string };
  /** Makes something happen at the source; resolves to the names of what did. */
  readonly happen: (trigger: ArmedTrigger) => readonly string[] | Promise<readonly string[]>;
  /** Where a new trigger also gets what happened before it: the names of that. */
  readonly namesBefore?: () => readonly string[];
  /** The names of what happened, as a run's input carries them. */
  readonly namesIn: (input: JsonObject) => readonly string[];
}

const WITHIN = { timeout: 15_000, interval: 25 };

const look = (hosts: readonly HostUnderTest[]) => Promise.all(hosts.map((host) => host.tick()));

/**
 * The rules for every trigger that one process at a time works on: each event starts exactly one run, with a row that
 * names it, on any number of processes and through any crash. Needs a world of three fresh processes.
 */
export function hostedConformance(subject: HostedSubject): void {
  const { world, type, settings, unreadable, happen, namesBefore, namesIn } = subject;
  const loadNames = async (trigger: ArmedTrigger) =>
    (await world().loadInputs(trigger)).flatMap(namesIn).toSorted();

  async function expectExactly(trigger: ArmedTrigger, names: readonly string[]): Promise<void> {
    const { hosts } = world();
    await vi.waitUntil(async () => {
      await look(hosts);
      return (await loadNames(trigger)).length >= names.length;
    }, WITHIN);
    await look(hosts);
    expect(await loadNames(trigger)).toEqual([...names].toSorted());
    expect(await world().listCauses(trigger)).toHaveLength(names.length);
  }

  const before = (): string[] => [...(namesBefore?.() ?? [])];

  test('of several processes one hosts a trigger, and each event starts one run', async () => {
    const { hosts, arm, readFacts, listCauses, loadInputs } = world();
    const trigger = await arm(type, settings);
    await look(hosts);
    const { owner } = await readFacts(trigger);
    expect(hosts.map(({ worker_id }) => worker_id)).toContain(owner);
    const names = [
      ...before(),
      ...(await happen(trigger)),
      ...(await happen(trigger)),
      ...(await happen(trigger)),
    ];
    await expectExactly(trigger, names);
    const runs = new Set((await listCauses(trigger)).map(({ run_id }) => run_id));
    expect(runs.size).toBe((await loadInputs(trigger)).length);
  });

  test('the processes share the triggers evenly', async () => {
    const { hosts, arm, hostedBy } = world();
    const hosted = (await hostedBy(type)).reduce((sum, count) => sum + count, 0);
    await Promise.all(Array.from({ length: 6 }, () => arm(type, settings)));
    for (let round = 0; round < 3; round++) await look(hosts);
    const counts = await hostedBy(type);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(hosted + 6);
    expect(Math.max(...counts)).toBe(Math.ceil((hosted + 6) / hosts.length));
  });

  test('a change makes the host follow it, and nothing is lost or doubled', async () => {
    const { hosts, arm, change } = world();
    const trigger = await arm(type, settings);
    await look(hosts);
    const names = [...before(), ...(await happen(trigger))];
    await expectExactly(trigger, names);
    await change(trigger, settings);
    await expectExactly(trigger, [...names, ...(await happen(trigger))]);
    expect(await loadNames(trigger)).toHaveLength(names.length + 1);
  });

  test('settings that cannot be read are told in plain words and harm no other trigger', async () => {
    const { hosts, arm, readFacts } = world();
    const broken = await arm(type, unreadable.settings);
    const sound = await arm(type, settings);
    await look(hosts);
    await expectExactly(sound, [...before(), ...(await happen(sound))]);
    const { state, last_error } = await readFacts(broken);
    expect({ state, last_error }).toEqual({
      state: 'failing',
      last_error: expect.stringContaining(unreadable.field),
    });
  });

  test('a host that is lost is followed by another within one look, and what it still does is refused', async () => {
    const { hosts, arm, readFacts } = world();
    const trigger = await arm(type, settings);
    await look(hosts);
    const names = [...before(), ...(await happen(trigger))];
    await expectExactly(trigger, names);
    // The last process stays: it must end up with everything.
    for (let killed = 0; killed < hosts.length - 1; killed++) {
      const { owner } = await readFacts(trigger);
      names.push(...(await happen(trigger)));
      await hosts.find(({ worker_id }) => worker_id === owner)?.kill();
      names.push(...(await happen(trigger)));
      await expectExactly(trigger, names);
      expect((await readFacts(trigger)).owner).not.toBe(owner);
      if ((await readFacts(trigger)).owner === hosts.at(-1)?.worker_id) break;
    }
  });
}
