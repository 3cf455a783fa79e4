import {
  type ImportedWorkflow,
  isJsonObject,
  isN8nExport,
  type JsonObject,
  readImport,
} from '@millrace/engine';

export interface ReadExport extends ImportedWorkflow {
  /** It comes from n8n, and its report has to be read before it runs: it begins as a draft. */
  readonly is_converted: boolean;
}

/** Templates that n8n hands out are `{workflow: {name, workflow: {nodes, connections}}}`. */
const MOST_WRAPPERS = 2;

/** The export of n8n that the JSON is or holds, with the name nearest to it. */
function n8nExportIn(json: unknown, wrappers = MOST_WRAPPERS): JsonObject | undefined {
  if (!isJsonObject(json)) return undefined;
  if (isN8nExport(json)) return json;
  if (wrappers === 0 || Array.isArray(json['edges'])) return undefined;
  const inner = n8nExportIn(json['workflow'], wrappers - 1);
  return inner && { name: json['name'] ?? null, ...inner };
}

/** Reads an exported workflow, and converts one of n8n first. Throws `ImportError` for what is none. */
export async function readExport(json: unknown): Promise<ReadExport> {
  const exported = n8nExportIn(json);
  if (exported === undefined) return { ...readImport(json), is_converted: false };
  // Loaded with the first such file: no start and no run needs the converter and its parser of JavaScript.
  const { convertN8n } = await import('@millrace/nodes/n8n');
  const { workflow, warnings } = convertN8n(exported);
  const imported = readImport(workflow);
  return { ...imported, is_converted: true, warnings: [...warnings, ...imported.warnings] };
}
