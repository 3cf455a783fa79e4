import { type AssistantFrame, workflowAssistant } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { useEffect, useRef, useState } from 'react';
import { takeTurn } from '../../pages/assistant/conversation/follow.ts';
import {
  type Answer,
  historyOf,
  type Message,
  newAnswer,
} from '../../pages/assistant/conversation/message.ts';
import type { ModelChoice } from '../../pages/assistant/conversation/storage.ts';

export interface Proposal extends Extract<AssistantFrame, { type: 'workflow_proposal' }> {
  /** What it was made from. */
  readonly base: WorkflowDocument;
}

export interface Asked {
  readonly choice: ModelChoice;
  readonly name: string;
  readonly document: WorkflowDocument;
  readonly text: string;
  readonly ask_mode: boolean;
}

/** A conversation about the open workflow. It lasts as long as the dialog; leaving ends the turn. */
export function useConversation() {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [proposal, setProposal] = useState<Proposal>();
  const [running, setRunning] = useState(false);
  const turn = useRef<AbortController>(undefined);
  useEffect(() => () => turn.current?.abort(), []);

  const ask = async ({ choice, name, document, text, ask_mode }: Asked): Promise<void> => {
    const controller = new AbortController();
    turn.current = controller;
    const answer = newAnswer();
    const question: Message = { role: 'user', id: crypto.randomUUID(), text, attachment: null };
    const change = (next: (now: Answer) => Answer) =>
      setMessages((all) =>
        all.map((message) =>
          message.role === 'assistant' && message.id === answer.id ? next(message) : message,
        ),
      );
    setRunning(true);
    setProposal(undefined);
    setMessages((all) => [...all, question, answer]);
    await takeTurn(workflowAssistant, {
      body: {
        ...choice,
        message: text,
        ask_mode,
        current_workflow: { name, ...document },
        conversation_history: historyOf(messages),
      },
      signal: controller.signal,
      change,
      receive(frame) {
        if (frame.type === 'workflow_proposal') setProposal({ ...frame, base: document });
      },
    });
    setRunning(false);
  };
  return {
    messages,
    proposal,
    running,
    ask,
    stop: () => turn.current?.abort(),
    dismiss: () => setProposal(undefined),
  };
}
