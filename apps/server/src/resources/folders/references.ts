import type { GraphNode, MissingReference } from '@millrace/contracts';
import { isJsonObject } from '@millrace/engine';

/** Node fields that hold the id of a credential, with the model that is only good for it. */
const CREDENTIAL_FIELDS: Readonly<Record<string, string | undefined>> = {
  credentialId: 'model',
  credential_id: undefined,
  githubCredentialId: undefined,
  fallbackCredentialId: 'fallbackModel',
  guardrailCredentialId: 'guardrailModel',
  rerankerCredentialId: undefined,
};
const WORKFLOW_FIELD = 'executeWorkflowId';
/** The key under which an Execute Workflow node stores the name of its target. */
const TARGET_NAME = 'targetWorkflowName';
const TARGET_FIELDS = [TARGET_NAME, 'targetWorkflowInputFields'];
const SUB_WORKFLOWS = 'subWorkflowIds';
/** Names of sub-workflows by id, as an agent node keeps them. */
const SUB_WORKFLOW_NAMES = 'subWorkflowNames';
/** Steps of a browser node, whose kind `ai` has a model credential, and MCP servers of an agent. */
const STEP_LISTS = ['playwrightSteps', 'playwrightAuthFallbackSteps', 'mcpConnections'] as const;

export type Data = Record<string, unknown>;

