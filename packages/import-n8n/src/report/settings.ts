import { type ImportWarning, isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import type { NodeReport } from './report.ts';

/** Settings of the workflow that are set elsewhere here. */
const SETTINGS: Readonly<Record<string, string>> = {
  errorWorkflow:
    'Errors are handled by an error handler in the workflow here; the error workflow was left out',
  executionTimeout: 'Set the time limit in the settings of the workflow',
};

const KEPT_RUNS = 'n8n did not keep all runs of the workflow; here the history has every run';
const CALLERS = 'n8n limited which workflows may call this one; here those of everyone who can see it may';

/** Settings that mean something only with some values. */
const BY_VALUE: Readonly<Record<string, { readonly lost: readonly Json[]; readonly message: string }>> = {
  saveDataErrorExecution: { lost: ['none'], message: KEPT_RUNS },
  saveDataSuccessExecution: { lost: ['none'], message: KEPT_RUNS },
  saveManualExecutions: { lost: [false], message: KEPT_RUNS },
  callerPolicy: { lost: ['none', 'workflowsFromAList'], message: CALLERS },
  availableInMCP: {
    lost: [true],
    message: 'The workflow is not offered over MCP until you switch that on here',
  },
};

/** Settings of n8n itself: how it stores runs, orders nodes and counts the time that was saved. */
const WITHOUT_MEANING: ReadonlySet<string> = new Set([
  'timezone',
  'callerIds',
  'saveExecutionProgress',
  'executionOrder',
  'binaryMode',
  'timeSavedPerExecution',
  'timeSavedMode',
]);

/** Keys of nodes that are read, or are about how n8n stores and draws a node. */
const NODE_KEYS: ReadonlySet<string> = new Set([
  'id',
  'name',
  'type',
  'typeVersion',
  'position',
  'parameters',
  'credentials',
  'disabled',
  'notes',
  'notesInFlow',
  'color',
  'retryOnFail',
  'maxTries',
  'waitBetweenTries',
  'continueOnFail',
  'onError',
  'alwaysOutputData',
  'executeOnce',
  'webhookId',
  'extendsCredential',
  'cid',
  'issues',
]);

function isEmpty(value: Json | undefined): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === false || value === '';
}

/** Keys of a node that mean something and are not read. */
export const lostKeys = (stored: JsonObject): string[] =>
  Object.keys(stored).filter((key) => !NODE_KEYS.has(key) && !isEmpty(stored[key]));

interface Reported {
  readonly report: NodeReport;
  readonly isKept: boolean;
  readonly fillsNone: boolean;
  /** Its output may be one item or a list. */
  readonly mayBeList: boolean;
}

/** Reports the losses among the keys that nodes of every type have. */
export function reportNode(stored: JsonObject, { report, isKept, fillsNone, mayBeList }: Reported): void {
  if (stored['alwaysOutputData'] === true && !fillsNone) report.say(describeEmptyOutput(stored, mayBeList));
  const notes = readText(stored['notes']);
  if (notes !== '') report.say(`Its note was left out: ${notes}`, 'notes');
  // It cannot run, so that how it would run means nothing.
  if (isKept) return;
  for (const key of lostKeys(stored))
    report.say(`The key "${key}" of the node has no equal here and was left out`);
}

/** Says what becomes of "always output data" where a node does not hand on an empty item. */
function describeEmptyOutput(stored: JsonObject, mayBeList: boolean): string {
  if (readText(stored['type']).endsWith('.splitInBatches'))
    return 'n8n also continues at the first output of the loop, with an empty item, when no item goes there; here it does not';
  if (/\.(if|switch)$/.test(readText(stored['type'])))
    return 'n8n also continues at its first output, with an empty item, when no item goes there; here it does not';
  if (mayBeList)
    return '"Always output data": nodes after it also run here when its answer is an empty list, but without an empty item';
  if (continuesOn(stored))
    return '"Always output data" was left out, because the node continues after errors: without items, nodes after it do not run';
  return '"Always output data" has no meaning here; a node always has an output';
}

export function reportSettings(json: JsonObject, warnings: ImportWarning[]): void {
  const settings = isJsonObject(json['settings']) ? json['settings'] : {};
  for (const [key, message] of Object.entries(SETTINGS)) {
    const value = settings[key];
    if (value !== undefined && value !== '' && value !== -1)
      warnings.push({ field: `settings.${key}`, message });
  }
  for (const [key, value] of Object.entries(settings)) {
    const message = describeLoss(key, value);
    if (message !== undefined) warnings.push({ field: `settings.${key}`, message });
  }
  const timeZone = readTimeZone(json);
  if (timeZone !== '') {
    warnings.push({
      field: 'settings.timezone',
      message: `The time zone ${timeZone} was set in the schedules; dates in expressions use that of the service`,
    });
  }
}

function describeLoss(key: string, value: Json): string | undefined {
  if (WITHOUT_MEANING.has(key) || Object.hasOwn(SETTINGS, key)) return undefined;
  const known = Object.hasOwn(BY_VALUE, key) ? BY_VALUE[key] : undefined;
  if (known) return known.lost.includes(value) ? known.message : undefined;
  if (isEmpty(value)) return undefined;
  return `The setting "${key}" of the workflow has no equal here and was left out`;
}

/** Empty when the workflow has that of the service. */
export function readTimeZone({ settings }: JsonObject): string {
  const written = isJsonObject(settings) ? readText(settings['timezone']) : '';
  return written === 'DEFAULT' ? '' : written;
}

/** The same nodes run after an error. */
export const continuesOn = (stored: JsonObject): boolean =>
  stored['continueOnFail'] === true ||
  ['continueRegularOutput', 'continueErrorOutput'].includes(readText(stored['onError']));

/** n8n counts in milliseconds and up to five tries. */
export function toRetrySettings(stored: JsonObject): JsonObject {
  const within = (value: Json | undefined, usual: number, most: number): number =>
    Math.min(Math.max(Math.round(typeof value === 'number' ? value : usual), 1), most);
  const wait = stored['waitBetweenTries'];
  return {
    retryEnabled: true,
    retryMaxAttempts: within(stored['maxTries'], 3, 10),
    retryWaitSeconds: within(typeof wait === 'number' ? wait / 1000 : 1, 1, 60),
  };
}
