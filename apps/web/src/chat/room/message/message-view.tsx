/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { useMemo } from 'preact/hooks';
import type { Inputs, Message } from '../../conversation/message.ts';
import { AnswerView } from './answer-view.tsx';
import { QuestionView } from './question-view.tsx';

interface MessageProps {
  message: Message;
  info: PortalInfo;
  /** Absent while an answer is under way, as are the others. */
  onEdit?: ((inputs: Inputs) => void) | undefined;
  onRetry?: (() => void) | undefined;
  onDecided?: (() => void) | undefined;
}

/** A question or an answer. Drawn again only when it changes: an answer grows letter by letter, and files are large. */
export function MessageView({ message, info, onEdit, onRetry, onDecided }: MessageProps) {
  return useMemo(
    () =>
      message.role === 'user' ? (
        <QuestionView question={message} info={info} onEdit={onEdit} />
      ) : (
        <AnswerView answer={message} onRetry={onRetry} onDecided={onDecided} />
      ),
    [message, info, onEdit, onRetry, onDecided],
  );
}
