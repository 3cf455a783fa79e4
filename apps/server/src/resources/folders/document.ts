import type { GraphEdge, GraphNode, ImportWarning } from '@millrace/contracts';
import { ImportError, isJsonObject, type Json } from '@millrace/engine';
import { AppError } from '../../core/app-error.ts';
import { addressWarnings, withNewAddresses } from '../workflows/graph/addresses.ts';
import { readExport } from '../workflows/read-export.ts';
import { handleWarnings } from '../workflows/transfer.ts';
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
  /** It comes from another product, so that it begins as a draft. */
  readonly is_converted: boolean;
  /** What was changed or left out on the way in; `field` begins with the path. */
  readonly warnings: ImportWarning[];
}

/** Something in an archive that is no workflow, or none that can be read here. */
export interface ForeignFile {
  readonly path: string;
  readonly reason: string;
}

const withoutNul = (text: string): string => text.replaceAll('\0', '');

function nameOf(path: string, name: string | undefined): string {
  const file = path.slice(path.lastIndexOf('/') + 1).replace(/\.json$/i, '');
  return (
    withoutNul(name ?? file)
      .slice(0, 255)
      .trim() || 'Imported workflow'
  );
}

/** Reads one file; a file that holds no workflow is foreign, with the reason. Throws for a workflow that is damaged. */
export async function readWorkflowFile({ path, bytes }: ArchiveFile): Promise<WorkflowFile | ForeignFile> {
  const foreign = (reason: string): ForeignFile => ({ path, reason });
  if (!/\.json$/i.test(path)) return foreign('is not a workflow: only .json files hold workflows');
  let json: Json;
  try {
    json = JSON.parse(bytes.toString('utf8')) as Json;
  } catch {
    return foreign('is not valid JSON');
  }
  try {
    const { name, description, document, warnings, is_converted } = await readExport(json);
    const id = isJsonObject(json) && typeof json['id'] === 'string' ? json['id'] : undefined;
    const { graph, ids } = withNewAddresses(document);
    const changed = [...warnings, ...handleWarnings(document), ...addressWarnings(document, ids)];
    return {
      path,
      id,
      name: nameOf(path, name),
      description: withoutNul(description ?? '').slice(0, 10_000) || null,
      nodes: graph.nodes,
      edges: graph.edges,
      is_converted,
      warnings: changed.map(({ field, message }) => ({ field: `${path}: ${field}`, message })),
    };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    // Many archives contain other files; a damaged workflow must not go missing.
    if (!isJsonObject(json) || json['nodes'] === undefined)
      return foreign(`is not a workflow: ${error.message}`);
    throw new AppError('bad_request', `The file "${path}" cannot be read as a workflow: ${error.message}`);
  }
}
