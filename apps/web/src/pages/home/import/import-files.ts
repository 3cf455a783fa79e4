import { isJsonObject } from '@millrace/engine';

export const IMPORT_LIMIT_BYTES = 50_000_000;

export type ImportProblem = 'kind' | 'json' | 'size' | 'shape';

export interface GraphFile {
  kind: 'workflow';
  name: string;
  document: Record<string, unknown>;
}
export interface ArchiveFile {
  kind: 'archive';
  name: string;
  file: File;
}
export interface RefusedFile {
  kind: 'refused';
  name: string;
  problem: ImportProblem;
}
export type ReadFile = GraphFile | ArchiveFile | RefusedFile;

const refused = (name: string, problem: ImportProblem): RefusedFile => ({ kind: 'refused', name, problem });

async function isZip(file: File): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  return head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5);
}

/** Several workflows in one file, which the service reads like an archive, so that they find each other. */
function isList(json: unknown): boolean {
  const list = isJsonObject(json) && json['nodes'] === undefined ? json['data'] : json;
  return Array.isArray(list) && list.some((entry) => isJsonObject(entry) && Array.isArray(entry['nodes']));
}

/** Looks into a dropped file: a ZIP by its first bytes, a workflow or a list of them by its JSON. */
export async function readImport(file: File): Promise<ReadFile> {
  if (file.size > IMPORT_LIMIT_BYTES) return refused(file.name, 'size');
  if (await isZip(file)) return { kind: 'archive', name: file.name, file };
  if (!/\.json$/i.test(file.name) && file.type !== 'application/json') return refused(file.name, 'kind');
  let value: unknown;
  try {
    value = JSON.parse(await file.text());
  } catch {
    return refused(file.name, 'json');
  }
  if (isList(value)) return { kind: 'archive', name: file.name, file };
  return isJsonObject(value)
    ? { kind: 'workflow', name: file.name, document: value }
    : refused(file.name, 'shape');
}
