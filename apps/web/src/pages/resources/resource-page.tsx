import type { UseQueryResult } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { type Command, useCommands } from '../../lib/commands.ts';
import { bestMatches } from '../../lib/fuzzy.ts';
import { Button } from '../../ui/actions/button.tsx';
import { EmptyState, LoadFailed, NothingFound } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Count } from '../../ui/display/status-chip.tsx';
import { PageSearch } from '../../ui/forms/filters.tsx';
import { type Column, DataTable } from '../../ui/layout/data-table.tsx';
import { Page } from '../../ui/layout/page.tsx';

interface ResourceRow {
  id: string;
  name: string;
  description?: string | null;
}

const namedTexts = ({ name, description }: ResourceRow): readonly string[] => [name, description ?? ''];

interface ResourcePageProps<Row extends ResourceRow> {
  /** Begins the id of its command. */
  area: string;
  texts: (key: 'title' | 'new' | 'search' | 'none' | 'none_hint' | 'none_found') => string;
  icon: ReactNode;
  query: UseQueryResult<Row[]>;
  words: string;
  onWords: (words: string) => void;
  /** The texts that the words are searched in; name and description unless it says otherwise. */
  getTexts?: (row: Row) => readonly string[];
  columns: readonly Column<Row>[];
  /** Must keep its identity: the command for it is registered anew with every other one. */
  onNew: () => void;
  onOpen: (row: Row) => void;
  /** Beside the button that makes a new one. */
  actions?: ReactNode;
  /** Beside the search. */
  tools?: ReactNode;
  /** Dialogs. */
  children: ReactNode;
}

/** The screen of what people make, name, search and share. */
export function ResourcePage<Row extends ResourceRow>(props: ResourcePageProps<Row>) {
  const { area, texts: t, query, words, onNew } = props;
  const title = t('new');
  useCommands(
    useMemo<Command[]>(
      () => [{ id: `${area}.new`, title, icon: <Plus aria-hidden />, keys: 'n', run: onNew }],
      [area, title, onNew],
    ),
  );
  return (
    <Page
      title={t('title')}
      badge={query.data ? <Count value={query.data.length} /> : null}
      actions={
        <>
          {props.actions}
          <Button tone="primary" onClick={onNew}>
            <Plus aria-hidden />
            {title}
          </Button>
        </>
      }
      toolbar={
        query.data && query.data.length > 0 ? (
          <>
            <PageSearch label={t('search')} value={words} onChange={props.onWords} />
            {props.tools}
          </>
        ) : null
      }
    >
      <Rows {...props} />
      {props.children}
    </Page>
  );
}

function Rows<Row extends ResourceRow>(props: ResourcePageProps<Row>) {
  const { texts: t, icon, query, words, getTexts = namedTexts, columns, actions, onNew, onOpen } = props;
  if (query.isPending) return <SkeletonRows />;
  if (query.isLoadingError) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data.length === 0) {
    const make = (
      <>
        <Button tone="primary" onClick={onNew}>
          {t('new')}
        </Button>
        {actions}
      </>
    );
    return (
      <EmptyState icon={icon} title={t('none')} actions={make}>
        {t('none_hint')}
      </EmptyState>
    );
  }
  const rows = bestMatches(query.data, words, getTexts);
  if (rows.length === 0)
    return (
      <NothingFound icon={icon} title={t('none_found')} words={words} onShowAll={() => props.onWords('')} />
    );
  return (
    <DataTable label={t('title')} columns={columns} rows={rows} rowKey={({ id }) => id} onOpen={onOpen} />
  );
}
