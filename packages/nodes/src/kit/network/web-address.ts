import { requiredText } from '../integration/object-input.ts';
import { refusedParam } from '../refused-param.ts';

/** The `http:` or `https:` address in a parameter. Whether it may be asked is for the way out to say. */
export function webAddress(params: Readonly<Record<string, unknown>>, name: string): URL {
  const text = requiredText(params, name);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw refusedParam(name, 'must be an address that begins with http:// or https://');
  }
  // Callers that take the address apart would leave it out without a word.
  if (url.username === '' && url.password === '') return url;
  throw refusedParam(name, 'must not contain a user name or a password');
}
