import type { Credential } from '@millrace/contracts';
import { MessageSquarePlus, MessageSquareText } from 'lucide-react';
import { useState } from 'react';
import { ChatsSheet } from '../../features/conversation/chats-sheet.tsx';
import { ModelChoiceFields } from '../../features/conversation/model-choice.tsx';
import { useConversationTexts } from '../../features/conversation/texts/use-conversation-texts.ts';
import { Button } from '../../ui/actions/button.tsx';
import type { WorkflowChat } from './use-workflow-chat.ts';

interface ChatBarProps {
  chat: WorkflowChat;
  workflow_id: string;
  credentials: readonly Credential[];
}

/** Which model answers, and the way to the other chats about the workflow. */
export function ChatBar({ chat, workflow_id, credentials }: ChatBarProps) {
  const t = useConversationTexts();
  const { chat_id, show } = chat;
  const { choice, choose } = chat.model;
  const [isListOpen, setListOpen] = useState(false);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ModelChoiceFields credentials={credentials} choice={choice} onChoose={choose} />
      <span className="ml-auto flex gap-2">
        <Button onClick={() => setListOpen(true)}>
          <MessageSquareText aria-hidden />
          <span className="max-sm:sr-only">{t('chats')}</span>
        </Button>
        {chat.conversation.messages.length > 0 ? (
          <Button onClick={chat.begin}>
            <MessageSquarePlus aria-hidden />
            <span className="max-sm:sr-only">{t('new_chat')}</span>
          </Button>
        ) : null}
      </span>
      {isListOpen ? (
        <ChatsSheet
          current={chat_id}
          workflow_id={workflow_id}
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
  );
}
