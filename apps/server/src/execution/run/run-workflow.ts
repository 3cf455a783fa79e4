import { isJsonObject, type Json, type JsonObject, type RunContext, type RunOptions } from '@millrace/engine';
import { newRunId } from '../../core/ids.ts';
import type { RunBegin, StoredRun } from '../journal/journal.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';
import type { RunEnvironment } from './environment.ts';
import { deadlineOf } from './queued-run.ts';
import { type Progress, progressOf } from './resume.ts';
import type { RunHandle, RunRequest } from './run-request.ts';
import { openInput, sealInput } from './sealed-input.ts';
import { RunSecretsMask } from './secrets.ts';
import { RunSession } from './session.ts';

/** What a run reads of the person it is attributed to. */
interface PersonalData {
  readonly globals: JsonObject | undefined;
  readonly credentials: Readonly<Record<string, string>> | undefined;
  readonly secrets: RunSecretsMask;
}

async function readCredentials(
  { run_secrets }: RunEnvironment,
  run_as: string,
  { names, secrets }: { names: readonly string[] | null; secrets: RunSecretsMask },
): Promise<Readonly<Record<string, string>>> {
  const found = await run_secrets.credentialsByName(run_as, names);
  const values = Object.create(null) as Record<string, string>;
  for (const [name, credential] of found) {
    secrets.add(credential.secrets);
    if (credential.expression_value !== undefined) values[name] = credential.expression_value;
  }
  return values;
}

/** Read only when the graph mentions them: most runs need nothing and wait for nothing. */
function personalData(
  environment: RunEnvironment,
  { version }: PublishedWorkflow,
  { run_as, secrets }: { run_as: string; secrets: RunSecretsMask },
): PersonalData | Promise<PersonalData> {
  const names = version.graph.credential_names;
  if (!version.reads_globals && names !== null && names.length === 0) {
    return { globals: undefined, credentials: undefined, secrets };
  }
  return (async () => {
    const globals = version.reads_globals ? await environment.run_secrets.globalVariables(run_as) : undefined;
    const credentials = await readCredentials(environment, run_as, { names, secrets });
    // Guarantee of the port: values of global variables are stored as JSON.
    return { globals: globals as JsonObject | undefined, credentials, secrets };
  })();
}

interface Start {
  readonly workflow: PublishedWorkflow;
  readonly begin: RunBegin;
  readonly input: Json;
  readonly run_as: string;
  readonly test_run: boolean;
  readonly progress?: Progress;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Filled step by step instead of spread together: every run pays for this. */
function engineOptions(environment: RunEnvironment, start: Start, personal: PersonalData): RunOptions {
  const { begin, workflow, progress } = start;
  const { id, name } = workflow.settings;
  const context: Mutable<RunContext> = { workflowName: name, executionId: begin.run_id };
  if (environment.public_url) context.workflowUrl = `${environment.public_url}/workflows/${id}`;
  const options: Mutable<RunOptions> = {
    input: start.input,
    ambient: environment.ambient,
    test_run: start.test_run,
    max_node_executions: environment.max_node_executions,
    max_characters: environment.max_run_characters,
    context,
  };
  const passed = begin.options['globals'];
  const globals = isJsonObject(passed) ? { ...personal.globals, ...passed } : personal.globals;
  if (globals) options.globals = globals;
  if (personal.credentials) options.credentials = personal.credentials;
  if (begin.trigger_node_id !== null) options.only_trigger = begin.trigger_node_id;
  if (progress) options.last_sequence = progress.last_sequence;
  return options;
}

const NO_OPTIONS: JsonObject = Object.freeze({});

function storedOptions({ options, test_run }: RunRequest): JsonObject {
  if (test_run !== true) return options ?? NO_OPTIONS;
  return { ...options, test_run: true };
}

function beginOf(environment: RunEnvironment, request: RunRequest, secrets: RunSecretsMask): RunBegin {
  const { settings, version } = request.workflow;
  const started_at_ms = environment.now();
  const options = storedOptions(request);
  const input = secrets.mask(request.input);
  return {
    run_id: newRunId(started_at_ms),
    workflow_id: settings.id,
    version_id: version.id,
    trigger_source: request.trigger_source,
    trigger_node_id: request.trigger_node_id ?? null,
    actor_id: request.run_as,
    parent_run_id: request.parent?.run_id ?? null,
    root_run_id: request.parent?.root_run_id ?? null,
    depth: request.parent?.depth ?? 0,
    idempotency_key: request.idempotency_key ?? null,
    options:
      input === request.input ? options : { ...options, ...sealInput(environment, request.input, secrets) },
    input,
    started_at_ms,
    deadline_at_ms: deadlineOf(settings, started_at_ms),
  };
}

function startWith(environment: RunEnvironment, request: RunRequest, personal: PersonalData): RunHandle {
  const begin = beginOf(environment, request, personal.secrets);
  const { workflow, input, run_as } = request;
  const start: Start = { workflow, begin, input, run_as, test_run: request.test_run === true };
  const session = new RunSession({
    environment,
    workflow: request.workflow,
    begin,
    run_as: request.run_as,
    secrets: personal.secrets,
    options: engineOptions(environment, start, personal),
    observer: request.observer,
    parent_signal: request.parent?.signal,
  });
  return session.run();
}

/**
 * Starts a run. The only way in, whatever the entry point: API, trigger, sub-workflow, editor. Answers without a promise
 * when the graph needs nothing of its person, for then a run of pure nodes is over when this returns.
 */
export function startRun(environment: RunEnvironment, request: RunRequest): RunHandle | Promise<RunHandle> {
  const { run_as, parent } = request;
  const secrets = new RunSecretsMask(parent?.secrets?.values);
  const personal = personalData(environment, request.workflow, { run_as, secrets });
  if (!(personal instanceof Promise)) return startWith(environment, request, personal);
  return personal.then((data) => startWith(environment, request, data));
}

/** Goes on with a claimed run behind its last recorded node, or begins one that was only stored. */
export async function resumeRun(
  environment: RunEnvironment,
  stored: StoredRun,
  workflow: PublishedWorkflow,
): Promise<RunHandle> {
  const { begin } = stored;
  const run_as = begin.actor_id ?? workflow.settings.owner_id;
  const sealed = openInput(environment, begin);
  const secrets = new RunSecretsMask(sealed?.secrets);
  const personal = await personalData(environment, workflow, { run_as, secrets });
  const progress = progressOf(stored, workflow);
  const start: Start = {
    workflow,
    begin,
    input: sealed ? sealed.input : begin.input,
    run_as,
    test_run: begin.options['test_run'] === true,
    progress,
  };
  const session = new RunSession({
    environment,
    workflow,
    begin,
    run_as,
    secrets: personal.secrets,
    options: engineOptions(environment, start, personal),
    progress,
  });
  session.open();
  for (const row of progress.decided) session.adopt(row);
  if (stored.cancel_requested) session.cancel();
  return session.run();
}
