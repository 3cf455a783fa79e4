import { Link } from '@tanstack/react-router';
import { ArrowLeft, Pin, SquareArrowOutUpRight } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useMe } from '../../data/session.ts';
import { useTogglePin, useWorkflowPins } from '../../data/workflow-pins.ts';
import { useWorkflows } from '../../data/workflows.ts';
import { buttonStyle } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Sheet } from '../../ui/overlays/dialog.tsx';
import { showFailure } from '../../ui/overlays/toast.ts';
import { keepChosen, readKept } from './last-inputs.ts';
import { useQuickDrawerTexts } from './texts/use-quick-drawer-texts.ts';
import { WorkflowChoice } from './workflow-choice.tsx';
import { WorkflowRun } from './workflow-run.tsx';

interface QuickDrawerProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Runs a workflow from any page: choose it, fill in its inputs, see its outputs. */
export default function QuickDrawer({ open, onOpenChange }: QuickDrawerProps) {
  const nav = useTranslations('nav');
  const { id: user_id } = useMe();
  const [id, setId] = useState(() => readKept(user_id).chosen);
  const { data: workflows } = useWorkflows();
  const choose = (next: string | undefined) => {
    keepChosen(user_id, next);
    setId(next);
  };
  // A workflow that is gone, or no longer shared, is not offered.
  const chosen = id === undefined ? undefined : workflows?.find((workflow) => workflow.id === id);
  return (
    <Sheet
      open={open}
      onOpenChange={onOpenChange}
      title={chosen?.name ?? nav('quick_drawer')}
      description={chosen ? nav('quick_drawer') : undefined}
      actions={chosen ? <ChosenActions id={chosen.id} onBack={() => choose(undefined)} /> : null}
    >
      {chosen ? <WorkflowRun key={chosen.id} id={chosen.id} /> : <WorkflowChoice onChoose={choose} />}
    </Sheet>
  );
}

function ChosenActions({ id, onBack }: { id: string; onBack: () => void }) {
  const t = useQuickDrawerTexts();
  const ui = useTranslations('ui');
  const pinned = useWorkflowPins().includes(id);
  const togglePin = useTogglePin(showFailure);
  return (
    <>
      <IconButton label={t('choose_other')} icon={<ArrowLeft aria-hidden />} onClick={onBack} />
      <IconButton
        label={pinned ? ui('unpin') : ui('pin')}
        aria-pressed={pinned}
        icon={<Pin className={pinned ? 'fill-current text-accent-text' : ''} aria-hidden />}
        onClick={() => togglePin(id)}
      />
      <Link
        to="/workflows/$id"
        params={{ id }}
        aria-label={t('open_editor')}
        title={t('open_editor')}
        className={buttonStyle({ tone: 'quiet' })}
      >
        <SquareArrowOutUpRight aria-hidden />
      </Link>
    </>
  );
}
