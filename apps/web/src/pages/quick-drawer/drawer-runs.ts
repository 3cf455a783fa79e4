import type { Json } from '@millrace/engine';
import { createRunForm, type RunFormStore } from '../../features/run-view/input/run-form.ts';
import { createRunStore, isBusy, type RunStore } from '../../features/run-view/run-store.ts';
import { attachRun, startRun, stopRun } from '../../features/run-view/start-run.ts';
import { keepInput, readKept } from './last-inputs.ts';

/** Form and run of one workflow in the drawer; both outlive the drawer, so that closing it stops nothing. */
export interface DrawerRun {
  readonly form: RunFormStore;
  readonly run: RunStore;
  /** @returns why it could not start; undefined when it did */
  start(input: Json): Promise<string | undefined>;
  stop(): Promise<void>;
  refollow(): Promise<void>;
}

const drawerRuns = new Map<string, DrawerRun>();

function createDrawerRun(user_id: string, workflow_id: string): DrawerRun {
  const form = createRunForm();
  const last = readKept(user_id).inputs[workflow_id];
  form.setState({ test_run: false });
  if (last) form.setState({ mode: last.mode, raw: last.raw, typed: new Map(Object.entries(last.typed)) });
  form.subscribe(({ mode, typed, raw }) =>
    keepInput(user_id, workflow_id, { mode, typed: Object.fromEntries(typed), raw }),
  );
  const run = createRunStore();
  // Never aborted: a run is followed to its end even when another page is opened.
  const { signal } = new AbortController();
  return {
    form,
    run,
    async start(input) {
      if (isBusy(run.getState().phase)) return undefined;
      return startRun(run, { workflow_id, input, test_run: false, trigger_source: 'Quick Drawer', signal });
    },
    stop: () => stopRun(run, workflow_id),
    async refollow() {
      const { execution_id } = run.getState();
      if (execution_id) await attachRun(run, { workflow_id, execution_id, signal });
    },
  };
}

export function getDrawerRun(user_id: string, workflow_id: string): DrawerRun {
  const key = `${user_id} ${workflow_id}`;
  const known = drawerRuns.get(key);
  if (known) return known;
  const made = createDrawerRun(user_id, workflow_id);
  drawerRuns.set(key, made);
  return made;
}
