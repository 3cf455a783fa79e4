import { fieldMeta, type ImportWarning, readText } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import type { z } from 'zod';
import type { Needs } from '../../../services.ts';
import { findNamed } from '../../credentials/service.ts';
import type { ReadExport } from './read-export.ts';

const FIELD = 'credentialId';

function takes(node_type: string, credential_type: string): boolean {
  const shape: Readonly<Record<string, z.ZodType>> = catalog.get(node_type)?.params.shape ?? {};
  const schema = shape[FIELD];
  return schema !== undefined && fieldMeta(schema)?.credential_types?.includes(credential_type) === true;
}

/**
 * The export with credentials that the person can use, where they have the names that those of its nodes had and are of a
 * type that the node takes.
 */
export async function withKnownCredentials(
  ctx: Needs<'db' | 'actor'>,
  exported: ReadExport,
): Promise<ReadExport> {
  const names = [...new Set(exported.credentials.map(({ name }) => name))];
  if (names.length === 0) return exported;
  const known = await findNamed(ctx, names);
  const nodes = [...exported.document.nodes];
  const chosen = new Map<string, ImportWarning>();
  for (const { index, name } of exported.credentials) {
    const node = nodes[index];
    const credential = known.get(name);
    if (!node || !credential || !takes(node.type, credential.type)) continue;
    if (readText(node.data[FIELD]) !== '') continue;
    nodes[index] = { ...node, data: { ...node.data, [FIELD]: credential.id } };
    const field = `nodes.${index}.${FIELD}`;
    const message = `${readText(node.data['label'])}: Your credential "${name}" was chosen, because it has the name that it had in n8n`;
    chosen.set(field, { field, message });
  }
  // Lines that ask for it are answered.
  const open = exported.warnings.filter(({ field }) => !chosen.has(field));
  const document = { ...exported.document, nodes };
  return { ...exported, document, warnings: [...open, ...chosen.values()] };
}
