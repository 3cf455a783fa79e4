import { type HistoryEntry, listWorkflows, readWorkflow, updateWorkflow } from '@millrace/contracts';
import type { WorkflowDocument, WorkflowNode } from '@millrace/engine';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { api } from '../../../data/api.ts';
import { answersTo, renew } from '../../../data/endpoint.ts';
import { DRAFT, workflowQuery } from '../../../data/workflows.ts';
import { setParameter } from '../../../features/document/change.ts';
import { nodeById } from '../../../features/document/edit.ts';
import { same } from '../../../features/document/same.ts';
import type { FailureActions } from '../../../features/ran-node/failure-actions.ts';
import { toast } from '../../../ui/overlays/toast.ts';
import { useRunsTexts } from '../texts/use-runs-texts.ts';
import { useRunAgain } from '../use-run-again.ts';

type Parameter = Parameters<FailureActions['fix']>[1];

/** Changes a parameter in the draft. False when the draft has something else there than the version that ran. */
async function changeDraft(
  client: QueryClient,
  workflow_id: string,
  { ran, parameter }: { ran: WorkflowNode; parameter: Parameter },
): Promise<boolean> {
  const draft = await client.fetchQuery({ ...workflowQuery(workflow_id), staleTime: 0 });
  const document = { nodes: draft.nodes, edges: draft.edges } as WorkflowDocument;
  const current = nodeById(document, ran.id);
  if (!current || !same(current.data[parameter.name], ran.data[parameter.name])) return false;
  const { nodes, edges } = setParameter(document, ran.id, parameter);
  const body = { nodes, edges, base_updated_at: draft.updated_at };
  await api(updateWorkflow, { params: { id: workflow_id }, query: DRAFT, body });
  await renew(client, [answersTo(readWorkflow, { params: { id: workflow_id } }), listWorkflows]);
  return true;
}

export interface RunFailureActions {
  readonly actions: FailureActions & { resume(): void };
  /** Nodes as they are in the draft now, where they were changed from here. */
  readonly fixed: ReadonlyMap<string, WorkflowNode>;
}

/** Actions on a failed run on its own page: the draft is changed, and the run continued where it failed. */
export function useRunFailure(run: HistoryEntry): RunFailureActions {
  const t = useRunsTexts();
  const client = useQueryClient();
  const navigate = useNavigate();
  const again = useRunAgain();
  const [fixed, setFixed] = useState<ReadonlyMap<string, WorkflowNode>>(new Map());
  const [saving, setSaving] = useState(false);
  const busy = again.busy || saving;
  return useMemo(() => {
    const resume = async () => {
      const id = await again.fromFailure(run, fixed.size > 0 ? 'draft' : 'same');
      if (id) void navigate({ to: '/runs/$id', params: { id } });
    };
    const fix = async (ran: WorkflowNode, parameter: Parameter) => {
      if (!run.workflow_id) return;
      setSaving(true);
      try {
        if (await changeDraft(client, run.workflow_id, { ran, parameter })) {
          const data = { ...ran.data, [parameter.name]: parameter.value };
          setFixed((before) => new Map(before).set(ran.id, { ...ran, data }));
          toast.done(t('fixed_in_draft'));
        } else toast.note(t('draft_differs'));
      } catch (error) {
        toast.failed(error instanceof Error ? error.message : String(error));
      } finally {
        setSaving(false);
      }
    };
    const actions: RunFailureActions['actions'] = {
      busy,
      resume: () => void resume(),
      fix: (node, parameter) => void fix(node, parameter),
    };
    return { actions, fixed };
  }, [again, busy, client, fixed, navigate, run, t]);
}
