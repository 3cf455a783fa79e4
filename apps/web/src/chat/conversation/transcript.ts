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

/** Controls and what only screen readers read. */
const LEFT_OUT = '.actions, dialog, .unseen, form, textarea, progress';

const STYLE = `body{font:16px/1.6 system-ui,sans-serif;margin:2rem auto;max-width:46rem;padding:0 1rem}
article{margin:0 0 1.25rem}.question{border-inline-start:3px solid #8aa;padding-inline-start:.75rem;white-space:pre-wrap}
.author{color:#566;font-size:.875rem;font-weight:600}pre{background:#f2f4f5;overflow:auto;padding:.75rem}
table{border-collapse:collapse}td,th{border:1px solid #ccd;padding:.25rem .5rem}img{max-width:100%}svg{display:none}`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The conversation as a page of its own, from what is shown: nothing in it can run, for nothing on the page can. */
export function transcriptPage(title: string, log: Element, language: string): string {
  const copy = log.cloneNode(true) as Element;
  for (const element of copy.querySelectorAll(LEFT_OUT)) element.remove();
  // Of a picture that a button enlarges, the picture stays.
  for (const button of copy.querySelectorAll('button')) button.replaceWith(...button.querySelectorAll('img'));
  for (const article of copy.querySelectorAll('article')) {
    const author = document.createElement('p');
    author.className = 'author';
    author.textContent = article.getAttribute('aria-label');
    article.prepend(author);
  }
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>`;
  return `<!doctype html><html lang="${language}"><head>${head}<style>${STYLE}</style></head><body><h1>${escaped(title)}</h1>${copy.innerHTML}</body></html>\n`;
}
