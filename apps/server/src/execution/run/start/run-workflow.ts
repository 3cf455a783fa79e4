import type { Ambient, Failure, Json, JsonObject, RunContext, RunOptions } from '@millrace/engine';
import { newOrderedId } from '../../../core/ids.ts';
import type { SecretSet } from '../../../ports/run/run-secrets.ts';
import type { RunBegin, StoredRun } from '../../model/run.ts';
import { wasTestRun } from '../../store/encoding/run-options.ts';
import type { PublishedWorkflow } from '../../workflows/published-workflow.ts';
import { RunExecutor } from '../executor/run-executor.ts';
import type { ExecutorNeeds } from '../executor/run-start.ts';
import type { RunKeeping } from '../run-keeping.ts';
import { hasSealedInput, hideStart, openInput, passedGlobals } from '../secrets/sealed-input.ts';
import { RunSecretsMask } from '../secrets/secrets-mask.ts';
import type { Vault } from '../secrets/vault.ts';
import { resolveBaseUrl } from './base-url.ts';
import { storedPart } from './part.ts';
import { computeDeadline } from './queued-run.ts';
import { type Progress, readProgress } from './resume.ts';
import type { RunHandle, RunRequest } from './run-request.ts';
import { isTrial, trialOptions } from './trial.ts';

/** Shared by all runs of this process; made once. */
export interface StartNeeds extends ExecutorNeeds {
  readonly ambient: Ambient;
  readonly max_node_executions: number;
  /** Of all results of a run together, as JSON text. */
  readonly max_run_characters: number;
}

/** The data that a run reads of the person it is attributed to. */
interface PersonalData {
  readonly globals: JsonObject | undefined;
  readonly credentials: Readonly<Record<string, string>> | undefined;
  /** Names of those that are bearer tokens. */
  readonly bearers?: ReadonlySet<string>;
  readonly secrets: RunSecretsMask;
}

async function readCredentials(
  { run_secrets }: Vault,
  run_as: string,
  { names, secrets }: { names: readonly string[] | null; secrets: RunSecretsMask },
): Promise<Pick<PersonalData, 'credentials' | 'bearers'>> {
  const found = await run_secrets.credentialsByName(run_as, names);
  const values = Object.create(null) as Record<string, string>;
  const bearers = new Set<string>();
  for (const [name, credential] of found) {
    secrets.add(credential.secrets);
    if (credential.expression_value !== undefined) values[name] = credential.expression_value;
    if (credential.type === 'bearer') bearers.add(name);
  }
  return { credentials: values, bearers };
}

/** @param inherited secrets of the run above, or of a former process of this one */
function personalData(
  vault: Vault,
  workflow: PublishedWorkflow,
  { run_as, inherited }: { run_as: string; inherited: Iterable<string> | undefined },
): PersonalData | Promise<PersonalData> {
  const known = vault.run_secrets.getSecrets(run_as);
  const read = (shared: SecretSet) =>
    readPersonal(vault, workflow, { run_as, secrets: new RunSecretsMask(shared, inherited) });
  return known instanceof Promise ? known.then(read) : read(known);
}

/** Read only when the graph mentions them: most runs need nothing and wait for nothing. */
function readPersonal(
  vault: Vault,
  { version }: PublishedWorkflow,
  { run_as, secrets }: { run_as: string; secrets: RunSecretsMask },
): PersonalData | Promise<PersonalData> {
  const names = version.graph.credential_names;
  if (!version.reads_globals && names !== null && names.length === 0) {
    return { globals: undefined, credentials: undefined, secrets };
  }
  return (async () => {
    const globals = version.reads_globals ? await vault.run_secrets.globalVariables(run_as) : undefined;
    if (globals) secrets.add(globals.secrets);
    const read = await readCredentials(vault, run_as, { names, secrets });
    // Guarantee of the port: values of global variables are stored as JSON.
    return { globals: globals?.values as JsonObject | undefined, ...read, secrets };
  })();
}

