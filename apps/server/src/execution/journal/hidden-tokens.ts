import type { StoredRun } from '../model/run.ts';
import type { StepRecord } from '../model/step.ts';
import type { WaitPlace, WaitRecord } from '../model/wait.ts';
import type { WaitAddresses } from '../store/waiting/wait-addresses.ts';

/** Takes the token of a wait out of what is stored, and puts it back into what is read. */
export interface HiddenTokens {
  inFact(run_id: string, fact: StepRecord): StepRecord;
  inWait(run_id: string, wait: WaitRecord): WaitRecord;
  shown(run: StoredRun): StoredRun;
}

export function createHiddenTokens(addresses: WaitAddresses | undefined): HiddenTokens {
  if (!addresses) return { inFact: (_, fact) => fact, inWait: (_, wait) => wait, shown: (run) => run };
  const { hide, show, deriveToken } = addresses;
  const change = (run_id: string, fact: StepRecord, by: typeof hide): StepRecord => {
    if (fact.type !== 'node_suspended') return fact;
    const { node_id, iteration, suspension } = fact;
    const place: WaitPlace = { node_id, iteration, key: suspension.key };
    const payload = by(suspension.payload, deriveToken(run_id, place));
    return { ...fact, suspension: { ...suspension, payload } };
  };
  return {
    inFact: (run_id, fact) => change(run_id, fact, hide),
    inWait: (run_id, wait) =>
      wait.token_hash === null ? wait : { ...wait, payload: hide(wait.payload, deriveToken(run_id, wait)) },
    shown(run) {
      if (run.waits.length === 0) return run;
      const { run_id } = run.begin;
      return {
        ...run,
        records: run.records.map((record) => change(run_id, record, show)),
        waits: run.waits.map((wait) => ({ ...wait, payload: show(wait.payload, deriveToken(run_id, wait)) })),
      };
    },
  };
}
