import type { VersionDiff, Workflow } from '@millrace/contracts';
import { Check, X } from 'lucide-react';
import { Button } from '../../ui/actions/button.tsx';
import { useDocument } from '../context.tsx';
import { documentOf } from '../session/use-saving.ts';
import { Changes } from '../versions/changes.tsx';
import { useAssistantDialogTexts } from './texts/use-assistant-dialog-texts.ts';
import type { Proposal } from './use-conversation.ts';

interface ProposalViewProps {
  workflow: Workflow;
  proposal: Proposal;
  onAccept: () => void;
  onReject: () => void;
}

/** What a proposal changes, drawn and field by field as between versions; it is accepted whole or not at all. */
export function ProposalView({ workflow, proposal, onAccept, onReject }: ProposalViewProps) {
  const t = useAssistantDialogTexts();
  const isOutdated = useDocument(({ document }) => document !== proposal.base);
  const { problems } = proposal.workflow;
  const diff: VersionDiff = {
    ...proposal.changes,
    config_changes: [],
    version_id: workflow.version_id,
    version_number: workflow.version_number,
    compared_to_version_id: workflow.version_id,
    compared_to_version_number: null,
  };
  return (
    <section aria-label={t('proposal')} className="rounded-l border border-line-strong p-3">
      <Changes
        diff={diff}
        current={documentOf(proposal.workflow)}
        action={
          <span className="ml-auto flex gap-2">
            <Button tone="primary" onClick={onAccept}>
              <Check aria-hidden />
              {t('accept')}
            </Button>
            <Button onClick={onReject}>
              <X aria-hidden />
              {t('reject')}
            </Button>
          </span>
        }
      >
        {isOutdated ? <p className="text-sm text-warning">{t('outdated')}</p> : null}
        {problems.length > 0 ? (
          <div className="text-sm text-soft">
            <p>{t('left')}</p>
            <ul className="list-disc pl-5">
              {problems.map(({ node_id, field, message }, at) => (
                <li key={`${node_id}.${field}.${at}`}>{message}</li>
              ))}
            </ul>
          </div>
        ) : null}
      </Changes>
    </section>
  );
}
