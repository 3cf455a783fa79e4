import {
  type ChatAnswer,
  type ChatMessage,
  type SkillBuilderFrame,
  type SkillFile,
  skillBuilder,
  withFrame,
} from '@millrace/contracts';
import { useEffect, useRef, useState } from 'react';
import { newAnswer, newQuestion } from '../../../features/conversation/message.ts';
import { streamFrames } from '../../../features/conversation/turns.ts';

/** Words of a message as the next request brings them along. */
const said = (message: ChatMessage): string =>
  message.role === 'user'
    ? message.text
    : message.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');

interface Building {
  readonly name: string;
  readonly files: readonly SkillFile[];
}

/** A conversation with the builder of skills. It lasts as long as its dialog, and so does its turn. */
export function useBuilder({ name, files: first }: Building) {
  const [messages, setMessages] = useState<readonly ChatMessage[]>([]);
  const [files, setFiles] = useState(first);
  const [running, setRunning] = useState(false);
  const turn = useRef<AbortController>(undefined);
  useEffect(() => () => turn.current?.abort(), []);

  const ask = async (choice: object, text: string): Promise<void> => {
    const controller = new AbortController();
    turn.current = controller;
    const answer = newAnswer();
    const change = (next: (now: ChatAnswer) => ChatAnswer) =>
      setMessages((all) =>
        all.map((message) =>
          message.role === 'assistant' && message.id === answer.id ? next(message) : message,
        ),
      );
    const receive = (frame: SkillBuilderFrame) => {
      if (frame.type === 'skill_files_update') setFiles(frame.files);
      else if (frame.type === 'text_chunk')
        change((now) => withFrame(now, { type: 'content', text: frame.content }));
      else change((now) => withFrame(now, frame));
    };
    setRunning(true);
    setMessages((all) => [...all, newQuestion(text, null), answer]);
    const [main, ...others] = files;
    const body = {
      ...choice,
      message: text,
      existing_skill: main && main.content !== '' ? { name, content: main.content, files: others } : null,
      conversation_history: messages.map((message) => ({ role: message.role, content: said(message) })),
    };
    try {
      for await (const frame of streamFrames<SkillBuilderFrame>(skillBuilder, body, controller.signal))
        receive(frame);
      change((now) => (now.state === 'open' ? { ...now, state: 'lost' } : now));
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      change((now) =>
        controller.signal.aborted ? { ...now, state: 'stopped' } : { ...now, state: 'failed', problem },
      );
    }
    setRunning(false);
  };
  return { messages, files, running, ask, stop: () => turn.current?.abort() };
}
