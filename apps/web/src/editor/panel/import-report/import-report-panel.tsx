import type { ImportReport, ImportReportLine } from '@millrace/contracts';
import { useReactFlow } from '@xyflow/react';
import { useMemo, useState } from 'react';
import { useDismissImportReport } from '../../../data/import-reports.ts';
import { useDocument } from '../../../features/document/context.ts';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { Ago } from '../../../ui/display/time.tsx';
import { Tooltip } from '../../../ui/overlays/tooltip.tsx';
import { useEditor } from '../../state/context.tsx';
import { useImportReportTexts } from './texts/use-import-report-texts.ts';

/** Lines that are drawn at first; imports of large workflows have thousands. */
const PAGE = 100;

/** Everything that the import of this workflow changed or left out, to be worked through line by line. */
export function ImportReportPanel({ report, isStored }: { report: ImportReport; isStored: boolean }) {
  const t = useImportReportTexts();
  const { workflow_id, view } = useEditor();
  const dismiss = useDismissImportReport(workflow_id);
  const [shown, setShown] = useState(PAGE);
  const labels = useLabels();
  const { lines, imported_at } = report;
  const close = () => {
    const leave = () => view.setState({ side: 'run', canvas_reports: [] });
    if (isStored) dismiss.mutate(undefined, { onSuccess: leave });
    else leave();
  };
  return (
    <section aria-label={t('title')} className="flex flex-col gap-3 p-3.5">
      <div className="flex items-start gap-2">
        <div className="min-w-0 grow">
          <h2 className="font-medium">{t('title')}</h2>
          <p className="text-sm text-faint">
            {t('imported')} <Ago at={imported_at} />
          </p>
        </div>
        <Tooltip text={t(isStored ? 'dismiss_hint' : 'dismiss_shown_hint')}>
          <Button size="small" busy={dismiss.isPending} onClick={close}>
            {t('dismiss')}
          </Button>
        </Tooltip>
      </div>
      {dismiss.error ? (
        <p role="alert" className="text-sm text-danger">
          {dismiss.error.message}
        </p>
      ) : null}
      <p className="text-sm text-faint">{t('hint')}</p>
      <ol aria-label={t('title')} className="flex flex-col divide-y divide-line">
        {lines.slice(0, shown).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never move, and two may be equal
          <li key={index}>
            <Line line={line} label={labels.get(line.node_id ?? '')} />
          </li>
        ))}
      </ol>
      {lines.length > shown ? (
        <Button className="self-start" onClick={() => setShown(shown + PAGE)}>
          {t('more', { count: Math.min(lines.length - shown, PAGE) })}
        </Button>
      ) : null}
    </section>
  );
}

/** Labels of the nodes that are there, by id. */
function useLabels(): ReadonlyMap<string, string> {
  const nodes = useDocument((state) => state.document.nodes);
  return useMemo(() => new Map(nodes.map((node) => [node.id, getNodeLabel(node)])), [nodes]);
}

/** @param label of the node that the line is about; undefined when it is about none, or the node was deleted */
function Line({ line, label }: { line: ImportReportLine; label: string | undefined }) {
  const t = useImportReportTexts();
  const showNode = useShowNode();
  const { node_id, field, message } = line;
  if (node_id === null || label === undefined) {
    return (
      <div className="px-1 py-2">
        <p className="break-words text-base">{message}</p>
        <p className="text-sm text-faint">{node_id === null ? field : t('deleted')}</p>
      </div>
    );
  }
  return (
    <button
      type="button"
      onClick={() => showNode(node_id)}
      className="block w-full rounded-s px-1 py-2 text-left outline-offset-[-2px] hover:bg-hover"
    >
      <span className="block break-words text-base">{message}</span>
      <span className="block truncate text-sm text-accent">{label}</span>
    </button>
  );
}

/** Selects a node, brings it into view and opens its fields; the report stays a tab away. */
function useShowNode(): (id: string) => void {
  const { store, view } = useEditor();
  const flow = useReactFlow();
  return (id) => {
    store.getState().select({ nodes: [id] });
    view.getState().showNode('configure');
    void flow.fitView({ nodes: [{ id }], maxZoom: 1, duration: 200 });
  };
}
