import type { GraphEdge, GraphNode, ImportWarning } from '@millrace/contracts';
import { ImportError, isJsonObject, type Json, type JsonObject, sortImportLines } from '@millrace/engine';
import { AppError } from '../../core/app-error.ts';
import type { Needs } from '../../services.ts';
import { addressWarnings, withNewAddresses } from '../workflows/graph/addresses.ts';
import { withKnownCredentials } from '../workflows/import-export/known-credentials.ts';
import { type ExportReader, readExport } from '../workflows/import-export/read-export.ts';
import { graphWarnings, handleWarnings, readSettings } from '../workflows/import-export/transfer.ts';
import { withRenamedNodes } from '../workflows/settings.ts';
import { ARCHIVE_LIMITS, type ArchiveFile } from './archive.ts';

/** A workflow file of an archive. */
export interface WorkflowFile {
  readonly path: string;
  /** As the exporting service knew the workflow; other files of the archive refer to it by this. */
  readonly id: string | undefined;
  readonly name: string;
  readonly description: string | null;
  readonly nodes: GraphNode[];
  readonly edges: GraphEdge[];
  readonly settings: ReturnType<typeof readSettings>;
  /** It comes from another product, so that it begins as a draft. */
  readonly is_converted: boolean;
  /** Changes and omissions on the way in, the most important first. */
  readonly import_lines: readonly ImportWarning[];
}

/** Something in an archive that is no workflow, or none that can be read here. */
export interface ForeignFile {
  readonly path: string;
  readonly reason: string;
}

const withoutNul = (text: string): string => text.replaceAll('\0', '');

function resolveName(path: string, name: string | undefined): string {
  const file = path.slice(path.lastIndexOf('/') + 1).replace(/\.json$/i, '');
  return (
    withoutNul(name ?? file)
      .slice(0, 255)
      .trim() || 'Imported workflow'
  );
}

/**
 * The workflows of a list, as the command line of n8n writes one, or as its API answers one (`{data: […]}`); undefined for
 * what is none.
 */
function listWorkflows(json: Json): JsonObject[] | undefined {
  const list = isJsonObject(json) && json['nodes'] === undefined ? json['data'] : json;
  if (!Array.isArray(list)) return undefined;
  const workflows = list.filter((entry) => isJsonObject(entry) && Array.isArray(entry['nodes']));
  return workflows.length > 0 && workflows.length === list.length ? (workflows as JsonObject[]) : undefined;
}

/**
 * Reads the workflows of one file, one or a list of them; a file that holds none is foreign, with the reason. Throws for a
 * workflow that is damaged.
 */
export async function readWorkflowFiles(
  ctx: Needs<'db' | 'actor'> & ExportReader,
  { path, bytes }: ArchiveFile,
): Promise<(WorkflowFile | ForeignFile)[]> {
  if (!/\.json$/i.test(path)) return [{ path, reason: 'is not a workflow: only .json files hold workflows' }];
  let json: Json;
  try {
    json = JSON.parse(bytes.toString('utf8')) as Json;
  } catch {
    return [{ path, reason: 'is not valid JSON' }];
  }
  const listed = listWorkflows(json);
  if (listed === undefined) return [await readWorkflow(ctx, path, json)];
  if (listed.length > ARCHIVE_LIMITS.entries) {
    throw new AppError('too_large', `The file "${path}" has more than ${ARCHIVE_LIMITS.entries} workflows`);
  }
  const stem = path.replace(/\.json$/i, '');
  return Promise.all(listed.map((entry, index) => readWorkflow(ctx, `${stem} (${index + 1}).json`, entry)));
}

async function readWorkflow(
  ctx: Needs<'db' | 'actor'> & ExportReader,
  path: string,
  json: Json,
): Promise<WorkflowFile | ForeignFile> {
  try {
    const { name, description, document, warnings, settings, is_converted } = await withKnownCredentials(
      ctx,
      await readExport(ctx, json),
    );
    const id = isJsonObject(json) && typeof json['id'] === 'string' ? json['id'] : undefined;
    const { graph, ids } = withNewAddresses(document);
    const changed = [
      ...warnings,
      ...handleWarnings(document),
      ...addressWarnings(document, ids),
      ...graphWarnings(graph),
    ];
    const kept = withRenamedNodes(readSettings(settings, changed), ids);
    return {
      path,
      id,
      name: resolveName(path, name),
      description: withoutNul(description ?? '').slice(0, 10_000) || null,
      nodes: graph.nodes,
      edges: graph.edges,
      settings: kept,
      is_converted,
      import_lines: sortImportLines(changed),
    };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    // Many archives contain other files; a damaged workflow must not go missing.
    if (!isJsonObject(json) || json['nodes'] === undefined)
      return { path, reason: `is not a workflow: ${error.message}` };
    throw new AppError('bad_request', `The file "${path}" cannot be read as a workflow: ${error.message}`);
  }
}
