import type { WorkflowNode } from '@millrace/engine';
import { clsx } from 'clsx';
import { ArrowUpRight, Braces, Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { NodeTile } from '../../features/canvas-view/elements/node-icons.tsx';
import { useRun } from '../../features/document/context.ts';
import type { JsonPath } from '../../lib/json/json-path.ts';
import { useMedia } from '../../lib/use-media.ts';
import { Button } from '../../ui/actions/button.tsx';
import { FoldButton, FoldMark } from '../../ui/actions/fold-button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { SearchInput } from '../../ui/forms/input.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { JsonTree } from '../../ui/results/json-tree.tsx';
import { isReadable, referenceData } from '../fields/expression/reference.ts';
import { useRunControls } from '../run/run-controls.tsx';
import { useEditor } from '../state/context.tsx';
import { useDetailTexts } from './texts/use-detail-texts.ts';
import { type Source, useSources } from './use-sources.ts';

interface InputPaneProps {
  node: WorkflowNode;
  onOpen: (node_id: string) => void;
  /** Called before a value is put into a field, which may be out of sight. */
  onInsert: () => void;
}

/** The data that the node is given: outputs of its parents, then what else expressions in it may read. */
export function InputPane({ node, onOpen, onInsert }: InputPaneProps) {
  const t = useDetailTexts();
  const { insertion, catalog } = useEditor();
  const { nodes, variables } = useSources(node.id);
  const [words, setWords] = useState('');
  const takesInput = (catalog.get(node.type)?.ports(node.data).inputs.length ?? 1) > 0;
  if (!takesInput) return <p className="p-6 text-center text-faint">{t('starts')}</p>;
  const pick = (path: JsonPath) => {
    // The root of the variables has no name.
    if (path.length === 0) return;
    onInsert();
    if (!insertion.getState().insert(path)) toast.note(t('no_field'));
  };
  const hasData = nodes.some((source) => source.origin !== 'silent');
  return (
    <div className="flex h-full min-h-0 flex-col">
      {nodes.some((source) => source.isParent) ? null : (
        <p className="border-b border-line p-3.5 text-sm text-faint">{t('not_connected')}</p>
      )}
      {nodes.length > 0 && !hasData ? <NoData /> : null}
      {hasData ? (
        <div className="flex flex-col gap-1.5 border-b border-line px-3 py-2">
          <SearchInput value={words} onChange={setWords} label={t('search')} />
          <Hint />
        </div>
      ) : null}
      <div className="flex min-h-0 grow flex-col overflow-y-auto">
        {nodes.map((source) => (
          <SourceSection
            key={source.node.id}
            source={source}
            words={words}
            onOpen={() => onOpen(source.node.id)}
            onPick={pick}
          />
        ))}
        {Object.keys(variables).length > 0 ? (
          <Section title={t('variables')} icon={<Braces className="mx-1 size-4 text-faint" aria-hidden />}>
            <JsonTree
              className="min-h-0 grow"
              label={t('variables')}
              value={variables}
              openLevels={1}
              search={words}
              onPick={pick}
              dragData={referenceData}
            />
          </Section>
        ) : null}
      </div>
    </div>
  );
}

/** How a value gets into which field. */
function Hint() {
  const t = useDetailTexts();
  const { insertion } = useEditor();
  const isTouch = useMedia('(pointer: coarse)');
  const field = insertion((state) => state.field?.label);
  const text = isTouch
    ? field === undefined
      ? t('tap_no_field')
      : t('tap', { field })
    : field === undefined
      ? t('hint_no_field')
      : t('hint', { field });
  return <p className="text-sm text-faint">{text}</p>;
}

/** Nothing has run yet, so that there is nothing to see or pick. */
function NoData() {
  const t = useDetailTexts();
  const { start, busy, input } = useRunControls();
  return (
    <div className="flex flex-col items-start gap-2 border-b border-line p-3.5">
      <p className="text-sm text-soft">{t('no_data')}</p>
      <Button size="small" disabled={busy || input === undefined} onClick={() => void start()}>
        <Play aria-hidden />
        {t('run')}
      </Button>
    </div>
  );
}

interface SectionProps {
  title: string;
  icon: ReactNode;
  starts?: boolean;
  aside?: ReactNode;
  children: ReactNode;
}

/** Open sections share the height; each scrolls by itself. */
function Section({ title, icon, starts = false, aside, children }: SectionProps) {
  const [open, setOpen] = useState(starts);
  return (
    <section
      aria-label={title}
      className={clsx('flex flex-col border-b border-line', open ? 'min-h-44 grow basis-0' : 'shrink-0')}
    >
      <div className="flex shrink-0 items-center gap-1 pr-2">
        <h4 className="min-w-0 grow">
          <FoldButton
            open={open}
            onToggle={() => setOpen(!open)}
            className="flex min-w-0 items-center gap-2 px-3 py-1.5 font-medium"
          >
            <FoldMark open={open} />
            {icon}
            <span className="truncate">{title}</span>
          </FoldButton>
        </h4>
        {aside}
      </div>
      {open ? children : null}
    </section>
  );
}

interface SourceSectionProps {
  source: Source;
  words: string;
  onOpen: () => void;
  onPick: (path: JsonPath) => void;
}

function SourceSection({ source, words, onOpen, onPick }: SourceSectionProps) {
  const t = useDetailTexts();
  const { catalog } = useEditor();
  const { node, label, isParent, origin, value } = source;
  const definition = catalog.get(node.type);
  const readable = isReadable(label);
  return (
    <Section
      title={label}
      starts={isParent}
      icon={<NodeTile icon={definition?.icon} family={definition?.family} small />}
      aside={
        <>
          {origin === 'pinned' || origin === 'sample' ? (
            <span
              title={origin === 'sample' ? t('sample_hint') : undefined}
              className="shrink-0 rounded-s bg-sunken px-1.5 text-xs text-soft"
            >
              {t(origin)}
            </span>
          ) : null}
          <IconButton
            size="small"
            label={t('open_node', { label })}
            icon={<ArrowUpRight aria-hidden />}
            onClick={onOpen}
          />
        </>
      }
    >
      {readable ? null : <p className="px-3 pb-1 text-sm text-warning">{t('not_readable')}</p>}
      {origin === 'silent' ? (
        <Silent />
      ) : (
        <JsonTree
          className="min-h-0 grow"
          label={t('data_of', { label })}
          value={value}
          search={words}
          {...(readable
            ? {
                onPick: (path: JsonPath) => onPick([label, ...path]),
                dragData: (path: JsonPath) => referenceData([label, ...path]),
              }
            : {})}
        />
      )}
    </Section>
  );
}

function Silent() {
  const t = useDetailTexts();
  const hasRun = useRun((state) => state.nodes.size > 0);
  return <p className="px-3 pb-3 text-sm text-faint">{hasRun ? t('silent') : t('silent_yet')}</p>;
}
