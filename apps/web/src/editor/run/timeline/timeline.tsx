import { ChevronDown, ChevronUp } from 'lucide-react';
import { type CSSProperties, memo, useEffect, useMemo, useState } from 'react';
import { useLocale } from 'use-intl';
import { useDocument, useRun } from '../../../features/document/context.ts';
import { same } from '../../../features/document/same.ts';
import { isBusy, type NodeRun } from '../../../features/run-view/run-store.ts';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';
import { durationText } from '../../../ui/display/duration.ts';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { Duration } from '../../../ui/display/time.tsx';
import { useEditor } from '../../state/context.tsx';
import { useEditorTexts } from '../../texts/use-editor-texts.ts';
import { type Bar, buildBars } from './bars.ts';

const TICK_MS = 250;

/** The server's time during a run, ticking; undefined when nothing runs. */
function useServerNow(): number | undefined {
  const busy = useRun((state) => isBusy(state.phase));
  const skew = useRun((state) => state.clock_skew_ms);
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!busy) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [busy]);
  return busy ? now + skew : undefined;
}

const BAR: Readonly<Record<string, string>> = {
  success: 'bg-success',
  error: 'bg-danger',
  pending: 'bg-warning',
  cancelled: 'bg-line-strong',
};

const shownStatus = (run: NodeRun | undefined): string =>
  run?.status === 'retrying' ? 'running' : (run?.status ?? 'success');

interface RowProps {
  id: string;
  label: string;
  status: string;
  bars: readonly Bar[];
}

/** Shares of the whole time come from the list, so that a run that takes longer changes no row. */
const share = (ms: number) => `calc(${ms} * var(--per-ms))`;

function DrawnRow({ id, label, status, bars }: RowProps) {
  const locale = useLocale();
  const { store } = useEditor();
  return (
    <li className="[contain-intrinsic-size:auto_24px] [content-visibility:auto]">
      <button
        type="button"
        onClick={() => store.getState().select({ nodes: [id] })}
        className="flex w-full items-center gap-3 px-3 py-0.5 text-left hover:bg-hover"
      >
        <span className="flex w-32 shrink-0 sm:w-44 items-center gap-1.5 truncate text-sm">
          <StatusChip status={status} look="icon" />
          <span className="truncate">{label}</span>
        </span>
        <span className="relative h-3 grow rounded-s bg-sunken">
          {bars.map((bar, index) => (
            <span
              // oxlint-disable-next-line react/no-array-index-key -- a round has no identity but its place
              key={index}
              title={durationText(bar.ms, locale)}
              style={{ left: share(bar.start), width: share(bar.ms) }}
              className={`absolute inset-y-0.5 min-w-0.5 rounded-s ${BAR[bar.status] ?? 'bg-info'}`}
            />
          ))}
        </span>
      </button>
    </li>
  );
}

/** Bars are rebuilt with every event of the run; only rows in which something happens are drawn. */
const Row = memo(DrawnRow, same);

/** When each node ran: one row per node, in the order in which they began; a click selects it. */
export function Timeline() {
  const t = useEditorTexts('run');
  const nodes = useRun((state) => state.nodes);
  const document = useDocument((state) => state.document);
  const [open, setOpen] = useState(() => window.innerHeight > 700 && window.innerWidth > 860);
  const now = useServerNow();
  const { rows, total_ms } = useMemo(() => buildBars(nodes, now), [nodes, now]);
  const labels = useMemo(
    () => new Map(document.nodes.map((node) => [node.id, getNodeLabel(node)])),
    [document],
  );
  if (rows.length === 0) return null;
  return (
    <section aria-label={t('timeline')} className="shrink-0 border-t border-line bg-surface">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-2 px-3 py-1 text-sm text-soft hover:bg-hover [&>svg]:size-4"
      >
        {open ? <ChevronDown aria-hidden /> : <ChevronUp aria-hidden />}
        <span className="grow text-left">{t('timeline')}</span>
        <Duration ms={total_ms} className="text-faint" />
      </button>
      {open ? (
        <ul
          className="max-h-44 overflow-y-auto pb-2"
          style={{ '--per-ms': `${100 / total_ms}%` } as CSSProperties}
        >
          {rows.map(({ node_id: id, bars }) => {
            const label = labels.get(id);
            return label === undefined ? null : (
              <Row key={id} id={id} label={label} status={shownStatus(nodes.get(id))} bars={bars} />
            );
          })}
        </ul>
      ) : null}
    </section>
  );
}
