import { readText } from '@millrace/engine/json';

/** A text that a model writes at this moment. */
export interface GrowingText {
  readonly node_id: string;
  /** Round and step of the node. */
  readonly key: string;
  readonly text: string;
  /** Where the next piece begins in the text of the server. */
  readonly next: number;
}

/** In place of pieces that were not sent to a slow reader. */
const MISSING = ' … ';

/** The texts with the piece of a `node_token`. One that begins anew replaces what was there. */
export function withToken(
  texts: readonly GrowingText[],
  event: Readonly<Record<string, unknown>>,
): readonly GrowingText[] {
  const node_id = readText(event['node_id']);
  const key = `${readText(event['iteration'])} ${readText(event['step'])}`;
  const piece = readText(event['text']);
  const offset = typeof event['offset'] === 'number' ? event['offset'] : 0;
  const before = texts.find((one) => one.node_id === node_id && one.key === key);
  const others = texts.filter((one) => one !== before);
  if (offset === 0 && piece === '') return others;
  const known = offset === 0 ? '' : (before?.text ?? '');
  const gap = offset > 0 && before?.next !== offset ? MISSING : '';
  const grown = { node_id, key, text: known + gap + piece, next: offset + piece.length };
  return before ? texts.map((one) => (one === before ? grown : one)) : [...others, grown];
}

/** The texts of one step are complete once the step is. */
export const withoutStep = (
  texts: readonly GrowingText[],
  id: string,
  step: unknown,
): readonly GrowingText[] =>
  texts.filter(({ node_id, key }) => node_id !== id || !key.endsWith(` ${readText(step)}`));

/** The texts of a node are complete, or begin anew, once it is. */
export const withoutNode = (texts: readonly GrowingText[], id: string): readonly GrowingText[] =>
  texts.filter(({ node_id }) => node_id !== id);
