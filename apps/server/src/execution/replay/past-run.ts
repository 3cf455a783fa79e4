import type { Json, JsonObject, PastResult } from '@millrace/engine';
import { conflict, invalidField } from '../../core/app-error.ts';
import { isOfRefusedCall, type StoredFinal, type StoredRun } from '../model/run.ts';
import { openInput, passedGlobals } from '../run/secrets/sealed-input.ts';
import { openFact } from '../run/secrets/sealed-result.ts';
import type { LoggedVault, Vault } from '../run/secrets/vault.ts';
import { wasGivenUp } from '../store/queue/requeue/give-up.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';

/** The data that an earlier run is replayed with, nothing masked. */
export interface PastRun {
  readonly stored: StoredRun;
  readonly final: StoredFinal;
  readonly input: Json;
  /** Options that it was started with beside its input. */
  readonly options: JsonObject;
  /** Hidden in the replay as they were in the run: its person may know secrets that the one who replays it does not. */
  readonly secrets: ReadonlySet<string>;
  readonly results: readonly PastResult[];
  /** False for one that was given up: its global variables were not written. */
  readonly wrote: boolean;
}

/** Options that a replay has as well; the others belong to one run, are its seal, or say that it is a trial. */
const KEPT_OPTIONS = ['globals', 'base_url', 'portal', 'outside_content'] as const;

async function loadSecrets(
  { run_secrets }: Vault,
  { begin }: StoredRun,
  { settings }: PublishedWorkflow,
): Promise<Set<string>> {
  const person = begin.actor_id ?? settings.owner_id;
  const [shared, globals] = await Promise.all([
    run_secrets.getSecrets(person),
    run_secrets.globalVariables(person),
  ]);
  return new Set([...shared.values, ...globals.secrets]);
}

function resolveInput(past: StoredRun, opened: Json | undefined, given: Json | undefined): Json {
  if (given !== undefined) return given;
  if (past.final && isOfRefusedCall(past.final.status))
    throw invalidField(
      ['body', 'input'],
      'is needed: this call was answered without a run, and its input was kept with secrets masked',
      'input_masked',
    );
  if (past.begin.options['sealed_input'] !== undefined && opened === undefined)
    throw invalidField(
      ['body', 'input'],
      'is needed: secrets in the input of that run were masked, and the key that sealed them is not configured any more',
      'input_masked',
    );
  return opened ?? past.begin.input;
}

/**
 * Opens what is stored of a run that has ended.
 *
 * @param given takes the place of its input
 * @throws AppError `conflict` while it runs or waits; `invalid_input` where its input cannot be had any more
 */
export async function openPastRun(
  vault: LoggedVault,
  stored: StoredRun,
  { workflow, given }: { workflow: PublishedWorkflow; given: Json | undefined },
): Promise<PastRun> {
  const { final, begin } = stored;
  if (!final) throw conflict('The run has not ended yet; wait for its end, or cancel it first');
  const sealed = openInput(vault, begin);
  const secrets = await loadSecrets(vault, stored, workflow);
  for (const secret of sealed?.secrets ?? []) secrets.add(secret);
  const kept = KEPT_OPTIONS.flatMap((name) => {
    const value = begin.options[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const globals = passedGlobals(begin.options, sealed);
  return {
    stored,
    final,
    input: resolveInput(stored, sealed?.input, given),
    options: { ...Object.fromEntries(kept), ...(globals ? { globals } : {}) },
    secrets,
    wrote: !wasGivenUp(final),
    results: stored.records.flatMap((record): PastResult[] => {
      if (record.type !== 'node_finished') return [];
      const fact = openFact(vault, begin.run_id, record);
      const result = fact?.type === 'node_finished' ? fact : record;
      return [{ result, is_whole: fact !== undefined }];
    }),
  };
}
