import type { Workflow } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { ApiError } from '../../data/api.ts';
import { placeMissing } from '../../features/document/place-missing.ts';
import { same } from '../../features/document/same.ts';

export const toDocument = (workflow: Pick<Workflow, 'nodes' | 'edges'>): WorkflowDocument =>
  placeMissing({
    nodes: workflow.nodes as WorkflowDocument['nodes'],
    edges: workflow.edges,
  });

/** Whether a state of the server has another graph than the one known so far; else only its name or settings are new. */
export const hasNewGraph = (state: Workflow, known: WorkflowDocument): boolean =>
  !same(toDocument(state), known);

/** Something was saved in the meantime, and so the server refused a request that builds on an older state. */
export interface SavedMeanwhile {
  /** The workflow as it is stored now. */
  readonly theirs: Workflow;
  /** The same person saved it, in another tab or on another device. */
  readonly is_own: boolean;
}

/** The state that was saved in the meantime, where that is why the server refused. */
export function savedMeanwhile(error: unknown): SavedMeanwhile | undefined {
  if (!(error instanceof ApiError) || error.status !== 409) return undefined;
  const detail = error.body?.detail;
  if (typeof detail !== 'object' || Array.isArray(detail)) return undefined;
  const theirs = 'current' in detail ? detail['current'] : detail;
  if (typeof theirs !== 'object' || theirs === null || !('nodes' in theirs)) return undefined;
  return { theirs: theirs as Workflow, is_own: detail['graph_saved_by_you'] === true };
}
