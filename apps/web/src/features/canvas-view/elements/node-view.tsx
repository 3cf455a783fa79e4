import { type JsonObject, resolvePorts, TOOL_INPUT, TOOL_OUTPUT } from '@millrace/engine';
import { Handle, type NodeProps, Position } from '@xyflow/react';
import { clsx } from 'clsx';
import {
  Ban,
  CircleAlert,
  CircleCheck,
  CirclePause,
  LoaderCircle,
  Pin,
  Plus,
  Power,
  RotateCw,
  SkipForward,
  TriangleAlert,
} from 'lucide-react';
import { Fragment, memo } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { countRounds } from '../../../lib/run/rounds.ts';
import { durationText } from '../../../ui/display/duration.ts';
import { useWaitText } from '../../../ui/display/wait-text.ts';
import { countUnresolved } from '../../../ui/results/unresolved.ts';
import { useOpenDocument, useRun } from '../../document/context.ts';
import { lastRecord, type NodeRun } from '../../run-view/run-store.ts';
import { useOptionalCanvasActions } from '../canvas-actions.tsx';
import { useCanvasViewTexts } from '../texts/use-canvas-view-texts.ts';
import type { CanvasNode, CanvasNodeData } from './flow-elements.ts';
import { NodeTile } from './node-icons.tsx';
import { unusualStatus } from './response-status.ts';
import { buildSubtitle } from './subtitle.ts';

/** Names of handles that say more than their position does. */
const SHOWN_HANDLES = /^(true|false|error|loop|done|default|hitl|case-\d+|input-\d+)$/;

function handleName(id: string, data: JsonObject): string {
  if (id === 'hitl') return 'review';
  const [, index] = /^case-(\d+)$/.exec(id) ?? [];
  const cases = data['cases'];
  if (index !== undefined && Array.isArray(cases)) {
    const name = cases[Number(index)];
    return typeof name === 'string' || typeof name === 'number' ? String(name) : id;
  }
  const [, input] = /^input-(\d+)$/.exec(id) ?? [];
  return input === undefined ? id : String(Number(input) + 1);
}

const computeOffset = (index: number, count: number): string => `${((index + 1) / (count + 1)) * 100}%`;

function Inputs({ ids, data }: { ids: readonly string[]; data: JsonObject }) {
  return ids.map((id, index) => (
    <Handle
      key={id}
      id={id}
      type="target"
      position={Position.Left}
      style={{ top: computeOffset(index, ids.length) }}
      className="canvas-handle"
    >
      {SHOWN_HANDLES.test(id) && ids.length > 1 ? (
        <span className="canvas-handle-beside canvas-handle-name right-full mr-1.5">
          {handleName(id, data)}
        </span>
      ) : null}
    </Handle>
  ));
}

/**
 * Outputs with their names; those that lead nowhere yet offer to add the next node. The button is nearest to its handle: behind
 * the name it would lie under the handles of a node beside.
 */
function Outputs({ id: node_id, node, ids }: { id: string; node: CanvasNodeData; ids: readonly string[] }) {
  const t = useCanvasViewTexts();
  const actions = useOptionalCanvasActions();
  return ids.map((id, index) => {
    const top = computeOffset(index, ids.length);
    const isError = id === 'error';
    const name = SHOWN_HANDLES.test(id) ? handleName(id, node.data) : undefined;
    const isOpen = actions && !node.connected.includes(id) && !node.connected.includes(TOOL_OUTPUT);
    return (
      <Fragment key={id}>
        <Handle
          id={id}
          type="source"
          position={Position.Right}
          style={{ top }}
          className={clsx('canvas-handle', isError && 'canvas-handle-error')}
        />
        <div className="canvas-handle-beside left-full ml-3 flex items-center gap-1" style={{ top }}>
          {isOpen ? (
            <button
              type="button"
              aria-label={
                name === undefined
                  ? t('add_after', { label: node.label })
                  : t('add_after_output', { label: node.label, output: name })
              }
              onClick={() => actions.openSearch({ after: { id: node_id, handle: id } })}
              className="canvas-open-add nodrag nopan nokey flex size-5 items-center justify-center rounded-full border border-control-line bg-surface text-soft hover:border-accent hover:text-accent-text"
            >
              <Plus className="size-3" aria-hidden />
            </button>
          ) : null}
          {name === undefined ? null : (
            <span className={clsx('canvas-handle-name', isError && 'text-danger')}>{name}</span>
          )}
        </div>
      </Fragment>
    );
  });
}

/** Tools are connected from below: the handle of an agent at its lower edge, that of a tool at its upper one. */
function ToolHandles({ takes, gives }: { takes: boolean; gives: boolean }) {
  const t = useCanvasViewTexts();
  return (
    <>
      {gives ? (
        <Handle
          id={TOOL_OUTPUT}
          type="source"
          position={Position.Top}
          title={t('as_tool')}
          className="canvas-handle canvas-handle-tool"
        />
      ) : null}
      {takes ? (
        <Handle
          id={TOOL_INPUT}
          type="target"
          position={Position.Bottom}
          title={t('tools')}
          className="canvas-handle canvas-handle-tool"
        >
          <span className="canvas-handle-beside canvas-handle-name left-full ml-1.5">{t('tools')}</span>
        </Handle>
      ) : null}
    </>
  );
}

interface RunStateProps {
  run: NodeRun;
  /** HTTP status of an answer that was not successful. */
  status: number | undefined;
  /** Number of unresolved references. */
  unresolved: number;
}

