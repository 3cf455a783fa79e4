import { type Decision, isJsonObject, type Json, type JsonObject, type RunFact } from '@millrace/engine';
import type { RunBegin, StoredFinal } from '../../model/run.ts';
import type { SealedFact, StepRecord } from '../../model/step.ts';
import type { LoggedVault, Vault } from './vault.ts';

/** Holds the fact where neither a copy nor a JSON text of the record shows it. */
class LazySeal implements SealedFact {
  readonly #vault: Vault;
  readonly #fact: RunFact;
  #text: string | undefined;

  constructor(vault: Vault, fact: RunFact) {
    this.#vault = vault;
    this.#fact = fact;
  }

  get text(): string {
    return (this.#text ??= this.#vault.run_secrets.seal(JSON.stringify(this.#fact)));
  }
}

/** The stored form of a fact: masked, and the fact itself encrypted beside it where the mask changed something. */
export const maskedFact = (vault: Vault, fact: RunFact, masked: RunFact): StepRecord =>
  masked === fact ? fact : { ...masked, sealed: new LazySeal(vault, fact) };

/** The fact as it was; undefined when it was masked and no configured key opens what was sealed. */
export function openFact(
  { run_secrets, log }: LoggedVault,
  run_id: string,
  record: StepRecord,
): RunFact | undefined {
  if (!record.sealed) return 'masked' in record ? undefined : record;
  const text = run_secrets.open(record.sealed.text);
  if (text === undefined) {
    log.error({ run_id, node_id: record.node_id }, 'a result of a run cannot be decrypted');
    return undefined;
  }
  // Guarantee: only `maskedFact` makes such a text, and its signature was checked.
  return JSON.parse(text) as RunFact;
}

/** The outputs as the run above gets them when it is resumed after this run's end. */
export function sealedOutputs(
  { run_secrets }: Vault,
  { parent_run_id }: RunBegin,
  outputs: { readonly real: Json; readonly masked: Json },
): string | undefined {
  if (parent_run_id === null || outputs.real === outputs.masked) return undefined;
  return run_secrets.seal(JSON.stringify(outputs.real));
}

export function openOutputs({ run_secrets }: Vault, { outputs, sealed_outputs }: StoredFinal): JsonObject {
  const text = sealed_outputs === undefined ? undefined : run_secrets.open(sealed_outputs);
  // Guarantee: only `sealedOutputs` seals them.
  return text === undefined ? outputs : (JSON.parse(text) as JsonObject);
}

/**
 * Seals the data that comes with a decision from outside: it may hold secrets, and the process that stores it knows
 * none of the run's.
 */
export const sealedData = ({ run_secrets }: Vault, data: Json): Json => ({
  sealed: run_secrets.seal(JSON.stringify(data)),
});

/** The decision as the node gets it. */
export function openDecision(
  { run_secrets, log }: LoggedVault,
  run_id: string,
  { decision, data, decided_at_ms }: Decision,
): Decision {
  const text = isJsonObject(data) && typeof data['sealed'] === 'string' ? data['sealed'] : undefined;
  if (text === undefined) return { decision, data, decided_at_ms };
  const opened = run_secrets.open(text);
  if (opened === undefined) log.error({ run_id }, 'the data of a decision cannot be decrypted');
  return {
    decision,
    data: opened === undefined ? null : (JSON.parse(opened) as Json),
    decided_at_ms,
  };
}
