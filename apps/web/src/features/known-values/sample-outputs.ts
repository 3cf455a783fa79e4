import { buildSample, type Catalog, isJsonObject, type WorkflowNode } from '@millrace/engine';
import { z } from 'zod';
import { mappingRows } from '../../lib/graph/rows.ts';

const samples = new Map<string, unknown>();

/** Names that a node's own rows will give its output, when its type leaves them open. */
function namesInRows(node: WorkflowNode): string[] {
  const rows = Object.values(node.data).filter((value) => Array.isArray(value));
  return rows.flatMap((value) => mappingRows(value).map((row) => row.key)).filter((key) => key !== '');
}

function declaredOutput(catalog: Catalog, type: string): unknown {
  if (!samples.has(type)) {
    const output = catalog.get(type)?.output;
    samples.set(
      type,
      output ? buildSample(z.toJSONSchema(output, { unrepresentable: 'any', io: 'output' })) : null,
    );
  }
  return samples.get(type);
}

/**
 * A value of the shape that a node will give, from what its type declares and its rows name, so that completion knows
 * nodes which have not run yet. Never shown as a result.
 */
export function sampleOutput(catalog: Catalog, node: WorkflowNode): unknown {
  const declared = declaredOutput(catalog, node.type);
  const named = Object.fromEntries(namesInRows(node).map((name) => [name, '']));
  if (Object.keys(named).length === 0) return declared;
  return isJsonObject(declared) && Object.keys(declared).length > 0 ? declared : named;
}
