import type { RunForm } from '../../features/run-view/input/run-form.ts';

/** The contents of a form when it was last used. */
export interface LastInput {
  readonly mode: RunForm['mode'];
  readonly typed: Readonly<Record<string, string>>;
  readonly raw: string;
}

interface Kept {
  /** The workflow that the drawer showed last. */
  readonly chosen?: string;
  /** By workflow, the one that was used last at the end. */
  readonly inputs: Readonly<Record<string, LastInput>>;
}

const MAX_WORKFLOWS = 30;
/** Larger inputs are not kept: browsers give all of a site's data some megabytes. */
const MAX_CHARACTERS = 20_000;

const key = (user_id: string) => `millrace.quick-drawer.${user_id}`;

/** The last inputs of a person that this browser keeps; none where storage is empty, broken or forbidden. */
export function readKept(user_id: string): Kept {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key(user_id)) ?? 'null');
    // Nothing else writes under this key.
    if (typeof stored === 'object' && stored !== null && 'inputs' in stored) return stored as Kept;
  } catch {
    // As if nothing was kept.
  }
  return { inputs: {} };
}

function write(user_id: string, kept: Kept): void {
  try {
    localStorage.setItem(key(user_id), JSON.stringify(kept));
  } catch {
    // A full or forbidden storage costs the convenience, not the run.
  }
}

export function keepChosen(user_id: string, chosen: string | undefined): void {
  const { inputs } = readKept(user_id);
  write(user_id, chosen === undefined ? { inputs } : { chosen, inputs });
}

export function keepInput(user_id: string, workflow_id: string, input: LastInput): void {
  const { inputs, ...rest } = readKept(user_id);
  const others = Object.entries(inputs).filter(([id]) => id !== workflow_id);
  const size = JSON.stringify(input).length;
  const next = size > MAX_CHARACTERS ? others : [...others, [workflow_id, input] as const];
  write(user_id, { ...rest, inputs: Object.fromEntries(next.slice(-MAX_WORKFLOWS)) });
}
