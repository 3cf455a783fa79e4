import type { Workflow } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import {
  ArrowLeft,
  CircleCheck,
  CircleDot,
  CloudUpload,
  GitCompareArrows,
  Play,
  Plug,
  Square,
  TriangleAlert,
} from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/actions/button.tsx';
import { Tooltip } from '../../ui/overlays/tooltip.tsx';
import { ActiveSwitch, PublishState, useIsUnpublished } from '../publish/publish-state.tsx';
import { useRunControls } from '../run/run-controls.tsx';
import type { Saving } from '../session/saving.ts';
import { useEditor } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { type HeaderDialog, HeaderDialogs } from './header-dialogs.tsx';
import { HeaderMenu } from './header-menu.tsx';
import { Notices } from './notices.tsx';

interface EditorHeaderProps {
  workflow: Workflow;
  saving: Saving;
  /** Unsaved work from an earlier visit is on the canvas. */
  restored: boolean;
}

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
  const [open, setOpen] = useState<HeaderDialog>();
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
          <HeaderMenu workflow={workflow} onOpen={setOpen} />
          <RunButton />
          <PublishButton workflow={workflow} />
        </div>
      </section>
      <Notices workflow={workflow} saving={saving} restored={restored} />
      <HeaderDialogs workflow={workflow} saving={saving} open={open} onClose={() => setOpen(undefined)} />
    </>
  );
}
