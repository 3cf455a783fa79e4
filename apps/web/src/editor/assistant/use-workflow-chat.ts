import { type ChatMessage, type ProposedChange, type Workflow, workflowAssistant } from '@millrace/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useStore } from 'zustand';
import { chatListQuery } from '../../data/chats.ts';
import { useModelCredentials } from '../../data/credentials.ts';
import { useMe } from '../../data/session.ts';
import { canAnswer } from '../../features/conversation/model-choice.tsx';
import { getChoiceStore } from '../../features/conversation/model-choice-store.ts';
import { useConversation } from '../../features/conversation/use-conversation.ts';
import { useEditor } from '../state/context.tsx';

interface OpenProposal {
  readonly answer_id: string;
  readonly proposed: ProposedChange;
}

/** The proposal that waits for a decision, which only the last answer can have. */
function openProposal(messages: readonly ChatMessage[]): OpenProposal | undefined {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return undefined;
  const part = last.parts.find(({ kind }) => kind === 'proposal');
  return part?.kind === 'proposal' && part.proposed
    ? { answer_id: last.id, proposed: part.proposed }
    : undefined;
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

export type WorkflowChat = ReturnType<typeof useWorkflowChat>;

/** A conversation about the workflow on the canvas, and the model that answers in it. */
export function useWorkflowChat({ id, name }: Workflow) {
  const { store } = useEditor();
  const { data: credentials = [] } = useModelCredentials();
  const model = useStore(getChoiceStore(useMe().id));
  const chosen = useChosenChat(id);
  const [ask_mode, setAskMode] = useState(false);
  const conversation = useConversation({
    endpoint: workflowAssistant,
    chat_id: chosen.chat_id,
    workflow_id: id,
    body: () => ({
      ...model.choice,
      ask_mode,
      current_workflow: { name, ...store.getState().document },
    }),
    onCreated: chosen.show,
  });
  return {
    ...chosen,
    conversation,
    model,
    has_models: credentials.length > 0,
    /** A message can be sent. */
    is_ready: chosen.is_known && canAnswer(model.choice, credentials),
    ask_mode,
    setAskMode,
    proposal: conversation.running ? undefined : openProposal(conversation.messages),
    begin() {
      conversation.clear();
      chosen.show(null);
    },
  };
}
