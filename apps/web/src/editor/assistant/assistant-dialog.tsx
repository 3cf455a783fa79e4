import type { Workflow } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useModelCredentials } from '../../data/assistant.ts';
import { useMe } from '../../data/session.ts';
import { Composer } from '../../pages/assistant/composer.tsx';
import { assistantStoreOf } from '../../pages/assistant/conversation/assistant-store.ts';
import { Messages } from '../../pages/assistant/messages.tsx';
import { canAnswer, ModelChoiceFields } from '../../pages/assistant/model-choice.tsx';
import { useAssistantTexts } from '../../pages/assistant/texts/use-assistant-texts.ts';
import { buttonStyle } from '../../ui/actions/button.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { useEditor } from '../context.tsx';
import { documentOf } from '../session/use-saving.ts';
import { ProposalView } from './proposal-view.tsx';
import { useAssistantDialogTexts } from './texts/use-assistant-dialog-texts.ts';
import { type Proposal, useConversation } from './use-conversation.ts';

interface AssistantDialogProps {
  workflow: Workflow;
  onClose: () => void;
}

/** A conversation about the workflow on the canvas, and proposals that change it when they are accepted. */
export function AssistantDialog({ workflow, onClose }: AssistantDialogProps) {
  const t = useAssistantDialogTexts();
  const assistant = useAssistantTexts();
  const credentials = useModelCredentials();
  const { store } = useEditor();
  const { choice, choose } = useStore(assistantStoreOf(useMe().id));
  const { messages, proposal, running, ask, stop, dismiss } = useConversation();
  const [ask_mode, setAskMode] = useState(false);
  const ready = canAnswer(choice, credentials.data ?? []);
  const hasModels = credentials.data !== undefined && credentials.data.length > 0;
  const newest = useRef<HTMLDivElement>(null);
  const count = messages.length;
  // A proposal is read from its top, where it is accepted; an answer from its newest words.
  useEffect(() => {
    if (count > 0) newest.current?.scrollIntoView({ block: proposal ? 'start' : 'end' });
  }, [count, running, proposal]);
  const accept = ({ workflow: proposed }: Proposal) => {
    const document = documentOf(proposed);
    // One step: it is saved as the draft, and can be undone.
    store.getState().edit(() => document);
    toast.done(t('accepted'), { undo: { label: t('undo'), run: () => store.getState().undo() } });
    dismiss();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('title')}
      description={t('description')}
      size="wide"
      footer={
        hasModels ? (
          <div className="flex grow flex-col gap-2">
            <Composer
              hint={t('message_hint')}
              ready={ready}
              running={running}
              onStop={stop}
              onAsk={({ text }) => {
                if (!choice) return;
                const { document } = store.getState();
                void ask({ choice, name: workflow.name, document, text, ask_mode });
              }}
            />
            <div className="mx-auto w-full max-w-3xl">
              <Checkbox label={t('ask_mode')} checked={ask_mode} onChange={setAskMode} />
            </div>
          </div>
        ) : null
      }
    >
      {credentials.isPending ? <SkeletonRows rows={4} /> : null}
      {credentials.isError ? (
        <LoadFailed error={credentials.error} onRetry={() => void credentials.refetch()} />
      ) : null}
      {credentials.data && !hasModels ? (
        <EmptyState
          icon={<Bot aria-hidden />}
          title={assistant('no_model')}
          actions={
            <Link to="/credentials" className={buttonStyle({ tone: 'primary' })}>
              {assistant('add_credential')}
            </Link>
          }
        >
          {assistant('no_model_hint')}
        </EmptyState>
      ) : null}
      {credentials.data && hasModels ? (
        <div className="flex flex-col gap-3">
          <div className="flex flex-wrap items-center gap-2">
            <ModelChoiceFields credentials={credentials.data} choice={choice} onChoose={choose} />
          </div>
          {messages.length > 0 ? (
            <div role="log" aria-label={t('conversation')}>
              <Messages messages={messages} />
            </div>
          ) : null}
          <div ref={newest} className="scroll-mt-3">
            {proposal ? (
              <ProposalView
                workflow={workflow}
                proposal={proposal}
                onAccept={() => accept(proposal)}
                onReject={dismiss}
              />
            ) : null}
          </div>
        </div>
      ) : null}
    </Dialog>
  );
}
