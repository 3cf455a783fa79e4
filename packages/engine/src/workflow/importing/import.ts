import { isBlockedKey, isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { DOCUMENT_LIMITS, type WorkflowDocument, type WorkflowEdge, type WorkflowNode } from '../schema.ts';
import { cleanData, MAX_DATA_DEPTH, TooDeep } from './import-data.ts';

/** Why something cannot be imported. `field` is a path like `nodes.3.type`. */
export class ImportError extends Error {
  readonly field: string;
  /** The message without the field. */
  readonly reason: string;
  constructor(field: string, reason: string) {
    super(field === '' ? reason : `${field}: ${reason}`);
    this.name = 'ImportError';
    this.field = field;
    this.reason = reason;
  }
}

export interface ImportWarning {
  field: string;
  message: string;
}

export interface ImportedWorkflow {
  name?: string;
  description?: string;
  document: WorkflowDocument;
  /** Settings that exports of whole records carry, with old spellings replaced; ids, owners and secrets never. */
  settings: JsonObject;
  /** Everything that was changed or left out during the import. */
  warnings: ImportWarning[];
}

const NAME_LIMIT = 255;
const TYPE_LIMIT = 100;
const HANDLE_LIMIT = 100;

const SETTINGS = [
  'http_method',
  'cache_ttl_seconds',
  'rate_limit_requests',
  'rate_limit_window_seconds',
  'sse_enabled',
  'sse_node_config',
  'workflow_timeout_seconds',
  'concurrency_limit',
  'concurrency_key',
  'queue_limit',
  'queue_overflow',
  'priority',
  'run_budget_usd',
  'daily_budget_usd',
  'strict_references',
] as const;

/** The product whose flows have this shape, when it is one that cannot be read. */
function foreignProduct(json: unknown): string | undefined {
  // Flows of Node-RED are a list of nodes, whose wires are lists of ids.
  const isWired = (node: unknown) => isJsonObject(node) && Array.isArray(node['wires']);
  if (Array.isArray(json)) return json.some(isWired) ? 'Node-RED' : undefined;
  if (!isJsonObject(json)) return undefined;
  // One flow of Activepieces, or a template with several.
  const flows = Array.isArray(json['flows']) ? json['flows'] : [json['template'] ?? json];
  const isFlow = (flow: unknown) =>
    isJsonObject(flow) && typeof flow['displayName'] === 'string' && isJsonObject(flow['trigger']);
  return json['nodes'] === undefined && flows.some(isFlow) ? 'Activepieces' : undefined;
}

/**
 * Reads an exported workflow: `{nodes, edges}`, the same with a name, a copied selection, or a full record. Repairs
 * what can be repaired and reports it; throws `ImportError` for everything else. Unknown `data` keys stay untouched.
 */
export function readImport(json: unknown): ImportedWorkflow {
  const product = foreignProduct(json);
  if (product !== undefined) {
    throw new ImportError(
      '',
      `This is an export of ${product}, which cannot be read; build the workflow here, or export it from n8n or heym`,
    );
  }
  if (!isJsonObject(json)) throw new ImportError('', 'Expected a JSON object with a list "nodes"');
  if (isN8nExport(json)) {
    throw new ImportError('', 'This is an export of n8n; import its file on the page of workflows');
  }
  const { nodes, edges = [], name, description } = json;
  if (!Array.isArray(nodes)) throw new ImportError('nodes', 'Expected a list of nodes');
  if (edges !== null && !Array.isArray(edges)) throw new ImportError('edges', 'Expected a list of edges');
  const drawn = edges ?? [];
  requireCount('nodes', nodes.length, DOCUMENT_LIMITS.nodes);
  requireCount('edges', drawn.length, DOCUMENT_LIMITS.edges);
  const warnings: ImportWarning[] = [];
  const warn = (field: string, message: string): void => void warnings.push({ field, message });
  const importedNodes = importNodes(nodes, warn);
  const ids = new Set(importedNodes.map(({ id }) => id));
  const result: ImportedWorkflow = {
    document: { nodes: importedNodes, edges: importEdges(drawn, ids, warn) },
    settings: importSettings(json, warn),
    warnings,
  };
  if (typeof name === 'string' && name.trim() !== '') result.name = importName(name.trim(), warn);
  if (typeof description === 'string') result.description = description;
  return result;
}

function importName(name: string, warn: (field: string, message: string) => void): string {
  if (name.length <= NAME_LIMIT) return name;
  warn('name', `The name has ${name.length} characters and was shortened to ${NAME_LIMIT}`);
  // Half of a character that takes two units could not be stored.
  return name
    .slice(0, NAME_LIMIT)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd();
}

/**
 * True for an export of n8n, which has to be converted first (`@millrace/import-n8n`). A workflow with edges is none, though
 * nodes of n8n that have no equal keep their type.
 */
export function isN8nExport({ nodes, connections, edges }: JsonObject): boolean {
  if (!Array.isArray(nodes) || Array.isArray(edges)) return false;
  const isN8n = (node: Json): boolean =>
    isJsonObject(node) && typeof node['type'] === 'string' && /^(@n8n\/)?n8n-nodes-/.test(node['type']);
  return isJsonObject(connections) || nodes.some(isN8n);
}

/** Templates that n8n hands out are `{workflow: {name, workflow: {nodes, connections}}}`. */
const MOST_WRAPPERS = 2;

/** The export of n8n that the JSON is or holds, with the name nearest to it; undefined when there is none. */
export function findN8nExport(json: unknown, wrappers = MOST_WRAPPERS): JsonObject | undefined {
  if (!isJsonObject(json)) return undefined;
  if (isN8nExport(json)) return json;
  if (wrappers === 0 || Array.isArray(json['edges'])) return undefined;
  const inner = findN8nExport(json['workflow'], wrappers - 1);
  return inner && { name: json['name'] ?? null, ...inner };
}

type Warn = (field: string, message: string) => void;

/** @throws ImportError when a document has more entries than it may have */
export function requireCount(field: string, count: number, most: number): void {
  if (count > most) throw new ImportError(field, `Has ${count} entries; at most ${most} are allowed`);
}

function importNodes(nodes: readonly Json[], warn: Warn): WorkflowNode[] {
  const ids = new TakenNames();
  const labels = new TakenNames();
  return nodes.map((stored, index) => {
    const field = `nodes.${index}`;
    if (!isJsonObject(stored)) throw new ImportError(field, 'Expected an object with "type" and "data"');
    const { type } = stored;
    if (typeof type !== 'string' || type.trim() === '' || type.length > TYPE_LIMIT) {
      throw new ImportError(
        `${field}.type`,
        `Expected the node's type, a text of 1 to ${TYPE_LIMIT} characters`,
      );
    }
    const id = uniqueId(readId(stored['id'], `${field}.id`) ?? `node_${index}`, { taken: ids, field, warn });
    const data = readData(stored['data'], { field: `${field}.data`, warn });
    data['label'] = uniqueLabel(data['label'], { type, taken: labels, field, warn });
    const rest = pickUnknown(stored, NODE_KEYS, { field, warn });
    return { ...rest, id, type: type.trim(), position: readPosition(stored['position']), data };
  });
}

const NODE_KEYS: ReadonlySet<string> = new Set(['id', 'type', 'position', 'data']);
const EDGE_KEYS: ReadonlySet<string> = new Set(['id', 'source', 'target', 'sourceHandle', 'targetHandle']);

/** Keys that are not used here; they are kept, so that an export contains them again. */
function pickUnknown(
  stored: JsonObject,
  known: ReadonlySet<string>,
  at: { field: string; warn: Warn },
): JsonObject {
  const rest = Object.fromEntries(Object.entries(stored).filter(([key]) => !known.has(key)));
  return readData(rest, at);
}

function readData(stored: Json | undefined, { field, warn }: { field: string; warn: Warn }): JsonObject {
  if (stored === undefined || stored === null) return {};
  if (!isJsonObject(stored)) throw new ImportError(field, 'Expected an object');
  try {
    return cleanData(stored, (key) => warn(field, `The reserved key "${key}" was left out`));
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    throw new ImportError(field, `Is nested deeper than ${MAX_DATA_DEPTH} levels`);
  }
}

/** Ids may be numbers in old exports. */
function readId(stored: Json | undefined, field: string): string | undefined {
  if (stored === undefined || stored === null || stored === '') return undefined;
  if (typeof stored === 'number') return String(stored);
  if (typeof stored !== 'string') throw new ImportError(field, 'Expected a text or a number');
  if (stored.length > DOCUMENT_LIMITS.idLength) {
    throw new ImportError(field, `Has more than ${DOCUMENT_LIMITS.idLength} characters`);
  }
  return stored;
}

interface Naming {
  taken: TakenNames;
  field: string;
  warn: Warn;
}

function uniqueId(id: string, { taken, field, warn }: Naming): string {
  const free = taken.take(id, '_');
  if (free !== id) warn(`${field}.id`, `The id "${id}" occurs more than once; this one became "${free}"`);
  return free;
}

/** Labels are how expressions name nodes, so each may occur once. */
function uniqueLabel(
  stored: Json | undefined,
  { type, taken, field, warn }: Naming & { type: string },
): string {
  const written = typeof stored === 'string' ? stored.trim() : '';
  const wanted = written === '' || isBlockedKey(written) ? type : written;
  const free = taken.take(wanted, '');
  if (free !== written) {
    const reason = written === '' ? 'The node had no label' : `The label "${written}" cannot be used here`;
    warn(`${field}.data.label`, `${reason}; it became "${free}"`);
  }
  return free;
}

/** Names in use, with the next number of each, so that ten thousand equal names stay cheap. */
class TakenNames {
  readonly #taken = new Set<string>();
  readonly #counted = new Map<string, number>();

  /** Takes the name, or the name with the first free number from 2. */
  take(wanted: string, joint: string): string {
    let free = wanted;
    let suffix = this.#counted.get(wanted) ?? 2;
    for (; this.#taken.has(free); suffix++) free = `${wanted}${joint}${suffix}`;
    this.#counted.set(wanted, suffix);
    this.#taken.add(free);
    return free;
  }
}

function readPosition(stored: Json | undefined): { x: number; y: number } {
  const { x, y } = isJsonObject(stored) ? stored : { x: 0, y: 0 };
  return { x: coordinate(x), y: coordinate(y) };
}

function coordinate(stored: Json | undefined): number {
  return typeof stored === 'number' && Number.isFinite(stored) ? stored : 0;
}

function importEdges(edges: readonly Json[], nodeIds: ReadonlySet<string>, warn: Warn): WorkflowEdge[] {
  const taken = new TakenNames();
  const kept: WorkflowEdge[] = [];
  for (const [index, stored] of edges.entries()) {
    const field = `edges.${index}`;
    if (!isJsonObject(stored)) throw new ImportError(field, 'Expected an object with "source" and "target"');
    const source = readId(stored['source'], `${field}.source`);
    const target = readId(stored['target'], `${field}.target`);
    if (source === undefined || target === undefined) {
      warn(field, 'The edge has only one end and was left out');
      continue;
    }
    const missing = [source, target].find((id) => !nodeIds.has(id));
    if (missing !== undefined) {
      warn(field, `The edge leads to "${missing}", which is not a node here, and was left out`);
      continue;
    }
    const wanted = readId(stored['id'], `${field}.id`) ?? `edge_${source}_${target}_${index}`;
    const id = uniqueId(wanted.slice(0, DOCUMENT_LIMITS.idLength), { taken, field, warn });
    kept.push({ ...pickUnknown(stored, EDGE_KEYS, { field, warn }), id, source, target, ...handles(stored) });
  }
  return kept;
}

function handles(stored: JsonObject): Pick<WorkflowEdge, 'sourceHandle' | 'targetHandle'> {
  const { sourceHandle, targetHandle } = stored;
  const kept: Pick<WorkflowEdge, 'sourceHandle' | 'targetHandle'> = {};
  if (isHandle(sourceHandle)) kept.sourceHandle = sourceHandle;
  if (isHandle(targetHandle)) kept.targetHandle = targetHandle;
  return kept;
}

function isHandle(stored: Json | undefined): stored is string {
  return typeof stored === 'string' && stored !== '' && stored.length <= HANDLE_LIMIT;
}

/** Keys of a whole record that only apply at its origin, follow from others, or are read on their own. */
const ORIGIN: ReadonlySet<string> = new Set(
  (
    'id name description nodes edges owner_id owner_name folder_id created_at updated_at access version kind heym viewport ' +
    'webhook_body_mode allow_anonymous auth_header_value_set first_node_type trigger_status published version_id version_number'
  ).split(' '),
);

/** Why a setting is not taken over, for those that need an explanation. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  auth_type:
    'The authentication of the endpoint was not imported, because files contain no secrets; set it again',
  auth_header_key:
    'The authentication of the endpoint was not imported, because files contain no secrets; set it again',
  auth_header_value: 'Secrets are not read from files; set it again',
  mcp_enabled: 'The workflow is not offered over MCP until you switch that on here',
  portal_enabled: 'The workflow has no portal until you switch that on here',
};

function isLost(key: string, value: Json | undefined): boolean {
  if (ORIGIN.has(key) || (SETTINGS as readonly string[]).includes(key)) return false;
  return value !== undefined && value !== null && value !== false && value !== '';
}

function importSettings(record: JsonObject, warn: Warn): JsonObject {
  const settings: JsonObject = {};
  for (const [key, value] of Object.entries(record)) {
    if (isLost(key, value)) warn(key, NOT_TAKEN[key] ?? 'The key has no meaning here and was left out');
  }
  for (const key of SETTINGS) {
    const value = record[key];
    if (value !== undefined && value !== null) settings[key] = value;
  }
  const mode = record['webhook_body_mode'];
  // Older exports call the defined mode legacy.
  if (typeof mode === 'string') settings['webhook_body_mode'] = mode === 'legacy' ? 'defined' : mode;
  return settings;
}
