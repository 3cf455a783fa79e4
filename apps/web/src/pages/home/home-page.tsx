import { getRouteApi } from '@tanstack/react-router';
import { FolderTree as FolderIcon, Plus, Upload } from 'lucide-react';
import { useMemo, useState } from 'react';
import { folderPath, useFolders } from '../../data/folders.ts';
import { type Command, useCommands } from '../../lib/commands.ts';
import type { HomeSearch } from '../../search.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { Count } from '../../ui/display/status-chip.tsx';
import { FileDrop } from '../../ui/forms/file-drop.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Sheet } from '../../ui/overlays/dialog.tsx';
import { DeletionProgress } from './deletion-progress.tsx';
import { Places } from './folders/places.tsx';
import { HomeDialogs } from './home-dialogs.tsx';
import { HomeToolbar } from './home-toolbar.tsx';
import { useImport } from './import/use-import.ts';
import type { OpenDialog } from './open-dialog.ts';
import { useHomeTexts } from './texts/use-home-texts.ts';
import { type ShownWorkflows, useShownWorkflows } from './workflows/use-shown-workflows.ts';
import { CardSkeletons, WorkflowArea } from './workflows/workflow-area.tsx';

const route = getRouteApi('/app/');

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
  const navigate = route.useNavigate();
  const shown = useShownWorkflows();
  const { folders, search } = shown;
  const { folder, show, sort } = search;
  const [dialog, setDialog] = useState<OpenDialog>();
  const [isPaneOpen, setPaneOpen] = useState(false);
  const files = useImport(folder, (report) => setDialog({ kind: 'report', report }));
  const { title, hint } = useTitle();
  const openNew = useMemo(() => () => setDialog({ kind: 'new' }), []);
  useHomeCommands(openNew, files.pick);
  const go = (place: Pick<HomeSearch, 'folder' | 'show'>) => {
    setPaneOpen(false);
    void navigate({ search: { ...place, ...(sort ? { sort } : {}) } });
  };
  const places = <Places workflows={shown.workflows} folders={folders} place={{ folder, show }} onGo={go} />;
  return (
    <FileDrop className="h-full" onFiles={files.take} invitation={t('drop_invitation')}>
      <Page
        fill
        title={title}
        badge={shown.query.data ? <Count value={shown.visible.length} /> : null}
        lead={
          <IconButton
            className="lg:hidden"
            label={t('places')}
            icon={<FolderIcon aria-hidden />}
            onClick={() => setPaneOpen(true)}
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
          <div className="hidden w-60 shrink-0 overflow-y-auto border-r border-line lg:block">{places}</div>
          <div className="relative flex min-w-0 grow flex-col">
            <HomeToolbar
              search={search}
              words={shown.typed}
              onWords={shown.setTyped}
              onChange={shown.change}
              onImport={files.pick}
            />
            {hint ? (
              <p className="border-b border-line bg-canvas px-4 py-2 text-sm text-soft sm:px-5">{hint}</p>
            ) : null}
            <DeletionProgress />
            <FoundWorkflows key={show ?? folder} shown={shown} onOpen={setDialog} onImport={files.pick} />
          </div>
        </div>
      </Page>
      <Sheet open={isPaneOpen} onOpenChange={setPaneOpen} side="left" title={t('places')}>
        {places}
      </Sheet>
      <HomeDialogs open={dialog} folders={folders} folder={folder} onClose={() => setDialog(undefined)} />
    </FileDrop>
  );
}

interface FoundWorkflowsProps {
  shown: ShownWorkflows;
  onOpen: (dialog: OpenDialog) => void;
  onImport: () => void;
}

function FoundWorkflows({ shown, onOpen, onImport }: FoundWorkflowsProps) {
  const { query, search, words } = shown;
  if (query.isPending) return <CardSkeletons />;
  if (query.isLoadingError) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <WorkflowArea
      workflows={shown.visible}
      total={shown.workflows.length}
      search={{ ...search, q: words === '' ? undefined : words }}
      onClear={() => shown.setTyped('')}
      folders={shown.folders}
      onChange={shown.change}
      onOpen={onOpen}
      onImport={onImport}
    />
  );
}
