import type { ChatMessage } from '@millrace/contracts';
import { AnswerView, type DrawConfirmation } from './answer-view.tsx';
import type { Decision, Part } from './message.ts';
import { useConversationTexts } from './texts/use-conversation-texts.ts';

interface MessagesProps {
  messages: readonly ChatMessage[];
  /** Absent where nothing is asked to be confirmed. */
  onDecide?: (part: Part<'confirmation'>, decision: Decision) => void;
  canDecide?: boolean;
  drawConfirmation?: DrawConfirmation | undefined;
  /** Asks the last question again; absent where that cannot be done. */
  onRetry?: (() => void) | undefined;
}

const nothing = () => undefined;

/** Questions of a person and answers of an assistant, oldest first. */
export function Messages({
  messages,
  onDecide = nothing,
  canDecide = false,
  drawConfirmation,
  onRetry,
}: MessagesProps) {
  const t = useConversationTexts();
  return (
    <ol className="mx-auto flex max-w-3xl flex-col gap-5">
      {messages.map((message, at) => (
        <li key={message.id} className="min-w-0">
          {message.role === 'user' ? (
            <div className="ml-auto w-fit max-w-[85%] rounded-l bg-accent-tint px-3 py-2 break-words whitespace-pre-wrap">
              <span className="sr-only">{t('you')}: </span>
              {message.text}
              {message.attachment === null ? null : (
                <span className="block text-sm text-soft">{t('attached', { name: message.attachment })}</span>
              )}
            </div>
          ) : (
            <AnswerView
              answer={message}
              canDecide={canDecide}
              onDecide={onDecide}
              drawConfirmation={drawConfirmation}
              onRetry={at === messages.length - 1 ? onRetry : undefined}
            />
          )}
        </li>
      ))}
    </ol>
  );
}
