import type { ChatMessage, Workflow } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { useEffect, useRef } from 'react';
import { type ProposalDecision, useDecideProposal } from '../../../data/chats.ts';
import { toast } from '../../../ui/overlays/toast.ts';
import { useEditor } from '../../state/context.tsx';
import { useAssistantTexts } from '../texts/use-assistant-texts.ts';
import type { WorkflowChat } from '../use-workflow-chat.ts';
import { ProposalView } from './proposal-view.tsx';

/** Whether the last answer waits for a confirmation. */
function isAsked(messages: readonly ChatMessage[]): boolean {
  const last = messages.at(-1);
  return (
    last?.role === 'assistant' &&
    last.parts.some((part) => part.kind === 'confirmation' && part.decision === null)
  );
}

function useDecision(chat_id: string | undefined) {
  const t = useAssistantTexts();
  const { store } = useEditor();
  const decide = useDecideProposal();
  const note = (answer_id: string, decision: ProposalDecision) => {
    if (chat_id === undefined) return;
    decide.mutate({ id: chat_id, answer_id, decision }, { onError: ({ message }) => toast.failed(message) });
  };
  return {
    accept(answer_id: string, document: WorkflowDocument, isWhole: boolean) {
      // One step: it is saved as the draft, and can be undone.
      store.getState().edit(() => document);
      toast.done(t('accepted'), { undo: { label: t('undo'), run: () => store.getState().undo() } });
      note(answer_id, isWhole ? 'accepted' : 'partly_accepted');
    },
    reject: (answer_id: string) => note(answer_id, 'rejected'),
  };
}

/** Keeps an element at the end of a conversation in view. */
function useNewest({ conversation: { messages, running }, proposal }: WorkflowChat) {
  const newest = useRef<HTMLDivElement>(null);
  const count = messages.length;
  const shown = proposal?.answer_id;
  // A proposal is read from its top, where it is accepted; an answer from its newest words.
  useEffect(() => {
    if (count > 0) newest.current?.scrollIntoView({ block: shown ? 'start' : 'end' });
  }, [count, running, shown]);
  return newest;
}

interface ConversationEndProps {
  chat: WorkflowChat;
  workflow: Workflow;
}

/** Where the newest words are, and the proposal that waits for a decision. */
export function ConversationEnd({ chat, workflow }: ConversationEndProps) {
  const t = useAssistantTexts();
  const newest = useNewest(chat);
  const { accept, reject } = useDecision(chat.chat_id);
  const { proposal } = chat;
  return (
    <div ref={newest} className="scroll-mt-3">
      {proposal && isAsked(chat.conversation.messages) ? (
        <p className="mb-2 text-sm text-soft">{t('decide_first')}</p>
      ) : null}
      {proposal ? (
        <ProposalView
          key={proposal.answer_id}
          workflow={workflow}
          proposed={proposal.proposed}
          onAccept={(document, isWhole) => accept(proposal.answer_id, document, isWhole)}
          onReject={() => reject(proposal.answer_id)}
        />
      ) : null}
    </div>
  );
}
