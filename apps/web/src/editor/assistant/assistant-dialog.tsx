import { type ChatMessage, type Workflow, workflowAssistant } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { useInfiniteQuery } from '@tanstack/react-query';
import { MessageSquarePlus, MessageSquareText } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useModelCredentials } from '../../data/assistant.ts';
import { chatListQuery, type ProposalDecision, useDecideProposal } from '../../data/chats.ts';
import { useMe } from '../../data/session.ts';
import { ChatsSheet } from '../../pages/assistant/chats-sheet.tsx';
import { Composer } from '../../pages/assistant/composer.tsx';
import type { Decision, Part } from '../../pages/assistant/conversation/message.ts';
import { modelChoiceOf } from '../../pages/assistant/conversation/model-choice-store.ts';
import { useConversation } from '../../pages/assistant/conversation/use-conversation.ts';
import { Messages } from '../../pages/assistant/messages.tsx';
import { canAnswer, ModelChoiceFields } from '../../pages/assistant/model-choice.tsx';
import { useAssistantTexts } from '../../pages/assistant/texts/use-assistant-texts.ts';
import { WithModels } from '../../pages/assistant/with-models.tsx';
import { Button } from '../../ui/actions/button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import type { Saving } from '../session/use-saving.ts';
import { useEditor } from '../state/context.tsx';
import { CredentialCard } from './credential-card.tsx';
import { ProposalView } from './proposal/proposal-view.tsx';
import { useAssistantDialogTexts } from './texts/use-assistant-dialog-texts.ts';

interface AssistantDialogProps {
  workflow: Workflow;
  saving: Saving;
  onClose: () => void;
}

/** The proposal that waits for a decision, which only the last answer can have. */
function openProposal(messages: readonly ChatMessage[]) {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return undefined;
  const part = last.parts.find(({ kind }) => kind === 'proposal');
  return part?.kind === 'proposal' && part.proposed
    ? { answer_id: last.id, proposed: part.proposed }
    : undefined;
}

/** Whether the last answer waits for a confirmation. */
function isAsked(messages: readonly ChatMessage[]): boolean {
  const last = messages.at(-1);
  return (
    last?.role === 'assistant' &&
    last.parts.some((part) => part.kind === 'confirmation' && part.decision === null)
  );
}

/** The chat on screen: the one used last, until another one or a new one is chosen. */
function useChosenChat(workflow_id: string) {
  const list = useInfiniteQuery(chatListQuery({ workflow_id }));
  const newest = list.data?.pages[0]?.items[0]?.id;
  // Null: a new one.
  const [chosen, setChosen] = useState<string | null>();
  const chat_id = chosen === undefined ? newest : (chosen ?? undefined);
  // Before the list is there, a message would begin another chat.
  return { chat_id, show: setChosen, list, is_known: chosen !== undefined || list.data !== undefined };
}

