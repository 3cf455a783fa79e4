import { curlFailure, literalText, splitAt, type Word } from '../../kit/text/shell-words.ts';
import type { CurlCommand } from './command.ts';
import { type Rendering, renderWord, requireOneLine } from './render.ts';

export type Header = readonly [name: string, value: string];

/** RFC 9110 section 5.6.2: `token`. */
const NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/** The headers that a command names, in order, then those that its other options stand for. */
export function renderHeaders(command: CurlCommand, url: URL, rendering: Rendering): Header[] {
  const { evaluate } = rendering;
  const headers = command.headers
    .map((word) => renderHeader(word, rendering))
    .filter((header) => header !== undefined);
  const { user, bearer, user_agent, referer, cookie } = command;
  const add = (name: string, option: string, word: Word | undefined, shape = (text: string) => text) => {
    if (!word || hasHeader(headers, name)) return;
    headers.push([name, shape(requireOneLine(renderWord(word, evaluate), option))]);
  };
  add('Authorization', '-u', user, basic);
  const urlUser = decodeUser(url);
  if (urlUser !== '' && !hasHeader(headers, 'authorization')) headers.push(['Authorization', basic(urlUser)]);
  add('Authorization', '--oauth2-bearer', bearer, (token) => withoutDoublePrefix(`Bearer ${token}`));
  add('User-Agent', '-A', user_agent);
  add('Referer', '-e', referer);
  add('Cookie', '-b', requireCookie(cookie));
  return headers;
}

export function hasHeader(headers: readonly Header[], name: string): boolean {
  return headers.some(([other]) => other.toLowerCase() === name.toLowerCase());
}

/** One `-H`. The name ends at the first written colon; a value that is a whole line may bring its own. */
function renderHeader(word: Word, rendering: Rendering): Header | undefined {
  const { evaluate } = rendering;
  const written = splitAt(word, ':');
  if (written) {
    const value = renderWord(written[1], evaluate).trim();
    // curl: a name without a value takes the header away.
    if (value === '') return undefined;
    const name = renderWord(written[0], evaluate);
    const isToken = name.trim().toLowerCase() === 'authorization' && isBearerAlone(written[1], rendering);
    return header(name, isToken ? `Bearer ${value}` : value);
  }
  const line = renderWord(word, evaluate).trim();
  const colon = line.indexOf(':');
  if (colon > 0) return header(line.slice(0, colon), line.slice(colon + 1).trim());
  // curl: a name that ends with a semicolon is sent without a value.
  if (line.endsWith(';')) return header(line.slice(0, -1), '');
  throw curlFailure(`the header "${line.slice(0, 100)}" has no colon`);
}

const CREDENTIAL = /^\$credentials(?:\.(\w+)|\[(["'])([^"']+)\2\])$/;

/** Whether the word is one bearer credential and nothing else. */
function isBearerAlone(word: Word, { isBearer }: Rendering): boolean {
  const parts = word.filter((part) => part.kind === 'expression' || part.text.trim() !== '');
  const [only] = parts;
  if (parts.length !== 1 || only?.kind !== 'expression') return false;
  const found = CREDENTIAL.exec(only.text);
  return found !== null && isBearer(found[1] ?? found[3] ?? '');
}

function header(name: string, value: string): Header {
  const trimmed = name.trim();
  if (!NAME.test(trimmed)) throw curlFailure(`"${trimmed.slice(0, 100)}" is not a header name`);
  requireOneLine(value, `the header ${trimmed}`);
  return [trimmed, trimmed.toLowerCase() === 'authorization' ? withoutDoublePrefix(value) : value];
}

/** A bearer credential may hold the prefix already. */
function withoutDoublePrefix(value: string): string {
  return value.replace(/^(?:bearer\s+){2,}/i, 'Bearer ');
}

/** `user:password` of an address, decoded. */
function decodeUser({ username, password }: URL): string {
  if (username === '' && password === '') return '';
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    throw curlFailure('the user in the address is not percent-encoded correctly; use -u');
  }
}

function basic(userAndPassword: string): string {
  const text = userAndPassword.includes(':') ? userAndPassword : `${userAndPassword}:`;
  return `Basic ${Buffer.from(text, 'utf8').toString('base64')}`;
}

function requireCookie(word: Word | undefined): Word | undefined {
  const text = word && literalText(word);
  if (text !== undefined && !text.includes('=')) {
    throw curlFailure('-b needs name=value; a cookie file cannot be read by a node');
  }
  return word;
}
