import type { IntentRecord, StepRecord } from '../model/step.ts';
import { createValueEncoder, type ValueEncoder } from '../store/encoding/values.ts';
import { effectKey } from '../store/load.ts';
import type { InsertOperation, StepOperation } from './operations.ts';

/** The journal's state in memory of a run that this process executes, from its begin or claim to its end or pause. */
export interface OpenRun {
  /** Claims of the run so far, this process' own included. */
  readonly attempt: number;
  readonly encoder: ValueEncoder;
  /** The accept record while it can still become the final one. */
  begin: InsertOperation | undefined;
  /** Facts that may still ride in the final record; those before `taken_facts` no longer can. */
  facts: StepOperation[];
  taken_facts: number;
  /** Intents of this process whose result is not recorded. */
  readonly pending_effects: Set<string>;
  /** Intents of former processes whose outcome is unknown. */
  readonly unknown_effects: ReadonlyMap<string, IntentRecord>;
  has_waits: boolean;
}

export interface FormerLife {
  readonly attempt: number;
  readonly intents: readonly IntentRecord[];
  readonly has_waits: boolean;
}

export function createOpenRun(former?: FormerLife): OpenRun {
  return {
    attempt: former?.attempt ?? 1,
    encoder: createValueEncoder(),
    begin: undefined,
    facts: [],
    taken_facts: 0,
    pending_effects: new Set(),
    unknown_effects: new Map((former?.intents ?? []).map((intent) => [effectKey(intent), intent])),
    has_waits: former?.has_waits ?? false,
  };
}

/** How many written facts are kept before they are let go. */
const KEPT_FACTS = 64;

export function addFact(run: OpenRun, fact: StepOperation): void {
  run.facts.push(fact);
  while (run.facts[run.taken_facts]?.taken) run.taken_facts += 1;
  if (run.taken_facts < KEPT_FACTS) return;
  run.facts = run.facts.slice(run.taken_facts);
  run.taken_facts = 0;
}

/** Facts that no statement has taken yet; they leave the queue to be written elsewhere. */
export function absorbFacts(run: OpenRun): StepRecord[] {
  const open = run.facts.filter(({ taken }) => !taken);
  for (const fact of open) fact.absorbed = true;
  run.facts = [];
  run.taken_facts = 0;
  return open.map(({ record }) => record);
}

/** The accept record, if no statement has taken it yet; it leaves the queue. */
export function absorbBegin(run: OpenRun): InsertOperation | undefined {
  const { begin } = run;
  run.begin = undefined;
  if (!begin || begin.taken) return undefined;
  begin.absorbed = true;
  return begin;
}
