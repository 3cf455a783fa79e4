import type { Catalog } from '../../node-type/define-node.ts';
import type { WorkflowNode } from '../schema.ts';
import { getDefinition, upgraded } from './node.ts';
import { compileParams } from './params.ts';

export interface NodeCredentials {
  /** Stored in its parameters. */
  readonly ids: readonly string[];
  /** Read as `$credentials.<name>`; names that an expression computes are not among them. */
  readonly names: readonly string[];
}

/** Credentials that a node uses, without the graph around it. */
export function findNodeCredentials(node: WorkflowNode, catalog: Catalog): NodeCredentials {
  const definition = getDefinition(catalog, node.type);
  const { credentials, references } = compileParams(definition, upgraded(definition, node.data));
  return {
    ids: credentials.map(({ value }) => value.toLowerCase()),
    names: references.flatMap(({ name, path: [first] }) =>
      name === 'credentials' && first !== undefined ? [first] : [],
    ),
  };
}
