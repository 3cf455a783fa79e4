import type { Json, JsonObject, WorkflowNode } from '@millrace/engine';
import { isJsonObject, readText } from '@millrace/engine/json';
import { useQuery } from '@tanstack/react-query';
import { Brain } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useWorkflows, workflowQuery } from '../../../data/workflows.ts';
import { useDocument } from '../../../features/document/context.ts';
import { lazy } from '../../../lib/code/lazy.ts';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { useEditor } from '../../state/context.tsx';
import type { ParameterFieldProps } from '../parameter-field-props.ts';
import { ParameterRows } from '../row-list.tsx';
import { useMemoryTexts } from './texts/use-memory-texts.ts';

const MemoryDialog = lazy(() =>
  import('./memory-dialog.tsx').then((module) => ({ default: module.MemoryDialog })),
);

interface ShareRow extends JsonObject {
  peerWorkflowId: string;
  peerCanvasNodeId: string;
  permission: 'read' | 'write';
}

/** Stored shares; those of older editors have no workflow, which means this one. */
function shareRows(value: Json | undefined, workflow_id: string): ShareRow[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((row) =>
    isJsonObject(row)
      ? [
          {
            ...row,
            peerWorkflowId: readText(row['peerWorkflowId']) || workflow_id,
            peerCanvasNodeId: readText(row['peerCanvasNodeId']),
            permission: row['permission'] === 'write' ? ('write' as const) : ('read' as const),
          },
        ]
      : [],
  );
}

/** The memory of an agent: what it remembers, and which other agents may use that. */
export function MemoryField(props: ParameterFieldProps) {
  const t = useMemoryTexts();
  const { node_id, meta, value } = props;
  const { workflow_id } = useEditor();
  const [isOpen, setOpen] = useState(false);
  const node = useDocument((state) => state.document.nodes.find(({ id }) => id === node_id));
  return (
    <div className="flex flex-col gap-4">
      <Button className="self-start" onClick={() => setOpen(true)}>
        <Brain aria-hidden />
        {t('open')}
      </Button>
      <ParameterRows<ShareRow>
        field={{ ...props, meta: { ...meta, title: t('shared_with'), help: t('shared_help') } }}
        rows={shareRows(value, workflow_id)}
        empty={{ peerWorkflowId: workflow_id, peerCanvasNodeId: '', permission: 'read' }}
        draw={(row, index, change) => <ShareFields row={row} place={{ node_id, index }} onChange={change} />}
      />
      {isOpen && node ? (
        <Suspense>
          <MemoryDialog
            place={{ workflow_id, node_id }}
            agent={getNodeLabel(node)}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </div>
  );
}

interface ShareFieldsProps {
  row: ShareRow;
  /** The agent whose memory it is, and the place of the share in the list. */
  place: { node_id: string; index: number };
  onChange: (row: ShareRow) => void;
}

function ShareFields({ row, place: { node_id, index }, onChange }: ShareFieldsProps) {
  const t = useMemoryTexts();
  const { workflow_id } = useEditor();
  const { data: workflows = [] } = useWorkflows();
  const agents = useAgents(row.peerWorkflowId).filter(
    (agent) => row.peerWorkflowId !== workflow_id || agent.value !== node_id,
  );
  const others = workflows
    .filter(({ id }) => id !== workflow_id)
    .map(({ id, name }) => ({ value: id, label: name }));
  const named = { row: index + 1 };
  return (
    <div className="flex flex-col gap-1.5">
      <Select
        aria-label={t('share_workflow', named)}
        value={row.peerWorkflowId}
        choices={withStored(
          [{ value: workflow_id, label: t('this_workflow') }, ...others],
          row.peerWorkflowId,
          t,
        )}
        onChange={(peerWorkflowId) => onChange({ ...row, peerWorkflowId, peerCanvasNodeId: '' })}
      />
      <div className="grid grid-cols-2 gap-1.5">
        <Select
          aria-label={t('share_agent', named)}
          placeholder={t('choose_agent')}
          value={row.peerCanvasNodeId === '' ? undefined : row.peerCanvasNodeId}
          choices={withStored(agents, row.peerCanvasNodeId, t)}
          onChange={(peerCanvasNodeId) => onChange({ ...row, peerCanvasNodeId })}
        />
        <Select
          aria-label={t('share_permission', named)}
          value={row.permission}
          choices={[
            { value: 'read', label: t('read') },
            { value: 'write', label: t('write') },
          ]}
          onChange={(permission) => onChange({ ...row, permission })}
        />
      </div>
    </div>
  );
}

interface ChoiceOf {
  value: string;
  label: string;
}

/** A stored value stays a choice when it cannot be found. */
function withStored(
  choices: readonly ChoiceOf[],
  stored: string,
  t: ReturnType<typeof useMemoryTexts>,
): ChoiceOf[] {
  const isKnown = stored === '' || choices.some(({ value }) => value === stored);
  return isKnown ? [...choices] : [...choices, { value: stored, label: t('missing', { id: stored }) }];
}

const isAgent = ({ type }: { type: string }): boolean => type === 'agent';

/** The agents of a workflow: of this one as it is being edited, of others as they are saved. */
function useAgents(of_workflow: string): ChoiceOf[] {
  const { workflow_id } = useEditor();
  const own = useDocument((state) => state.document.nodes);
  const { data } = useQuery({ ...workflowQuery(of_workflow), enabled: of_workflow !== workflow_id });
  const nodes = of_workflow === workflow_id ? own : ((data?.nodes ?? []) as readonly WorkflowNode[]);
  return nodes.filter(isAgent).map((node) => ({ value: node.id, label: getNodeLabel(node) }));
}
