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

/** Looks into a dropped file: a ZIP by its first bytes, a workflow by its JSON. */
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refused(file.name, 'shape');
  return { kind: 'workflow', name: file.name, document: value as Record<string, unknown> };
}
