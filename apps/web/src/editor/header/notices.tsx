import type { Workflow } from '@millrace/contracts';
import { type ReactNode, Suspense, useState } from 'react';
import { useMe } from '../../data/session.ts';
import { useDocument, useRun } from '../../features/document/context.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { Button } from '../../ui/actions/button.tsx';
import type { Saving } from '../session/saving.ts';
import { toDocument } from '../session/server-state.ts';
import { dropUnsavedCopy } from '../session/unsaved-copy.ts';
import { useEditor } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';

const WorkflowBudgetNotices = lazy(() =>
  import('../../features/workflow/budget-notices.tsx').then((module) => ({
    default: module.WorkflowBudgetNotices,
  })),
);

interface NoticesProps {
  workflow: Workflow;
  saving: Saving;
  restored: boolean;
}

/** Everything that the person should know about the document as a whole, one line each under the header. */
export function Notices({ workflow, saving, restored }: NoticesProps) {
  const t = useEditorTexts('header');
  const me = useMe();
  const { store } = useEditor();
  const refusal = useDocument((state) => state.refusal);
  const [isRestored, setRestored] = useState(restored);
  const run_id = useRun((state) => state.execution_id);
  const ofNodes = useDocument(({ document }) =>
    document.nodes.some(({ data }) => Number(data['maxCostUsd']) > 0),
  );
  const hasBudget = ofNodes || workflow.daily_budget_usd !== null || workflow.run_budget_usd !== null;
  const discard = () => {
    dropUnsavedCopy({ user_id: me.id, workflow_id: workflow.id });
    store.getState().load(toDocument(workflow));
    setRestored(false);
  };
  return (
    <>
      {saving.problem ? (
        <Notice tone="danger" action={t('save')} onAction={() => void saving.save()}>
          {saving.problem}
        </Notice>
      ) : null}
      {refusal ? (
        <Notice tone="warning" action={t('dismiss')} onAction={() => store.getState().dismissRefusal()}>
          {t(`refusal.${refusal.code}`, { title: 'title' in refusal ? refusal.title : '' })}
        </Notice>
      ) : null}
      {isRestored && saving.state !== 'saved' ? (
        <Notice tone="warning" action={t('discard_unsaved')} onAction={discard}>
          {t('restored')}
        </Notice>
      ) : null}
      {hasBudget ? (
        <Suspense>
          <WorkflowBudgetNotices workflow={workflow} of_nodes={ofNodes} run_id={run_id} />
        </Suspense>
      ) : null}
    </>
  );
}

interface NoticeProps {
  tone: 'danger' | 'warning';
  action?: string;
  onAction?: () => void;
  children: ReactNode;
}

function Notice({ tone, action, onAction, children }: NoticeProps) {
  const look =
    tone === 'danger'
      ? 'border-danger-line bg-danger-tint text-danger'
      : 'border-warning-line bg-warning-tint text-text';
  return (
    <div role="alert" className={`flex items-center gap-3 border-b px-4 py-1.5 text-sm ${look}`}>
      <span className="grow">{children}</span>
      {action ? (
        <Button size="small" onClick={onAction}>
          {action}
        </Button>
      ) : null}
    </div>
  );
}