export interface Reference {
  readonly kind: 'credential' | 'workflow';
  readonly field: string;
  readonly id: string;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
/** Only a run knows the id. */
const isExpression = (value: unknown): boolean => typeof value === 'string' && value.startsWith('$');
const isId = (value: unknown): value is string => isText(value) && !isExpression(value);

/** Objects inside the data that may refer to credentials of their own, with where they stand. */
function collectSteps(data: Data): [path: string, step: Data][] {
  const single: [string, unknown][] = [['aiStep', data['aiStep']]];
  const listed = STEP_LISTS.flatMap((key) => {
    const steps = data[key];
    return Array.isArray(steps)
      ? steps.map((step: unknown, at): [string, unknown] => [`${key}.${at}`, step])
      : [];
  });
  return [...single, ...listed].flatMap(([path, step]) => (isJsonObject(step) ? [[path, step]] : []));
}

/** Credentials and workflows that the data of one node refers to. */
export function collectReferences(data: Data): Reference[] {
  const found: Reference[] = [];
  for (const field of Object.keys(CREDENTIAL_FIELDS)) {
    const id = data[field];
    if (isId(id)) found.push({ kind: 'credential', field, id });
  }
  const target = data[WORKFLOW_FIELD];
  if (isId(target)) found.push({ kind: 'workflow', field: WORKFLOW_FIELD, id: target });
  const subs = data[SUB_WORKFLOWS];
  if (Array.isArray(subs)) {
    found.push(...subs.filter(isId).map((id): Reference => ({ kind: 'workflow', field: SUB_WORKFLOWS, id })));
  }
  for (const [path, step] of collectSteps(data)) {
    found.push(
      ...collectReferences(step).map((reference) => ({ ...reference, field: `${path}.${reference.field}` })),
    );
  }
  return found;
}

export interface Known {
  readonly credentials: ReadonlySet<string>;
  /** Id of a workflow as the file names it, to the id that it has here. */
  readonly workflows: ReadonlyMap<string, string>;
  /** Ids of workflows by their name here, for targets whose id means nothing here. */
  readonly names: ReadonlyMap<string, string>;
}

/** Name of the workflow that an Execute Workflow node calls, as the editor that wrote the file kept it. */
function findTargetName(data: Data): string | undefined {
  const name = data[TARGET_NAME];
  return isText(name) && data[WORKFLOW_FIELD] !== undefined ? name : undefined;
}

/** Names of the sub-workflows of an agent, by their ids in the file. */
function readSubNames(data: Data): ReadonlyMap<string, string> {
  const names = data[SUB_WORKFLOW_NAMES];
  const entries = isJsonObject(names) ? Object.entries(names) : [];
  return new Map(entries.flatMap(([id, name]) => (isText(name) ? [[id, name]] : [])));
}

/** Names of all workflows that a node calls; files of some editors have no other sign of which these are. */
export function listWorkflowNames(data: Data): string[] {
  const target = findTargetName(data);
  return [...(target === undefined ? [] : [target]), ...readSubNames(data).values()];
}

/** A workflow by its id in the file, else by its name there. */
function idHere(id: unknown, name: string | undefined, { workflows, names }: Known): string | undefined {
  const byId = isId(id) ? workflows.get(id) : undefined;
  return byId ?? (name === undefined ? undefined : names.get(name));
}

function findTarget(data: Data, known: Known): string | undefined {
  return idHere(data[WORKFLOW_FIELD], findTargetName(data), known);
}

/** The sub-workflows of an agent that are known here, and their names. */
function relinkedSubs(data: Data, known: Known): Data {
  const names = readSubNames(data);
  const result: Data = {};
  const subs = data[SUB_WORKFLOWS];
  if (Array.isArray(subs)) {
    const here = subs.flatMap((id: unknown) => {
      if (isExpression(id)) return [String(id)];
      return isId(id) ? (idHere(id, names.get(id), known) ?? []) : [];
    });
    result[SUB_WORKFLOWS] = [...new Set(here)];
  }
  if (isJsonObject(data[SUB_WORKFLOW_NAMES])) {
    const here = [...names].map(([id, name]) => [idHere(id, name, known), name] as const);
    result[SUB_WORKFLOW_NAMES] = Object.fromEntries(here.filter(([id]) => id !== undefined));
  }
  return result;
}

/** The data with workflow ids as they are here, and without references to what is not. */
export function relinked(data: Data, known: Known): Data {
  const result: Data = { ...data, ...relinkedSubs(data, known) };
  for (const [field, model] of Object.entries(CREDENTIAL_FIELDS)) {
    const id = result[field];
    if (!isId(id) || known.credentials.has(id)) continue;
    result[field] = '';
    if (model && Object.hasOwn(result, model)) result[model] = '';
  }
  const isFixed = !isExpression(result[WORKFLOW_FIELD]);
  if (isFixed && (isId(result[WORKFLOW_FIELD]) || findTargetName(result) !== undefined)) {
    const here = findTarget(result, known);
    result[WORKFLOW_FIELD] = here ?? '';
    if (here === undefined) for (const field of TARGET_FIELDS) delete result[field];
  }
  const step = (value: unknown): unknown => (isJsonObject(value) ? relinked(value, known) : value);
  if (Object.hasOwn(result, 'aiStep')) result['aiStep'] = step(result['aiStep']);
  for (const key of STEP_LISTS) {
    const steps = result[key];
    if (Array.isArray(steps)) result[key] = steps.map(step);
  }
  return result;
}

/** Tells the person who imports a node that it refers to something that they do not have. */
export function describeMissing(kind: Reference['kind'], label: string): string {
  const lost = kind === 'workflow' ? 'calls a workflow' : 'uses a credential';
  return `"${label}" ${lost} that you cannot see here; choose it again`;
}

/** The references of a node that are not known here. */
export function findMissing(
  kind: Reference['kind'],
  { file, node, known }: { file: string; node: GraphNode; known: Known },
): MissingReference[] {
  const subNames = readSubNames(node.data);
  const has = ({ id, field }: Reference) => {
    if (kind === 'credential') return known.credentials.has(id);
    const name = field === SUB_WORKFLOWS ? subNames.get(id) : findTargetName(node.data);
    return idHere(id, name, known) !== undefined;
  };
  const label = node.data['label'];
  return collectReferences(node.data)
    .filter((reference) => reference.kind === kind && !has(reference))
    .map(({ field, id }) => ({
      file,
      node_id: node.id,
      node_label: typeof label === 'string' ? label : null,
      field,
      id,
    }));
}
