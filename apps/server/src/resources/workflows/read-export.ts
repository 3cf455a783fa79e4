import { type ImportedWorkflow, isJsonObject, isN8nExport, readImport } from '@millrace/engine';

export interface ReadExport extends ImportedWorkflow {
  /** It comes from n8n, and its report has to be read before it runs: it begins as a draft. */
  readonly is_converted: boolean;
}

/** Reads an exported workflow, and converts one of n8n first. Throws `ImportError` for what is none. */
export async function readExport(json: unknown): Promise<ReadExport> {
  if (!isJsonObject(json) || !isN8nExport(json)) return { ...readImport(json), is_converted: false };
  // Loaded with the first such file: no start and no run needs the converter and its parser of JavaScript.
  const { convertN8n } = await import('@millrace/nodes/n8n');
  const { workflow, warnings } = convertN8n(json);
  const imported = readImport(workflow);
  return { ...imported, is_converted: true, warnings: [...warnings, ...imported.warnings] };
}
