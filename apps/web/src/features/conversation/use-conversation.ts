import { type AnyEndpoint, type AssistantAttachment, type ChatMessage, stopChat } from '@millrace/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useStore } from 'zustand';
import { api } from '../../data/api.ts';
import { chatQuery, useAnswerInProgress } from '../../data/chats.ts';
import { showFailure } from '../../ui/overlays/toast.ts';
import { type Decision, newQuestion, type Part, shownMessages } from './message.ts';
import { forgetTurn, takeTurn, turnsStore } from './turns.ts';

export interface Draft {
  readonly text: string;
  readonly attachment?: AssistantAttachment | undefined;
}

interface Place {
  readonly endpoint: AnyEndpoint;
  /** Undefined: the first message creates one. */
  readonly chat_id: string | undefined;
  /** The workflow that the conversation is about. */
  readonly workflow_id?: string;
  /** The data that goes with each message besides the text: the model, the graph. */
  readonly body: () => object;
  readonly onCreated: (chat_id: string) => void;
}

export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly is_pending: boolean;
  readonly error: Error | null;
  /** An answer is on its way, to this page or only on the server. */
  readonly running: boolean;
  readonly reload: () => void;
  readonly ask: (draft: Draft) => void;
  readonly decide: (part: Part<'confirmation'>, decision: Decision) => void;
  readonly stop: () => void;
  /** Drops what this page shows of a chat that was not created. */
  readonly clear: () => void;
}

/** A conversation with an assistant, which the server keeps: it continues when the page is closed. */
export function useConversation({ endpoint, chat_id, workflow_id, body, onCreated }: Place): Conversation {
  const client = useQueryClient();
  const unsaved = `new ${workflow_id ?? ''}`;
  const { turns, seen } = useStore(turnsStore);
  const turn = turns.get(chat_id ?? unsaved);
  const isRunningHere = turn?.is_running === true;
  const chat = useQuery({
    ...chatQuery(chat_id ?? ''),
    // During a turn of this page the stream is ahead of what the server has.
    enabled: chat_id !== undefined && !isRunningHere,
  });
  const messages = shownMessages(chat.data?.messages ?? [], turn, seen);
  const last = messages.at(-1);
  const isOpen = last?.role === 'assistant' && last.state === 'open';
  useAnswerInProgress(chat_id ?? '', isOpen && !isRunningHere ? last.id : undefined);

  const take = (more: object, sent: Pick<Parameters<typeof takeTurn>[1], 'question' | 'decided'>) => {
    if (isRunningHere || isOpen) return;
    void takeTurn(client, {
      ...sent,
      endpoint,
      chat_id,
      workflow_id,
      body: { ...body(), ...more },
      place: unsaved,
      onCreated,
    });
  };
  return {
    messages,
    is_pending: chat_id !== undefined && chat.data === undefined && chat.isPending && !turn,
    error: chat.data === undefined && !turn ? chat.error : null,
    running: isRunningHere || isOpen,
    reload: () => void chat.refetch(),
    ask({ text, attachment }) {
      // A file alone is a question, too.
      const message = text.trim() === '' ? `See ${attachment?.name ?? ''}` : text;
      const question = newQuestion(message, attachment?.name ?? null);
      take({ message, ...(attachment ? { attachment } : {}) }, { question, decided: null });
    },
    decide({ asked: { token, tool, arguments: input } }, decision) {
      const confirmation = { token, tool, arguments: input, decision };
      take({ message: '', confirmation }, { question: null, decided: { token, decision } });
    },
    stop() {
      if (chat_id === undefined) return;
      api(stopChat, { params: { id: chat_id } }).catch(showFailure);
    },
    clear: () => forgetTurn(unsaved),
  };
}
