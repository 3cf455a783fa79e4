import {
  ImportError,
  type ImportedWorkflow,
  isJsonObject,
  isN8nExport,
  type JsonObject,
  NodeFailure,
  readImport,
} from '@millrace/engine';
import type { ServerParsers } from '../../../ports/parsers.ts';
import { createRefusal } from '../../read-document.ts';

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

export interface ExportReader {
  readonly parsers: ServerParsers;
  readonly actor: { readonly user_id: string };
}

/** A workflow with the maximum number of nodes takes half a minute. */
const LONGEST_MS = 60_000;

/** Outside the event loop, as a large export takes seconds. */
async function converted({ parsers, actor }: ExportReader, exported: JsonObject) {
  const options = {
    what: 'The export',
    action: 'convert',
    time_ms: LONGEST_MS,
    owner: actor.user_id,
  } as const;
  const outcome = await parsers.run('n8n', [exported], options).catch((error: unknown) => {
    throw error instanceof NodeFailure ? createRefusal(error) : error;
  });
  if (outcome.refused) throw new ImportError(outcome.refused.field, outcome.refused.reason);
  return outcome;
}

/** Reads an exported workflow, and converts one of n8n first. Throws `ImportError` for what is none. */
export async function readExport(reader: ExportReader, json: unknown): Promise<ReadExport> {
  const exported = n8nExportIn(json);
  if (exported === undefined) return { ...readImport(json), is_converted: false };
  const { workflow, warnings } = await converted(reader, exported);
  const imported = readImport(workflow);
  // In n8n a missing value becomes empty text, never the text of the expression.
  const settings = { ...imported.settings, strict_references: true };
  return { ...imported, settings, is_converted: true, warnings: [...warnings, ...imported.warnings] };
}