interface Start {
  readonly workflow: PublishedWorkflow;
  readonly begin: RunBegin;
  readonly input: Json;
  readonly run_as: string;
  readonly test_run: boolean;
  /** Variables of the run above, seen as `$global`. */
  readonly globals: JsonObject | undefined;
  readonly progress?: Progress;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Filled step by step instead of spread together: every run pays for this. */
function engineOptions(needs: StartNeeds, start: Start, personal: PersonalData): RunOptions {
  const { begin, workflow, progress } = start;
  const { id, name, description, strict_references } = workflow.settings;
  const workflowPath = `/workflows/${id}`;
  const context: Mutable<RunContext> = {
    workflowName: name,
    workflowDescription: description,
    workflowPath,
    executionId: begin.run_id,
  };
  const base = resolveBaseUrl(needs.calls, { options: begin.options, input: start.input });
  if (base !== undefined) context.workflowUrl = base + workflowPath;
  const options: Mutable<RunOptions> = {
    input: start.input,
    ambient: needs.ambient,
    test_run: start.test_run && begin.options['without_pins'] !== true,
    max_node_executions: needs.max_node_executions,
    max_characters: needs.max_run_characters,
    strict_references,
    context,
  };
  const globals = start.globals ? { ...personal.globals, ...start.globals } : personal.globals;
  if (globals) options.globals = globals;
  if (personal.credentials) options.credentials = personal.credentials;
  if (personal.bearers) options.bearer_credentials = personal.bearers;
  if (begin.trigger_node_id !== null) options.only_trigger = begin.trigger_node_id;
  if (progress) options.last_sequence = progress.last_sequence;
  const part = storedPart(begin.options);
  return part ? { ...options, ...part } : options;
}

const NO_OPTIONS: JsonObject = Object.freeze({});

function storedOptions(request: RunRequest): JsonObject {
  const { options } = request;
  return isTrial(request) ? { ...options, ...trialOptions(request) } : (options ?? NO_OPTIONS);
}

function createRunBegin(keeping: RunKeeping, request: RunRequest, secrets: RunSecretsMask): RunBegin {
  const { settings, version } = request.workflow;
  const started_at_ms = keeping.now();
  const { input, options } = hideStart(
    keeping,
    { input: request.input, options: storedOptions(request) },
    secrets,
  );
  return {
    run_id: request.run_id ?? newOrderedId(started_at_ms),
    workflow_id: settings.id,
    version_id: version.id,
    trigger_source: request.trigger_source,
    trigger_node_id: request.trigger_node_id ?? null,
    actor_id: request.run_as,
    parent_run_id: request.parent?.run_id ?? null,
    root_run_id: request.parent?.root_run_id ?? null,
    depth: request.parent?.depth ?? 0,
    idempotency_key: request.idempotency_key ?? null,
    options,
    input,
    started_at_ms,
    deadline_at_ms: computeDeadline(settings, started_at_ms),
  };
}

function startWith(needs: StartNeeds, request: RunRequest, personal: PersonalData): RunHandle {
  const begin = createRunBegin(needs.keeping, request, personal.secrets);
  const { workflow, input, run_as } = request;
  const globals = passedGlobals(request.options ?? NO_OPTIONS);
  const start: Start = { workflow, begin, input, run_as, test_run: request.test_run === true, globals };
  const executor = new RunExecutor({
    keeping: needs.keeping,
    calls: needs.calls,
    nodes: needs.nodes,
    workflow: request.workflow,
    begin,
    run_as: request.run_as,
    secrets: personal.secrets,
    options: engineOptions(needs, start, personal),
    observer: request.observer,
    parent_signal: request.parent?.signal,
  });
  return executor.run();
}

/**
 * Starts a run that was admitted and that something in this process waits for; `resumeRun` starts those of the queue. Returns
 * without a promise when the graph needs nothing of its person, for then a run of pure nodes is over when this returns.
 */
export function startRun(needs: StartNeeds, request: RunRequest): RunHandle | Promise<RunHandle> {
  const { run_as, parent } = request;
  const inherited = parent?.secrets?.values;
  const personal = personalData(needs.keeping, request.workflow, { run_as, inherited });
  if (!(personal instanceof Promise)) return startWith(needs, request, personal);
  return personal.then((data) => startWith(needs, request, data));
}

/** Masked values would give a wrong result, so nothing is done with them. */
const KEY_MISSING: Failure = {
  kind: 'credential',
  message:
    'Values of this run were encrypted with a key that is not configured any more: name it in ENCRYPTION_KEYS_OLD, then run it again',
  final: true,
};

/** Resumes a claimed run after its last recorded node, or begins one that was only stored. */
export async function resumeRun(
  needs: StartNeeds,
  stored: StoredRun,
  workflow: PublishedWorkflow,
): Promise<RunHandle> {
  const { begin } = stored;
  const run_as = begin.actor_id ?? workflow.settings.owner_id;
  const sealed = openInput(needs.keeping, begin);
  const personal = await personalData(needs.keeping, workflow, { run_as, inherited: sealed?.secrets });
  const progress = readProgress(needs.keeping, stored, workflow);
  const start: Start = {
    workflow,
    begin,
    input: sealed ? sealed.input : begin.input,
    run_as,
    test_run: wasTestRun(begin.options),
    globals: passedGlobals(begin.options, sealed),
    progress,
  };
  const executor = new RunExecutor({
    keeping: needs.keeping,
    calls: needs.calls,
    nodes: needs.nodes,
    workflow,
    begin,
    run_as,
    secrets: personal.secrets,
    options: engineOptions(needs, start, personal),
    progress,
  });
  executor.open();
  if (stored.cancel_requested) executor.cancel();
  else if (progress.is_unreadable || (!sealed && hasSealedInput(begin))) executor.stop(KEY_MISSING);
  return executor.run();
}
