import { getRouteApi } from '@tanstack/react-router';
import { LayoutTemplate, Lock, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { type Template, useTemplates } from '../../data/templates.ts';
import type { Command } from '../../lib/commands.ts';
import { useCommands } from '../../lib/commands.ts';
import { bestMatches } from '../../lib/fuzzy.ts';
import { useSearchWords } from '../../lib/use-search-words.ts';
import { Button } from '../../ui/actions/button.tsx';
import { EmptyState, LoadFailed, NothingFound } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Badge, Count } from '../../ui/display/status-chip.tsx';
import { PageSearch } from '../../ui/forms/filters.tsx';
import { Segmented } from '../../ui/forms/toggles.tsx';
import { GraphThumbnail } from '../../ui/graph/graph-thumbnail.tsx';
import { useNodeLooks, WorkflowGlyph } from '../../ui/graph/workflow-glyph.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { VirtualGrid } from '../../ui/layout/virtual-list.tsx';
import { EditTemplate } from './edit-template.tsx';
import { NewTemplate } from './new-template.tsx';
import { TemplatePreview } from './template-preview.tsx';
import { useTemplatesTexts } from './texts/use-templates-texts.ts';

const route = getRouteApi('/app/templates');
const CARD_HEIGHT = 190;

function TemplateCard({ template, onOpen }: { template: Template; onOpen: () => void }) {
  const t = useTemplatesTexts();
  return (
    <article className="group relative flex h-full flex-col overflow-hidden rounded-l border border-line bg-surface shadow-s transition-[border-color,box-shadow] duration-[var(--duration)] hover:border-line-strong hover:shadow-m dark:bg-raised/40">
      <div className="flex h-[100px] shrink-0 items-center justify-center border-b border-line bg-canvas p-3">
        {template.kind === 'workflow' ? (
          <GraphThumbnail
            graph={template}
            label={t('picture', { count: template.nodes.length })}
            className="size-full"
          />
        ) : (
          <WorkflowGlyph type={template.node_type} size="large" />
        )}
      </div>
      <div className="flex min-h-0 grow flex-col px-3 pt-2 pb-2.5">
        <h2 className="truncate text-base font-semibold">
          <button
            type="button"
            onClick={onOpen}
            className="text-left after:absolute after:inset-0 after:rounded-l"
          >
            {template.name}
          </button>
        </h2>
        <p className="line-clamp-1 text-sm text-soft">{template.description}</p>
        <p className="mt-auto flex items-center gap-1.5 overflow-hidden text-sm text-faint">
          <span className="shrink-0">{t('used', { count: template.use_count })}</span>
          {template.visibility === 'specific_users' ? (
            <Badge>
              <Lock aria-hidden />
              {t('specific')}
            </Badge>
          ) : null}
          {template.tags.slice(0, 3).map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </p>
      </div>
    </article>
  );
}

function useFound(
  templates: readonly Template[],
  kind: 'workflow' | 'node' | undefined,
  words: string,
): Template[] {
  const looks = useNodeLooks();
  return useMemo(() => {
    const getTitle = (type: string) => looks.get(type)?.title ?? type;
    const types = (template: Template) =>
      template.kind === 'node'
        ? [getTitle(template.node_type)]
        : template.nodes.map((node) => getTitle(node.type));
    return bestMatches(
      templates.filter((template) => !kind || template.kind === kind),
      words,
      (template) => [
        template.name,
        template.tags.join(' '),
        template.description ?? '',
        types(template).join(' '),
      ],
    );
  }, [templates, kind, words, looks]);
}

function useNewTemplateCommand(setCreating: (creating: boolean) => void): void {
  const t = useTemplatesTexts();
  useCommands(
    useMemo<Command[]>(
      () => [
        {
          id: 'templates.new',
          title: t('new'),
          icon: <Plus aria-hidden />,
          keys: 'n',
          run: () => setCreating(true),
        },
      ],
      [t, setCreating],
    ),
  );
}

/** Templates of workflows and nodes, one's own and those of others. */
export function TemplatesPage() {
  const t = useTemplatesTexts();
  const query = useTemplates();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const [words, setWords] = useSearchWords(search.q, (q) => change({ q }));
  const [creating, setCreating] = useState(false);
  const [editing, setEditing] = useState<Template>();
  const found = useFound(query.data ?? [], search.kind, words);
  const open = query.data?.find((template) => template.id === search.open);
  useNewTemplateCommand(setCreating);
  return (
    <Page
      fill
      title={t('title')}
      badge={query.data ? <Count value={found.length} /> : null}
      actions={
        <Button tone="primary" onClick={() => setCreating(true)}>
          <Plus aria-hidden />
          {t('new')}
        </Button>
      }
      toolbar={
        <>
          <PageSearch label={t('search')} value={words} onChange={setWords} />
          <Segmented
            label={t('kind')}
            value={search.kind ?? 'all'}
            onChange={(kind) => change({ kind: kind === 'all' ? undefined : kind })}
            choices={[
              { value: 'all', label: t('all') },
              { value: 'workflow', label: t('workflows') },
              { value: 'node', label: t('nodes') },
            ]}
          />
        </>
      }
    >
      {query.isPending ? (
        <SkeletonRows />
      ) : query.isLoadingError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data.length === 0 ? (
        <EmptyState icon={<LayoutTemplate aria-hidden />} title={t('none')}>
          {t('none_hint')}
        </EmptyState>
      ) : found.length === 0 ? (
        <NothingFound
          icon={<LayoutTemplate aria-hidden />}
          title={t('none_found')}
          words={words}
          onShowAll={() => {
            setWords('');
            change({ kind: undefined });
          }}
        />
      ) : (
        <VirtualGrid
          className="p-4 sm:p-5"
          label={t('title')}
          items={found}
          itemKey={(template) => template.id}
          itemHeight={CARD_HEIGHT}
          gap={12}
          minWidth={260}
          render={(template) => (
            <TemplateCard template={template} onOpen={() => change({ open: template.id })} />
          )}
        />
      )}
      {open && !editing ? (
        <TemplatePreview
          template={open}
          onClose={() => change({ open: undefined })}
          onEdit={() => setEditing(open)}
        />
      ) : null}
      {creating ? <NewTemplate onClose={() => setCreating(false)} /> : null}
      {editing ? <EditTemplate template={editing} onClose={() => setEditing(undefined)} /> : null}
    </Page>
  );
}
