import { clsx } from 'clsx';
import { FileText, Image, ListTree, Pilcrow, Table } from 'lucide-react';
import { type ReactNode, Suspense, useDeferredValue, useState } from 'react';
import { useTranslations } from 'use-intl';
import { lazy } from '../../lib/code/lazy.ts';
import type { JsonPath } from '../../lib/json/json-path.ts';
import { CopyButton } from '../actions/copy-button.tsx';
import { Skeleton } from '../display/skeleton.tsx';
import { SearchInput } from '../forms/input.tsx';
import { Segmented } from '../forms/toggles.tsx';
import { JsonTable } from './json-table.tsx';
import { JsonTree } from './json-tree.tsx';
import { findImage, findRows, findText, type ResultView as View, viewsFor } from './result-kinds.ts';

const MarkdownView = lazy(() => import('./markdown.tsx'));

const ICONS: Record<View, ReactNode> = {
  tree: <ListTree aria-hidden />,
  table: <Table aria-hidden />,
  text: <FileText aria-hidden />,
  markdown: <Pilcrow aria-hidden />,
  image: <Image aria-hidden />,
};

interface ResultViewProps {
  value: unknown;
  /** The name of the value: "Output of fetchUser". */
  label: string;
  onPick?: (path: JsonPath) => void;
  className?: string;
}

/** A value of a run in the view that suits it: tree, table, text, Markdown or picture. */
export function ResultView({ value, label, onPick, className }: ResultViewProps) {
  const t = useTranslations('ui');
  const views = viewsFor(value);
  const [chosen, setChosen] = useState<View>();
  const [search, setSearch] = useState('');
  const words = useDeferredValue(search);
  const view = chosen && views.includes(chosen) ? chosen : (views[0] ?? 'tree');
  const text = () => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''));
  return (
    <section aria-label={label} className={clsx('flex min-h-0 flex-col', className)}>
      <div className="flex shrink-0 items-center gap-2 border-b border-line px-2 py-1">
        <Segmented
          size="small"
          label={t('view_as')}
          iconsOnly
          value={view}
          onChange={setChosen}
          choices={views.map((item) => ({ value: item, label: t(`view_${item}`), icon: ICONS[item] }))}
        />
        {view === 'tree' ? (
          <SearchInput
            value={search}
            onChange={setSearch}
            label={t('search_in_value')}
            className="max-w-56 grow"
          />
        ) : null}
        <CopyButton text={text} className="ml-auto" />
      </div>
      <div className="flex min-h-0 grow flex-col">
        <Shown
          view={view}
          value={value}
          label={label}
          search={words}
          text={text}
          {...(onPick ? { onPick } : {})}
        />
      </div>
    </section>
  );
}

interface ShownProps extends Omit<ResultViewProps, 'className'> {
  view: View;
  search: string;
  text: () => string;
}

function Shown({ view, value, label, search, text, onPick }: ShownProps) {
  switch (view) {
    case 'tree':
      return (
        <JsonTree
          className="grow"
          value={value}
          label={label}
          search={search}
          {...(onPick ? { onPick } : {})}
        />
      );
    case 'table':
      return <JsonTable rows={findRows(value) ?? []} label={label} />;
    case 'text':
      return (
        <pre
          role="group"
          aria-label={label}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
          tabIndex={0}
          className="grow overflow-auto p-3 text-sm break-words whitespace-pre-wrap"
        >
          {text()}
        </pre>
      );
    case 'markdown':
      return (
        <Suspense fallback={<Skeleton className="m-3 h-24" />}>
          <div className="grow overflow-auto p-3">
            <MarkdownView text={findText(value) ?? ''} />
          </div>
        </Suspense>
      );
    case 'image':
      return (
        <div className="grow overflow-auto p-3">
          <img src={findImage(value)} alt={label} className="max-w-full rounded-m border border-line" />
        </div>
      );
    default:
      return view satisfies never;
  }
}
