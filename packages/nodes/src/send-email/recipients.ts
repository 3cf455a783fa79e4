import { refusedParam } from '../kit/refused-param.ts';

export interface Recipient {
  readonly name: string;
  readonly address: string;
}

const MAX_RECIPIENTS = 500;
/** Rough on purpose: the server decides. Line breaks, spaces and a second `@` outside of quotes are no address. */
const ADDRESS = /^("[^"\r\n]+"|[^\s@"<>(),;:]+)@[^\s@"<>(),;:]+$/;

/** Addresses of a text, separated by commas or semicolons: `ada@example.com, Grace <grace@example.com>`. */
export function parseRecipients(field: string, text: string): Recipient[] {
  const recipients = split(text).map((part) => {
    const named = /^(.*)<([^<>]*)>$/s.exec(part);
    const address = (named?.[2] ?? part).trim();
    const name = (named?.[1] ?? '').trim().replace(/^"(.*)"$/s, '$1');
    if (ADDRESS.test(address) && !/[\r\n]/.test(name)) return { name, address };
    throw refusedParam(field, `"${part.slice(0, 100)}" is not a mail address`);
  });
  if (recipients.length <= MAX_RECIPIENTS) return recipients;
  throw refusedParam(field, `has more than ${MAX_RECIPIENTS} recipients; send in parts with a loop`);
}

/** Parts between separators that are not inside quotes. */
function split(text: string): string[] {
  return (text.match(/(?:"[^"]*"|[^,;"])+/g) ?? []).map((part) => part.trim()).filter((part) => part !== '');
}
