import { describe, expect, test } from 'vitest';
import { deferred } from '../deferred.ts';
import { createLiveRuns } from '../live-runs.ts';
import type { RunExecutor } from './run-executor.ts';
import { RunSlot } from './run-slot.ts';

const run = (run_id: string) =>
  ({ run_id, workflow_id: 'w', begin: { root_run_id: null } }) as unknown as RunExecutor;

function oneRun() {
  const live = createLiveRuns();
  const executor = run('a');
  live.add(executor);
  return { live, executor, slot: new RunSlot(live, 'w') };
}
const node = () => deferred<string>();

describe('the slot of a run', () => {
  test('is free while its only node waits', async () => {
    const { live, slot } = oneRun();
    const timer = node();
    const result = slot.during(slot.whileWaiting(timer.promise));
    expect([live.busy, live.size, live.countSlots('w')]).toEqual([0, 1, 0]);
    timer.resolve('done');
    expect(await result).toBe('done');
    expect([live.busy, live.size, live.countSlots('w')]).toEqual([1, 1, 1]);
  });

  test('is taken while another node of the run works', async () => {
    const { live, slot } = oneRun();
    const [timer, call] = [node(), node()];
    const waiting = slot.during(slot.whileWaiting(timer.promise));
    const working = slot.during(call.promise);
    expect(live.busy).toBe(1);
    call.resolve('done');
    await working;
    expect(live.busy).toBe(0);
    timer.resolve('done');
    await waiting;
    expect(live.busy).toBe(1);
  });

  test('is taken again when a wait fails', async () => {
    const { live, slot } = oneRun();
    const timer = node();
    const result = slot.during(slot.whileWaiting(timer.promise));
    timer.reject(new Error('cancelled'));
    await expect(result).rejects.toThrow('cancelled');
    expect(live.busy).toBe(1);
  });

  test('counts once when the run ends while it waits', async () => {
    const { live, executor, slot } = oneRun();
    const timer = node();
    const result = slot.during(slot.whileWaiting(timer.promise));
    live.remove(executor);
    timer.resolve('done');
    await result;
    expect([live.busy, live.size, live.countSlots('w')]).toEqual([0, 0, 0]);
    live.add(run('b'));
    expect([live.busy, live.countSlots('w')]).toEqual([1, 1]);
  });
});