/** A conversation about the workflow on the canvas, and proposals that change it when they are accepted. */
export function AssistantDialog({ workflow, saving, onClose }: AssistantDialogProps) {
  const t = useAssistantDialogTexts();
  const assistant = useAssistantTexts();
  const credentials = useModelCredentials();
  const { store } = useEditor();
  const { choice, choose } = useStore(modelChoiceOf(useMe().id));
  const { chat_id, show, list, is_known } = useChosenChat(workflow.id);
  const [ask_mode, setAskMode] = useState(false);
  const conversation = useConversation({
    endpoint: workflowAssistant,
    chat_id,
    workflow_id: workflow.id,
    body: () => ({
      ...choice,
      ask_mode,
      current_workflow: { name: workflow.name, ...store.getState().document },
    }),
    onCreated: show,
  });
  const { messages, running } = conversation;
  const decide = useDecideProposal();
  const proposal = running ? undefined : openProposal(messages);
  const [isListOpen, setListOpen] = useState(false);
  const ready = is_known && canAnswer(choice, credentials.data ?? []);
  const hasModels = credentials.data !== undefined && credentials.data.length > 0;
  const newest = useRef<HTMLDivElement>(null);
  const count = messages.length;
  const shown = proposal?.answer_id;
  // A proposal is read from its top, where it is accepted; an answer from its newest words.
  useEffect(() => {
    if (count > 0) newest.current?.scrollIntoView({ block: shown ? 'start' : 'end' });
  }, [count, running, shown]);
  const note = (answer_id: string, decision: ProposalDecision) => {
    if (chat_id === undefined) return;
    decide.mutate({ id: chat_id, answer_id, decision }, { onError: ({ message }) => toast.failed(message) });
  };
  const accept = (answer_id: string, document: WorkflowDocument, isWhole: boolean) => {
    // One step: it is saved as the draft, and can be undone.
    store.getState().edit(() => document);
    toast.done(t('accepted'), { undo: { label: t('undo'), run: () => store.getState().undo() } });
    note(answer_id, isWhole ? 'accepted' : 'partly_accepted');
  };
  /** What is run is the draft as the server has it. */
  const confirm = async (part: Part<'confirmation'>, decision: Decision) => {
    if (decision === 'accept' && !(await saving.save())) toast.failed(t('not_saved'));
    else conversation.decide(part, decision);
  };
  const begin = () => {
    conversation.clear();
    show(null);
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
              onStop={conversation.stop}
              onAsk={conversation.ask}
            />
            <div className="mx-auto w-full max-w-3xl">
              <Checkbox label={t('ask_mode')} checked={ask_mode} onChange={setAskMode} />
            </div>
          </div>
        ) : null
      }
    >
      <WithModels>
        {(models) => (
          <div className="flex flex-col gap-3">
            <div className="flex flex-wrap items-center gap-2">
              <ModelChoiceFields credentials={models} choice={choice} onChoose={choose} />
              <span className="ml-auto flex gap-2">
                <Button onClick={() => setListOpen(true)}>
                  <MessageSquareText aria-hidden />
                  <span className="max-sm:sr-only">{assistant('chats')}</span>
                </Button>
                {count > 0 ? (
                  <Button onClick={begin}>
                    <MessageSquarePlus aria-hidden />
                    <span className="max-sm:sr-only">{assistant('new_chat')}</span>
                  </Button>
                ) : null}
              </span>
            </div>
            {list.isLoadingError ? (
              <LoadFailed error={list.error} onRetry={() => void list.refetch()} />
            ) : null}
            {conversation.is_pending || list.isPending ? <SkeletonRows rows={4} /> : null}
            {conversation.error ? (
              <LoadFailed error={conversation.error} onRetry={conversation.reload} />
            ) : null}
            {count > 0 ? (
              <div role="log" aria-label={t('conversation')}>
                <Messages
                  messages={messages}
                  canDecide={!running && ready && !proposal}
                  onDecide={(part, decision) => void confirm(part, decision)}
                  drawConfirmation={(part, rest) =>
                    part.asked.tool === 'ask_for_credential' ? (
                      <CredentialCard part={part} {...rest} />
                    ) : undefined
                  }
                />
              </div>
            ) : null}
            {is_known && count === 0 && ready ? (
              <Button className="mx-auto" onClick={() => conversation.ask({ text: t('example_repair') })}>
                {t('example_repair')}
              </Button>
            ) : null}
            <div ref={newest} className="scroll-mt-3">
              {proposal && isAsked(messages) ? (
                <p className="mb-2 text-sm text-soft">{t('decide_first')}</p>
              ) : null}
              {proposal ? (
                <ProposalView
                  key={proposal.answer_id}
                  workflow={workflow}
                  proposed={proposal.proposed}
                  onAccept={(document, isWhole) => accept(proposal.answer_id, document, isWhole)}
                  onReject={() => note(proposal.answer_id, 'rejected')}
                />
              ) : null}
            </div>
            {isListOpen ? (
              <ChatsSheet
                current={chat_id}
                workflow_id={workflow.id}
                onShow={(id) => {
                  setListOpen(false);
                  show(id);
                }}
                onDeleted={(id) => {
                  if (id === chat_id) show(null);
                }}
                onClose={() => setListOpen(false)}
              />
            ) : null}
          </div>
        )}
      </WithModels>
    </Dialog>
  );
}
