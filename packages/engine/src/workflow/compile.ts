import type { Catalog } from '../node-type/define-node.ts';
import { findUpstream } from './compile/edges/upstream.ts';
import { compileGraph } from './compile/graph.ts';
import { compileParams } from './compile/params.ts';
import type { CompiledNode, CompiledWorkflow, GraphNode } from './compiled.ts';
import type { WorkflowDocument } from './schema.ts';

/**
 * Makes a document ready to run. The result is immutable and may be shared by any number of runs; callers keep it
 * as long as they keep the version.
 */
export function compileWorkflow(document: WorkflowDocument, catalog: Catalog): CompiledWorkflow {
  const { precedence, ...graph } = compileGraph(document, catalog);
  const nodes = graph.nodes.map(compileNode);
  const upstream = findUpstream(nodes, precedence, graph.withLabel);
  return {
    ...graph,
    nodes,
    upstream: (node, label) => upstream(graph.getViewpoint(node), label),
    credential_names: allCredentialNames(nodes),
  };
}

function compileNode(node: GraphNode): CompiledNode {
  const params = compileParams(node.definition, node.data);
  return {
    ...node,
    params,
    resolveParams: params.resolve,
    credential_names: credentialNames(params.references),
  };
}

function credentialNames(references: CompiledNode['params']['references']): readonly string[] | null {
  const names = new Set<string>();
  for (const { name, path } of references) {
    if (name !== 'credentials') continue;
    const [credential] = path;
    if (credential === undefined) return null;
    names.add(credential);
  }
  return [...names];
}

function allCredentialNames(nodes: readonly CompiledNode[]): readonly string[] | null {
  const names = new Set<string>();
  for (const node of nodes) {
    if (node.credential_names === null) return null;
    for (const name of node.credential_names) names.add(name);
  }
  return [...names];
}
