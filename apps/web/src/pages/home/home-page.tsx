import type { WorkflowSummary } from '@millrace/contracts';
import { getRouteApi } from '@tanstack/react-router';
import { FolderTree as FolderIcon, Plus, Upload } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { useLocale } from 'use-intl';
import { folderPath, useFolders } from '../../data/folders.ts';
import { useWorkflows } from '../../data/workflows.ts';
import { useSearchWords } from '../../lib/use-search-words.ts';
import type { HomeSearch } from '../../search.ts';
import { type Command, useCommands } from '../../shell/commands.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { Count } from '../../ui/display/status-chip.tsx';
import { FileDrop } from '../../ui/forms/file-drop.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Sheet } from '../../ui/overlays/dialog.tsx';
import { DeletionProgress } from './deletion-progress.tsx';
import { FolderPane } from './folders/folder-pane.tsx';
import { HomeDialogs } from './home-dialogs.tsx';
import { HomeToolbar } from './home-toolbar.tsx';
import { useImport } from './import/use-import.ts';
import type { OpenDialog } from './open-dialog.ts';
import { useHomeTexts } from './texts/use-home-texts.ts';
import { useWorkflowMoves } from './use-workflow-actions.tsx';
import { countWorkflows, sortWorkflows, visibleWorkflows } from './workflows/visible.ts';
import { CardSkeletons, WorkflowArea } from './workflows/workflow-area.tsx';

const route = getRouteApi('/app/');
const NONE: WorkflowSummary[] = [];

function useTitle(): { title: string; hint: string | undefined } {
  const t = useHomeTexts();
  const { folder, show } = route.useSearch();
  const folders = useFolders();
  if (show === 'deleted') return { title: t('deletion_area'), hint: t('deletion_hint') };
  if (show === 'shared') return { title: t('shared'), hint: undefined };
  const path = folderPath(folders, folder ?? null);
  const name = path.map((part) => part.name).join(' / ');
  return { title: name === '' ? t('workflows') : name, hint: path.at(-1)?.description ?? undefined };
}

function useHomeCommands(onNew: () => void, onImport: () => void): void {
  const t = useHomeTexts();
  const commands = useMemo<Command[]>(
    () => [
      { id: 'home.new', title: t('new_workflow'), icon: <Plus aria-hidden />, keys: 'n', run: onNew },
      { id: 'home.import', title: t('import'), icon: <Upload aria-hidden />, keys: 'i', run: onImport },
      {
        id: 'home.search',
        title: t('search'),
        keys: '/',
        keysOnly: true,
        run: () => document.querySelector<HTMLInputElement>('[data-search]')?.focus(),
      },
    ],
    [t, onNew, onImport],
  );
  useCommands(commands);
}

/** The workflows: places at the left, cards or a list at the right, files dropped anywhere are imported. */
export function HomePage() {
  const t = useHomeTexts();
  const locale = useLocale();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useWorkflows();
  const folders = useFolders();
  const workflows = query.data ?? NONE;
  const [dialog, setDialog] = useState<OpenDialog>();
  const [places, setPlaces] = useState(false);
  const moves = useWorkflowMoves();
  const files = useImport(search.folder, (report) => setDialog({ kind: 'report', report }));
  const { title, hint } = useTitle();
  const openNew = useMemo(() => () => setDialog({ kind: 'new' }), []);
  useHomeCommands(openNew, files.pick);

  const change = (part: Partial<HomeSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const [typed, setTyped] = useSearchWords(search.q, (q) => change({ q }));
  const words = useDeferredValue(typed);
  const { folder, show, sort } = search;
  const sorted = useMemo(() => sortWorkflows(workflows, sort, locale), [workflows, sort, locale]);
  const visible = useMemo(
    () => visibleWorkflows(sorted, { folder, show, q: words, folders }),
    [sorted, folder, show, words, folders],
  );
  const counts = useMemo(() => countWorkflows(workflows), [workflows]);
  const go = (place: Pick<HomeSearch, 'folder' | 'show'>) => {
    setPlaces(false);
    void navigate({ search: { ...place, ...(sort ? { sort } : {}) } });
  };
  const byId = (id: string) => workflows.find((candidate) => candidate.id === id);
  const moveWorkflow = (id: string, target: string | null) => {
    const workflow = byId(id);
    if (workflow) moves.move(workflow, target, folders.get(target ?? '')?.name ?? t('no_folder'));
  };
  const scheduleWorkflow = (id: string) => {
    const workflow = byId(id);
    if (workflow) moves.schedule(workflow);
  };
  const pane = (
    <FolderPane
      folders={folders}
      counts={counts}
      place={{ folder, show }}
      onGo={go}
      onMoveWorkflow={moveWorkflow}
      onScheduleWorkflow={scheduleWorkflow}
    />
  );

  return (
    <FileDrop className="h-full" onFiles={files.take} invitation={t('drop_invitation')}>
      <Page
        fill
        title={title}
        badge={query.data ? <Count value={visible.length} /> : null}
        lead={
          <IconButton
            className="lg:hidden"
            label={t('places')}
            icon={<FolderIcon aria-hidden />}
            onClick={() => setPlaces(true)}
          />
        }
        actions={
          <>
            <Button onClick={files.pick} busy={files.busy} className="max-sm:hidden">
              <Upload aria-hidden />
              {t('import')}
            </Button>
            <Button tone="primary" onClick={openNew}>
              <Plus aria-hidden />
              {t('new_workflow')}
            </Button>
          </>
        }
      >
        <div className="flex min-h-0 grow">
          <div className="hidden w-60 shrink-0 overflow-y-auto border-r border-line lg:block">{pane}</div>
          <div className="flex min-w-0 grow flex-col">
            <HomeToolbar
              search={search}
              words={typed}
              onWords={setTyped}
              onChange={change}
              onImport={files.pick}
            />
            {hint ? (
              <p className="border-b border-line bg-canvas px-4 py-2 text-sm text-soft sm:px-5">{hint}</p>
            ) : null}
            <DeletionProgress />
            {query.isPending ? (
              <CardSkeletons />
            ) : query.isLoadingError ? (
              <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
            ) : (
              <WorkflowArea
                workflows={visible}
                total={workflows.length}
                search={{ ...search, q: words === '' ? undefined : words }}
                onClear={() => setTyped('')}
                folders={folders}
                onChange={change}
                onOpen={setDialog}
                onImport={files.pick}
              />
            )}
          </div>
        </div>
      </Page>
      <Sheet open={places} onOpenChange={setPlaces} side="left" title={t('places')}>
        {pane}
      </Sheet>
      <HomeDialogs open={dialog} folders={folders} folder={folder} onClose={() => setDialog(undefined)} />
    </FileDrop>
  );
}
