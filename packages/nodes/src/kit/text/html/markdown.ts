import type Turndown from 'turndown';

/** Elements that a browser does not show as text. */
const SILENT = ['script', 'style', 'head', 'title', 'noscript', 'iframe'] as const;

/** Writes HTML as Markdown. Time grows with the document and the stack with its depth, so it belongs into the parser pool. */
export async function openMarkdownWriter(): Promise<Turndown> {
  const { default: Writer } = await import('turndown');
  return new Writer({ headingStyle: 'atx', codeBlockStyle: 'fenced' }).remove([...SILENT]);
}
