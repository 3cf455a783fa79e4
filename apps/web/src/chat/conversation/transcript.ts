import { questionText } from '@millrace/contracts/portal-text';
import type { Message } from './message.ts';

/** The conversation as a Markdown document. */
export function transcript(
  title: string,
  messages: readonly Message[],
  names: { readonly user: string; readonly assistant: string },
): string {
  const parts = messages.flatMap((message) => {
    const text = message.role === 'user' ? questionText(message.inputs) : message.text;
    return text === '' ? [] : [`## ${names[message.role]}\n\n${text}`];
  });
  return `${[`# ${title}`, ...parts].join('\n\n')}\n`;
}
