import type { GraphEdge, GraphNode } from '@millrace/contracts';
import { ImportError, isJsonObject, type Json, readImport } from '@millrace/engine';
import { AppError } from '../../core/app-error.ts';
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

/** Reads one file. Throws `AppError` that names the file and what is wrong in it. */
export function readWorkflowFile({ path, bytes }: ArchiveFile): WorkflowFile {
  const refused = (message: string) => new AppError('bad_request', `The file "${path}" ${message}`);
  if (!/\.json$/i.test(path)) throw refused('is not a workflow: only .json files belong into the archive');
  let json: Json;
  try {
    json = JSON.parse(bytes.toString('utf8')) as Json;
  } catch {
    throw refused('is not valid JSON');
  }
  try {
    const { name, description, document } = readImport(json);
    const id = isJsonObject(json) && typeof json['id'] === 'string' ? json['id'] : undefined;
    return {
      path,
      id,
      name: nameOf(path, name),
      description: withoutNul(description ?? '').slice(0, 10_000) || null,
      nodes: document.nodes,
      edges: document.edges,
    };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw refused(`is not a workflow: ${error.message}`);
  }
}
