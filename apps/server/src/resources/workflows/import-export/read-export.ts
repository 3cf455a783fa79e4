import {
  findN8nExport,
  ImportError,
  type ImportedWorkflow,
  type JsonObject,
  NodeFailure,
  readImport,
} from '@millrace/engine';
import type { ServerParsers } from '../../../ports/parsers.ts';
import { createRefusal } from '../../read-document.ts';

export interface ReadExport extends ImportedWorkflow {
  /** It comes from n8n, and its report has to be read before it runs: it begins as a draft. */
  readonly is_converted: boolean;
  /** Credentials that its nodes had where it comes from, by their names and the places of the nodes. */
  readonly credentials: readonly { readonly index: number; readonly name: string }[];
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
  const exported = findN8nExport(json);
  if (exported === undefined) return { ...readImport(json), is_converted: false, credentials: [] };
  const { workflow, warnings, credentials } = await converted(reader, exported);
  const imported = readImport(workflow);
  // In n8n a missing value becomes empty text, never the text of the expression.
  const settings = { ...imported.settings, strict_references: true };
  return {
    ...imported,
    settings,
    is_converted: true,
    credentials,
    warnings: [...warnings, ...imported.warnings],
  };
}
