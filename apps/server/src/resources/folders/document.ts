import type { GraphEdge, GraphNode, ImportWarning } from '@millrace/contracts';
import { ImportError, isJsonObject, type Json, readText, sortImportLines } from '@millrace/engine';
import { AppError } from '../../core/app-error.ts';
import type { Needs } from '../../services.ts';
import { addressWarnings, withNewAddresses } from '../workflows/graph/addresses.ts';
import { withKnownCredentials } from '../workflows/import-export/known-credentials.ts';
import { type ExportReader, readExport } from '../workflows/import-export/read-export.ts';
import { graphWarnings, handleWarnings, readSettings } from '../workflows/import-export/transfer.ts';
import { withRenamedNodes } from '../workflows/settings.ts';
import type { ArchiveFile } from './archive.ts';

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
  const file = path.slice(path.lastIndexOf('/') + 1).replace(/\.json(?=$| \(\d+\)$)/i, '');
  return (
    withoutNul(name ?? file)
      .slice(0, 255)
      .trim() || 'Imported workflow'
  );
}

/** Something about a file that was read, to be told. */
export interface FileNote {
  readonly path: string;
  readonly note: string;
}

/** The JSON of one workflow, or of what may be one. */
export interface Entry {
  readonly path: string;
  readonly json: Json;
}

const hasNodes = (json: Json | undefined): boolean => isJsonObject(json) && Array.isArray(json['nodes']);

/**
 * The workflows of one file: one, or a list, as the command line of n8n writes it or its API answers a page of one
 * (`{data: […], nextCursor}`).
 */
export function listEntries({ path, bytes }: ArchiveFile): (Entry | ForeignFile | FileNote)[] {
  if (!/\.json$/i.test(path)) return [{ path, reason: 'is not a workflow: only .json files hold workflows' }];
  let json: Json;
  try {
    // Some editors begin a file with a mark of its encoding.
    json = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, '')) as Json;
  } catch {
    return [{ path, reason: 'is not valid JSON' }];
  }
  const page = isJsonObject(json) && json['nodes'] === undefined ? json : undefined;
  const list = page?.['data'] ?? json;
  if (!Array.isArray(list) || !list.some(hasNodes)) return [{ path, json }];
  const entries = list.map((entry, index) => {
    const place = { path: `${path} (${index + 1})` };
    return hasNodes(entry)
      ? { ...place, json: entry }
      : { ...place, reason: 'is not a workflow: it has no nodes' };
  });
  const isPart = typeof page?.['nextCursor'] === 'string' && page['nextCursor'] !== '';
  const note = 'This is one page of a list; the workflows of its other pages are not in the file';
  return isPart ? [{ path, note }, ...entries] : entries;
}

/** Numbers are ids in old exports. */
function readId(json: Json): string | undefined {
  const id = isJsonObject(json) ? json['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/** Reads one workflow; what holds none is foreign, with the reason. Throws for a workflow that is damaged. */
export async function readWorkflow(
  ctx: Needs<'db' | 'actor'> & ExportReader,
  { path, json }: Entry,
): Promise<WorkflowFile | ForeignFile> {
  try {
    const { name, description, document, warnings, settings, is_converted } = await withKnownCredentials(
      ctx,
      await readExport(ctx, json),
    );
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
      id: readId(json),
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
    const name = readText(json['name']);
    const what = name === '' ? '' : ` "${name.slice(0, 255)}"`;
    throw new AppError(
      'bad_request',
      `The workflow${what} of the file "${path}" cannot be read: ${error.message}`,
    );
  }
}
