import type { Workflow } from '@millrace/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import {
  Activity,
  ArrowLeft,
  Bot,
  ChartColumn,
  CircleCheck,
  CircleDot,
  CloudUpload,
  Download,
  Ellipsis,
  GitCompareArrows,
  MessagesSquare,
  NotebookPen,
  Play,
  Plug,
  Power,
  Share2,
  Square,
  TextCursorInput,
  TriangleAlert,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Menu } from '../../ui/actions/menu.tsx';
import { Tooltip } from '../../ui/overlays/tooltip.tsx';
import { useExtract } from '../extract/extract-store.ts';
import { ActiveSwitch, PublishState, useIsUnpublished, useToggleActive } from '../publish/publish-state.tsx';
import { useRunControls } from '../run/run-controls.tsx';
import type { Saving } from '../session/use-saving.ts';
import { useEditor, useView } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { downloadWorkflow } from './download-workflow.ts';
import { Notices } from './notices.tsx';

interface EditorHeaderProps {
  workflow: Workflow;
  saving: Saving;
  /** Unsaved work from an earlier visit is on the canvas. */
  restored: boolean;
}

type Opened = 'assistant' | 'endpoint' | 'portal' | 'versions' | 'settings' | 'analysis_document' | 'share';

const ShareDialog = lazy(() =>
  import('../../pages/sharing/share-dialog.tsx').then((module) => ({ default: module.ShareDialog })),
);
const SettingsDialog = lazy(() =>
  import('../../pages/workflow/settings-dialog.tsx').then((module) => ({ default: module.SettingsDialog })),
);
const AnalysisDocumentDialog = lazy(() =>
  import('../../pages/workflow/analysis-document-dialog.tsx').then((module) => ({
    default: module.AnalysisDocumentDialog,
  })),
);
const EndpointDialog = lazy(() =>
  import('../publish/endpoint/endpoint-dialog.tsx').then((module) => ({ default: module.EndpointDialog })),
);
const PortalDialog = lazy(() =>
  import('../publish/portal/portal-dialog.tsx').then((module) => ({ default: module.PortalDialog })),
);
const ExtractDialog = lazy(() =>
  import('../extract/extract-dialog.tsx').then((module) => ({ default: module.ExtractDialog })),
);
const PublishDialog = lazy(() =>
  import('../publish/publish-dialog.tsx').then((module) => ({ default: module.PublishDialog })),
);
const AssistantDialog = lazy(() =>
  import('../assistant/assistant-dialog.tsx').then((module) => ({ default: module.AssistantDialog })),
);
const VersionsDialog = lazy(() =>
  import('../publish/versions/versions-dialog.tsx').then((module) => ({ default: module.VersionsDialog })),
);

function SaveState({ saving }: { saving: Saving }) {
  const t = useEditorTexts('header');
  const icon =
    saving.state === 'failed' ? (
      <TriangleAlert className="size-3.5 text-danger" aria-hidden />
    ) : saving.state === 'saved' ? (
      <CircleCheck className="size-3.5 text-success" aria-hidden />
    ) : (
      <CircleDot className="size-3.5 text-warning" aria-hidden />
    );
  return (
    // Read out only when something is wrong: work is saved every few seconds.
    <span
      role="status"
      aria-live={saving.state === 'failed' ? 'polite' : 'off'}
      className="flex shrink-0 items-center gap-1.5 text-sm text-soft"
    >
      {icon}
      <span className="max-sm:sr-only">{t(`state.${saving.state}`)}</span>
    </span>
  );
}

function RunButton() {
  const t = useEditorTexts('header');
  const { start, stop, busy, input } = useRunControls();
  if (busy) {
    return (
      <Button onClick={stop}>
        <Square className="text-danger" aria-hidden />
        <span className="max-sm:sr-only">{t('stop')}</span>
      </Button>
    );
  }
  return (
    <Tooltip text={t('run_hint')} keys="mod+enter">
      <Button disabled={input === undefined} onClick={() => void start()}>
        <Play aria-hidden />
        <span className="max-sm:sr-only">{t('run')}</span>
      </Button>
    </Tooltip>
  );
}

function PublishButton({ workflow }: { workflow: Workflow }) {
  const t = useEditorTexts('publish');
  const unpublished = useIsUnpublished(workflow);
  const { view } = useEditor();
  return (
    <Tooltip text={unpublished ? t('hint') : t('nothing')} keys="shift+p">
      <Button
        tone="primary"
        aria-disabled={!unpublished}
        onClick={() => unpublished && view.getState().set({ publishing: true })}
      >
        <CloudUpload className="sm:hidden" aria-hidden />
        <span className="max-sm:sr-only">{t('publish')}</span>
      </Button>
    </Tooltip>
  );
}

