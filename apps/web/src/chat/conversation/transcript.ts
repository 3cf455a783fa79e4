import { type Message, questionText } from './message.ts';

/** The conversation as a Markdown document. */
export function transcript(
  title: string,
  messages: readonly Message[],
  names: { readonly user: string; readonly assistant: string },
): string {
  const parts = messages.flatMap((message) => {
    const text = message.role === 'user' ? questionText(message) : message.text;
    return text === '' ? [] : [`## ${names[message.role]}\n\n${text}`];
  });
  return `${[`# ${title}`, ...parts].join('\n\n')}\n`;
}

/** Saves a text as a file of the visitor's device. */
export function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/markdown;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
