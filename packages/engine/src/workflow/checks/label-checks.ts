import { isReservedName } from '../../expression/index.ts';
import { isBlockedKey, isJsonObject, type Json } from '../../json.ts';
import type { CompiledNode, CompiledWorkflow, Problem } from '../compiled.ts';
import { finding, warning } from './finding.ts';

const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]*$/;

/** Problems of names: labels, and keys of node data. */
export function labelProblems(workflow: CompiledWorkflow): Problem[] {
  const running = workflow.nodes.filter(({ flow }) => flow !== 'none');
  return running.flatMap((node) => [
    ...ofLabel(node, workflow.withLabel(node.label).length > 1),
    ...blockedKeys(node),
  ]);
}

function ofLabel(node: CompiledNode, isShared: boolean): Problem[] {
  const { label, data } = node;
  const at = { field: 'label' };
  if (data['label'] === undefined || data['label'] === '') {
    return [
      warning(
        node,
        'missing_label',
        'The node has no label, so expressions cannot refer to it. Give it one.',
        at,
      ),
    ];
  }
  // No run gets past such a label, so it is reported with what is wrong with the graph.
  if (isBlockedKey(label)) return [];
  const problems: Problem[] = [];
  if (isShared) {
    const message = `Several nodes are called "${label}": $${label} means the last of them that ran, and only its output is returned. Give each its own label.`;
    problems.push(warning(node, 'duplicate_label', message, at));
  }
  if (!IDENTIFIER.test(label)) {
    const message = `Expressions cannot refer to "${label}". Use a letter, then letters, digits and underscores.`;
    problems.push(warning(node, 'label_not_identifier', message, at));
  } else if (isReservedName(label)) {
    const message = `"${label}" also means something else in expressions. Choose another label.`;
    problems.push(warning(node, 'reserved_label', message, at));
  }
  return problems;
}

/** Keys that could reach a prototype, anywhere in the data. */
function blockedKeys(node: CompiledNode): Problem[] {
  const stack: Json[] = [node.data];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (Array.isArray(value)) {
      for (const item of value) stack.push(item);
    } else if (isJsonObject(value)) {
      for (const [key, part] of Object.entries(value)) {
        if (isBlockedKey(key)) {
          return [finding(node, 'blocked_key', `The key "${key}" is reserved. Choose another name.`)];
        }
        stack.push(part);
      }
    }
  }
  return [];
}