export function EditorHeader({ workflow, saving, restored }: EditorHeaderProps) {
  const t = useEditorTexts('header');
  const { store, view } = useEditor();
  const navigate = useNavigate();
  const [open, setOpen] = useState<Opened>();
  const close = () => setOpen(undefined);
  const extracting = useExtract((state) => state.open);
  const publishing = useView((state) => state.publishing);
  const toggleActive = useToggleActive(workflow);
  return (
    <>
      <section
        aria-label={t('label')}
        className="flex h-12 shrink-0 items-center gap-2 border-b border-line bg-surface px-2.5"
      >
        <Link
          to="/"
          aria-label={t('back')}
          className="inline-flex size-8 shrink-0 items-center justify-center rounded-m text-soft hover:bg-hover"
        >
          <ArrowLeft className="size-4" aria-hidden />
        </Link>
        <h1 className="min-w-0 shrink text-lg font-semibold">
          <button
            type="button"
            title={workflow.description ?? t('settings')}
            onClick={() => setOpen('settings')}
            className="block max-w-full truncate rounded-m px-1.5 py-0.5 text-left hover:bg-hover"
          >
            {workflow.name}
          </button>
        </h1>
        <SaveState saving={saving} />
        <span className="shrink-0 max-sm:hidden">
          <PublishState workflow={workflow} />
        </span>
        <div className="ml-auto flex shrink-0 items-center gap-1.5">
          <span className="mr-2 max-lg:hidden">
            <ActiveSwitch workflow={workflow} />
          </span>
          <Button tone="quiet" className="max-lg:hidden" onClick={() => setOpen('versions')}>
            <GitCompareArrows aria-hidden />
            {t('versions')}
          </Button>
          <Button tone="quiet" className="max-lg:hidden" onClick={() => setOpen('endpoint')}>
            <Plug aria-hidden />
            {t('endpoint')}
          </Button>
          <Menu
            items={[
              { label: t('settings'), icon: <TextCursorInput />, onSelect: () => setOpen('settings') },
              {
                label: t('analysis_document'),
                icon: <NotebookPen />,
                onSelect: () => setOpen('analysis_document'),
              },
              { label: t('assistant'), icon: <Bot />, onSelect: () => setOpen('assistant') },
              { label: t('versions'), icon: <GitCompareArrows />, onSelect: () => setOpen('versions') },
              { label: t('endpoint'), icon: <Plug />, onSelect: () => setOpen('endpoint') },
              ...(workflow.access === 'owner'
                ? [
                    {
                      label: t(workflow.active ? 'switch_off' : 'switch_on'),
                      icon: <Power />,
                      onSelect: toggleActive,
                    },
                    { label: t('portal'), icon: <MessagesSquare />, onSelect: () => setOpen('portal') },
                    { label: t('share'), icon: <Share2 />, onSelect: () => setOpen('share') },
                  ]
                : []),
              { kind: 'separator' },
              {
                label: t('runs'),
                icon: <Activity />,
                onSelect: () => void navigate({ to: '/runs', search: { workflow: workflow.id } }),
              },
              {
                label: t('analytics'),
                icon: <ChartColumn />,
                onSelect: () => void navigate({ to: '/analytics', search: { workflow: workflow.id } }),
              },
              {
                label: t('download'),
                icon: <Download />,
                onSelect: () => downloadWorkflow(workflow, store.getState().document),
              },
            ]}
          >
            <IconButton label={t('more')} icon={<Ellipsis />} tooltip={false} />
          </Menu>
          <RunButton />
          <PublishButton workflow={workflow} />
        </div>
      </section>
      <Notices workflow={workflow} saving={saving} restored={restored} />
      <Suspense>
        {open === 'endpoint' ? <EndpointDialog workflow={workflow} onClose={close} /> : null}
        {open === 'portal' ? <PortalDialog workflow={workflow} onClose={close} /> : null}
        {open === 'versions' ? <VersionsDialog workflow={workflow} saving={saving} onClose={close} /> : null}
        {open === 'assistant' ? (
          <AssistantDialog workflow={workflow} saving={saving} onClose={close} />
        ) : null}
        {open === 'settings' ? <SettingsDialog id={workflow.id} onClose={close} /> : null}
        {open === 'analysis_document' ? (
          <AnalysisDocumentDialog id={workflow.id} name={workflow.name} onClose={close} />
        ) : null}
        {open === 'share' ? (
          <ShareDialog kind="workflow" id={workflow.id} name={workflow.name} onClose={close} />
        ) : null}
        {extracting ? <ExtractDialog /> : null}
        {publishing ? (
          <PublishDialog
            workflow={workflow}
            saving={saving}
            onClose={() => view.getState().set({ publishing: false })}
          />
        ) : null}
      </Suspense>
    </>
  );
}