function RunState({ run, status, unresolved }: RunStateProps) {
  const t = useCanvasViewTexts();
  const shared = useTranslations('ui');
  const locale = useLocale();
  const waitText = useWaitText();
  const record = lastRecord(run);
  const rounds = countRounds(run.records);
  switch (run.status) {
    case 'running':
      return (
        <State
          icon={<LoaderCircle className="size-3.5 animate-spin" />}
          tone="text-info"
          text={run.progress ?? t('running')}
        />
      );
    case 'retrying':
      return (
        <State
          icon={<RotateCw className="size-3.5 animate-spin" />}
          tone="text-warning"
          text={t('attempt', { attempt: run.attempt, max: run.max_attempts })}
        />
      );
    case 'pending':
      return (
        <State
          icon={<CirclePause className="size-3.5" />}
          tone="text-warning"
          text={waitText(record?.metadata) ?? t('waiting')}
        />
      );
    case 'skipped':
      return <State icon={<SkipForward className="size-3.5" />} tone="text-faint" text={t('skipped')} />;
    case 'cancelled':
      return <State icon={<Ban className="size-3.5" />} tone="text-faint" text={t('cancelled')} />;
    case 'error':
      return <State icon={<CircleAlert className="size-3.5" />} tone="text-danger" text={t('failed')} />;
    case 'success': {
      const time = durationText(record?.execution_time_ms ?? 0, locale);
      const text = rounds > 1 ? t('rounds', { rounds, time }) : time;
      if (status !== undefined) {
        return (
          <State
            icon={<TriangleAlert className="size-3.5" />}
            tone="text-warning"
            text={t('response_status', { status, text })}
          />
        );
      }
      if (unresolved > 0) {
        return (
          <State
            icon={<TriangleAlert className="size-3.5" />}
            tone="text-warning"
            text={shared('unresolved', { count: unresolved })}
          />
        );
      }
      return <State icon={<CircleCheck className="size-3.5" />} tone="text-success" text={text} />;
    }
    default:
      return null;
  }
}

function State({ icon, tone, text }: { icon: React.ReactNode; tone: string; text: string }) {
  return (
    <span
      title={text}
      className={clsx('canvas-state tabular inline-flex min-w-0 items-center gap-1 text-xs', tone)}
    >
      <span className="shrink-0">{icon}</span>
      <span className="canvas-state-text truncate">{text}</span>
    </span>
  );
}

const EDGE_OF_STATE: Readonly<Record<string, string>> = {
  running: 'border-info ring-2 ring-info-line',
  retrying: 'border-warning ring-2 ring-warning-line',
  error: 'border-danger',
  success: 'border-success-line',
  skipped: 'opacity-60',
};

/** Room for the names of inputs, and for the buttons of outputs, which are 20 px high. */
function computeMinHeight(inputs: number, outputs: number): number | undefined {
  const height = Math.max(inputs > 3 ? inputs * 22 : 0, outputs > 2 ? (outputs + 1) * 20 : 0);
  return height === 0 ? undefined : height;
}

/** A node on the canvas: what it is, what it is called, what is wrong with it and how its last run went. */
export const NodeView = memo(function NodeView({ id, data: node, selected }: NodeProps<CanvasNode>) {
  const t = useCanvasViewTexts();
  const { catalog } = useOpenDocument();
  const run = useRun((state) => state.nodes.get(id));
  const definition = catalog.get(node.type);
  const ports = resolvePorts(catalog, node);
  const { outputs } = ports;
  const inputs = ports.inputs.filter((id) => id !== TOOL_INPUT);
  const status = run && definition?.traits.answers_status ? unusualStatus(run) : undefined;
  const unresolved = run?.status === 'success' ? countUnresolved(run.records) : 0;
  const isAmber = status !== undefined || unresolved > 0;
  const subtitle = buildSubtitle(node.data);
  const height = { minHeight: computeMinHeight(inputs.length, outputs.length) };
  return (
    <div
      data-family={definition?.family ?? 'output'}
      style={height}
      className={clsx(
        'canvas-node w-[220px] rounded-l border bg-surface shadow-s',
        selected
          ? 'border-accent ring-2 ring-accent-line'
          : (run && (isAmber ? 'border-warning' : EDGE_OF_STATE[run.status])) || 'border-line-strong',
        !node.active && 'border-dashed opacity-55',
      )}
    >
      <Inputs ids={inputs} data={node.data} />
      <div className="flex items-center gap-2.5 px-2.5 py-2">
        <NodeTile icon={definition?.icon} family={definition?.family} />
        <div className="min-w-0 grow">
          <p className="canvas-label truncate text-base font-medium text-text">{node.label}</p>
          <p className="canvas-subtitle truncate text-xs text-faint">
            {subtitle || (definition?.title ?? t('unknown_type', { type: node.type }))}
          </p>
        </div>
      </div>
      {run || node.problem || node.pinned || !node.active || node.retries ? (
        <div className="flex min-h-6 items-center gap-2 border-t border-line px-2.5 py-0.5">
          {run ? <RunState run={run} status={status} unresolved={unresolved} /> : null}
          <span className="grow" />
          {node.retries ? <RotateCw className="size-3 text-faint" aria-label={t('retries')} /> : null}
          {node.pinned ? <Pin className="size-3 text-accent-text" aria-label={t('pinned')} /> : null}
          {node.active ? null : <Power className="size-3 text-faint" aria-label={t('switched_off')} />}
          {node.problem ? (
            <TriangleAlert
              className={clsx('size-3.5', node.problem === 'error' ? 'text-danger' : 'text-warning')}
              aria-label={t('has_problem')}
            />
          ) : null}
        </div>
      ) : null}
      <Outputs id={id} node={node} ids={outputs} />
      <ToolHandles
        takes={ports.inputs.includes(TOOL_INPUT)}
        gives={definition?.traits.as_tool === true && inputs.length > 0}
      />
    </div>
  );
});
