import type { Workflow } from '@millrace/contracts';
import { SendHorizontal, Square } from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import { useModelCredentials } from '../../data/assistant.ts';
import { useMe } from '../../data/session.ts';
import { AnswerView } from '../../pages/assistant/answer-view.tsx';
import { assistantStoreOf } from '../../pages/assistant/conversation/assistant-store.ts';
import { ModelChoiceFields } from '../../pages/assistant/model-choice.tsx';
import { Button } from '../../ui/actions/button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
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

const nothing = () => undefined;

/** A conversation about the workflow on the canvas, and proposals that change it when they are accepted. */
export function AssistantDialog({ workflow, onClose }: AssistantDialogProps) {
  const t = useAssistantDialogTexts();
  const credentials = useModelCredentials();
  const { store } = useEditor();
  const { choice, choose } = useStore(assistantStoreOf(useMe().id));
  const { messages, proposal, running, ask, stop, dismiss } = useConversation();
  const ready = credentials.data?.some(({ id }) => id === choice?.credential_id) && choice?.model !== '';
  const accept = ({ workflow: proposed }: Proposal) => {
    const document = documentOf(proposed);
    // One step: it is saved as the draft, and can be undone.
    store.getState().edit(() => document);
    toast.done(t('accepted'), { undo: { label: t('undo'), run: () => store.getState().undo() } });
    dismiss();
  };
  return (
    <Dialog open onOpenChange={onClose} title={t('title')} description={t('description')} size="wide">
      {credentials.isPending ? <SkeletonRows rows={4} /> : null}
      {credentials.isError ? (
        <LoadFailed error={credentials.error} onRetry={() => void credentials.refetch()} />
      ) : null}
      {credentials.data?.length === 0 ? <p className="text-soft">{t('no_model')}</p> : null}
      {credentials.data && credentials.data.length > 0 ? (
        <div className="flex flex-col gap-3">
          <div className="flex flex-wrap items-center gap-2">
            <ModelChoiceFields credentials={credentials.data} choice={choice} onChoose={choose} />
          </div>
          {messages.length > 0 ? (
            <div role="log" aria-label={t('conversation')}>
              <ol className="flex flex-col gap-3">
                {messages.map((message) => (
                  <li key={message.id} className="min-w-0">
                    {message.role === 'user' ? (
                      <p className="ml-auto w-fit max-w-[85%] rounded-l bg-accent-tint px-3 py-2 break-words whitespace-pre-wrap">
                        <span className="sr-only">{t('you')}: </span>
                        {message.text}
                      </p>
                    ) : (
                      <AnswerView answer={message} canDecide={false} onDecide={nothing} onRetry={undefined} />
                    )}
                  </li>
                ))}
              </ol>
            </div>
          ) : null}
          {proposal ? (
            <ProposalView
              workflow={workflow}
              proposal={proposal}
              onAccept={() => accept(proposal)}
              onReject={dismiss}
            />
          ) : null}
          <Question
            ready={ready === true}
            running={running}
            onStop={stop}
            onAsk={(text, ask_mode) => {
              if (!choice) return;
              const { document } = store.getState();
              void ask({ choice, name: workflow.name, document, text, ask_mode });
            }}
          />
        </div>
      ) : null}
    </Dialog>
  );
}

interface QuestionProps {
  ready: boolean;
  running: boolean;
  onAsk: (text: string, ask_mode: boolean) => void;
  onStop: () => void;
}

function Question({ ready, running, onAsk, onStop }: QuestionProps) {
  const t = useAssistantDialogTexts();
  const [text, setText] = useState('');
  const [only, setOnly] = useState(false);
  const send = () => {
    if (text.trim() === '' || !ready || running) return;
    onAsk(text, only);
    setText('');
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <TextArea
        aria-label={t('message')}
        placeholder={t('message_hint')}
        rows={3}
        maxLength={32_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Checkbox label={t('ask_mode')} checked={only} onChange={setOnly} />
        {running ? (
          <Button onClick={onStop}>
            <Square aria-hidden />
            {t('stop')}
          </Button>
        ) : (
          <Button tone="primary" type="submit" disabled={text.trim() === '' || !ready}>
            <SendHorizontal aria-hidden />
            {t('send')}
          </Button>
        )}
      </div>
    </form>
  );
}
