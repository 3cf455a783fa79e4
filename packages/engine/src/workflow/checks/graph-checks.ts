import type { CompiledNode, CompiledWorkflow, GraphIssue, GraphIssueCode, Problem } from '../compiled.ts';
import { refusalMessage } from '../refusal.ts';
import { finding, warning } from './finding.ts';

interface Words {
  /** The source of the edge, or the first node of the issue. */
  source: CompiledNode | undefined;
  target: CompiledNode | undefined;
  labels: readonly string[];
  detail: string;
  edge_id: string;
}

interface Wording {
  severity: Problem['severity'];
  /** Node that the problem is shown at. */
  at: 'source' | 'target' | 'document';
  field?: string;
  message: (words: Words) => string;
}

const WORDINGS: Record<GraphIssueCode, Wording> = {
  duplicate_node_id: {
    severity: 'error',
    at: 'document',
    message: ({ detail }) =>
      `Several nodes have the id "${detail}"; only the first one runs. Give each its own id.`,
  },
  duplicate_edge_id: {
    severity: 'warning',
    at: 'document',
    message: ({ edge_id }) => `Several edges have the id "${edge_id}". Give each its own id.`,
  },
  unknown_edge_end: {
    severity: 'error',
    at: 'source',
    message: ({ detail }) =>
      `An edge leads to "${detail}", which is not a node here. Remove the edge or connect it again.`,
  },
  edge_into_error_handler: {
    severity: 'warning',
    at: 'source',
    message: ({ source }) =>
      `${named(source)} starts by itself after an error, so the edge to it is ignored. Remove the edge.`,
  },
  shared_with_error_flow: {
    severity: 'warning',
    at: 'target',
    message: ({ source, target }) =>
      `${named(target)} is after an error handler and only runs after errors, so the edge from ${named(source)} is ignored. Use a separate node for the main flow.`,
  },
  default_is_true: {
    severity: 'warning',
    at: 'source',
    message: ({ source, target }) =>
      `The edge from ${named(source)} to ${named(target)} has no handle and follows "true". Draw it from the handle you mean.`,
  },
  handle_needed: {
    severity: 'error',
    at: 'source',
    message: ({ source, target }) =>
      `The edge from ${named(source)} to ${named(target)} has no source handle, so it is never followed. Draw it from one of: ${formatPorts(source)}.`,
  },
  unknown_handle: {
    severity: 'warning',
    at: 'source',
    message: ({ source, target, detail }) => unknownHandle(source, target, detail),
  },
  behind_output: {
    severity: 'warning',
    at: 'source',
    message: ({ source, target }) =>
      `${named(target)} is after ${named(source)} and does not run from there. Switch on "allowDownstream" of ${named(source)}, or remove the edge.`,
  },
  stray_back_edge: {
    severity: 'error',
    at: 'target',
    message: ({ source, target }) =>
      `The edge from ${named(source)} leads back into the loop ${named(target)}, but starts outside of its body. Start it at a node after the "loop" handle.`,
  },
  cycle: { severity: 'error', at: 'source', message: ({ labels }) => refusalMessage('cycle', labels) ?? '' },
  loops_overlap: {
    severity: 'error',
    at: 'source',
    message: ({ labels }) => refusalMessage('loops_overlap', labels) ?? '',
  },
  blocked_label: {
    severity: 'error',
    at: 'source',
    field: 'label',
    message: ({ labels }) => refusalMessage('blocked_label', labels) ?? '',
  },
};

/** Problems of edges, cycles and loops. */
export function graphProblems(workflow: CompiledWorkflow): Problem[] {
  return [
    ...workflow.issues.map((issue) => issueProblem(workflow, issue)),
    ...unreachedOutputs(workflow),
    ...loopProblems(workflow),
  ];
}

function issueProblem({ nodes }: CompiledWorkflow, issue: GraphIssue): Problem {
  const [source, target] = issue.nodes.map((index) => nodes[index]);
  const labels = issue.nodes.map((index) => nodes[index]?.label ?? '');
  const { severity, at, field = null, message } = WORDINGS[issue.code];
  const { detail = '', edge_id = '' } = issue;
  const node = at === 'source' ? source : at === 'target' ? target : undefined;
  const text = message({ source, target, labels, detail, edge_id });
  const place = issue.edge_id === undefined ? {} : { edge_id: issue.edge_id };
  return finding(node, issue.code, text, { severity, field, ...place });
}

function unknownHandle(
  source: CompiledNode | undefined,
  target: CompiledNode | undefined,
  handle: string,
): string {
  const edge = `The edge from ${named(source)} to ${named(target)}`;
  if (handle === 'error') {
    return `${edge} follows errors, but ${named(source)} does not continue after an error. Switch on "onErrorEnabled", or remove the edge.`;
  }
  if ((source?.ports.length ?? 0) === 0) {
    return `${edge} is never followed, because nothing comes after ${named(source)}. Remove it.`;
  }
  return `${edge} starts at the handle "${handle}", which does not exist, so it is never followed. Draw it from one of: ${formatPorts(source)}.`;
}

/** Other nodes without an incoming edge are where a run starts. */
function unreachedOutputs({ nodes, incoming }: CompiledWorkflow): Problem[] {
  return nodes
    .filter(({ definition, index, active, flow }) => {
      const isOutput = definition.traits.terminal === 'output' && active && flow !== 'none';
      return isOutput && (incoming[index]?.length ?? 0) === 0;
    })
    .map((node) =>
      warning(
        node,
        'not_connected',
        `${named(node)} never runs, because nothing leads to it. Draw an edge to it.`,
      ),
    );
}

function loopProblems(workflow: CompiledWorkflow): Problem[] {
  const problems: Problem[] = [];
  for (const loop of workflow.loops) {
    const node = workflow.nodes[loop.node];
    if (loop.back.length === 0) {
      problems.push(
        warning(
          node,
          'no_back_edge',
          `${named(node)} runs only one round and never reaches its "done" handle, because no edge leads back to its "loop" handle. Draw one from the last node of its body.`,
        ),
      );
    }
  }
  for (const node of workflow.nodes) {
    const { terminal } = node.definition.traits;
    if (node.loop >= 0 && terminal !== 'none' && node.active) {
      problems.push(
        finding(
          node,
          'output_in_loop',
          `${named(node)} is in the body of a loop, where only the last round would count. Move it after the "done" handle.`,
        ),
      );
    }
  }
  return problems;
}

function named(node: CompiledNode | undefined): string {
  return node ? `"${node.label}"` : 'a missing node';
}

function formatPorts(node: CompiledNode | undefined): string {
  return node && node.ports.length > 0 ? node.ports.join(', ') : 'none';
}
