import { ChevronRight, Database } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useKnown } from '../../../features/known-values/use-known.ts';
import { isContainer, type JsonRow, jsonRows } from '../../../lib/json/json-rows.ts';
import { toast } from '../../../ui/overlays/toast.ts';
import { usePanelTexts } from '../../panel/texts/use-panel-texts.ts';
import { useEditor } from '../../state/context.tsx';
import { isReadable, referenceData, referenceText } from './reference.ts';

const NOTHING_SHOWN: ReadonlyMap<string, number> = new Map();
const LONGEST = 60;

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0);

function summary(row: JsonRow): string {
  if (row.kind === 'object') return `{${row.size}}`;
  if (row.kind === 'array') return `[${row.size}]`;
  const text = JSON.stringify(row.value) ?? '';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The last outputs of the nodes before this one; a click puts the reference into the expression that was edited last. */
export function DataPicker({ node_id }: { node_id: string }) {
  const t = usePanelTexts('picker');
  const { insertion } = useEditor();
  const { values } = useKnown(node_id);
  const target = insertion((state) => state.field?.label);
  const [open, setOpen] = useState(false);
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => {
    if (!open) return [];
    const { workflowName: _, ...offered } = values;
    const filled = Object.entries(offered).filter(([name, value]) => isReadable(name) && !isEmpty(value));
    return jsonRows(Object.fromEntries(filled), { flipped, openLevels: 2, shown: NOTHING_SHOWN }).slice(1);
  }, [open, values, flipped]);
  const flip = (key: string) =>
    setFlipped((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const pick = (row: JsonRow) => {
    if (!insertion.getState().insert(row.path)) toast.note(t('no_field'));
  };
  return (
    <section className="rounded-m border border-line" aria-label={t('title')}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-2 rounded-m px-2.5 py-1.5 text-left text-sm font-medium hover:bg-hover"
      >
        <Database className="size-3.5 text-faint" aria-hidden />
        <span className="grow">{t('title')}</span>
        <ChevronRight
          aria-hidden
          className={`size-4 text-faint transition-transform ${open ? 'rotate-90' : ''}`}
        />
      </button>
      {open ? (
        <div className="border-t border-line">
          <p className="px-2.5 pt-1.5 text-sm text-faint">
            {target ? t('into', { field: target }) : t('hint')}
          </p>
          {rows.length === 0 ? <p className="px-2.5 py-2 text-sm text-faint">{t('nothing')}</p> : null}
          <ul className="max-h-64 overflow-auto py-1">
            {rows.map((row) => (
              <PickerRow key={row.key} row={row} onFlip={() => flip(row.key)} onPick={() => pick(row)} />
            ))}
          </ul>
        </div>
      ) : null}
    </section>
  );
}

function PickerRow({ row, onFlip, onPick }: { row: JsonRow; onFlip: () => void; onPick: () => void }) {
  const t = usePanelTexts('picker');
  if (row.more) return null;
  const reference = referenceText(row.path);
  const opens = isContainer(row.kind) && row.size > 0;
  return (
    <li className="flex items-center" style={{ paddingLeft: 4 + (row.level - 1) * 14 }}>
      {opens ? (
        <button
          type="button"
          aria-label={row.expanded ? t('close', { reference }) : t('open', { reference })}
          aria-expanded={row.expanded}
          onClick={onFlip}
          className="rounded-s p-0.5 text-faint hover:bg-hover"
        >
          <ChevronRight className={`size-3.5 ${row.expanded ? 'rotate-90' : ''}`} aria-hidden />
        </button>
      ) : (
        <span className="w-[18px]" />
      )}
      <button
        type="button"
        draggable
        aria-label={t('insert', { reference })}
        onDragStart={(event) => {
          for (const [type, text] of Object.entries(referenceData(row.path)))
            event.dataTransfer.setData(type, text);
        }}
        onClick={onPick}
        className="flex min-w-0 grow items-baseline gap-2 rounded-s px-1 py-0.5 text-left font-mono text-sm hover:bg-accent-tint"
      >
        <span className="shrink-0">{String(row.name)}</span>
        <span className="min-w-0 truncate text-faint">{summary(row)}</span>
      </button>
    </li>
  );
}
