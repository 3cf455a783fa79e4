import { SPACES } from '../patterns/regex.ts';
import { type Code, chain, enclosed, other, textual } from '../value.ts';

type Make = (receiver: string, args: readonly Code[]) => Code;

const text = (code: string): Code => chain(code, 'text');
const quote = (pattern: string): string => JSON.stringify(pattern);

const NOT_SPACE = `[^${SPACES}]`;
/** A part between the dots of what is before "@". */
const ATOM = String.raw`[^<>()\[\]\\.,;:@"${SPACES}]+`;
const MAIL_HOST = String.raw`(?:\[\d{1,3}(?:\.\d{1,3}){3}\]|(?:[a-zA-Z0-9-]+\.)+[a-zA-Z]{2,})`;
const MAIL = String.raw`(?:${ATOM}(?:\.${ATOM})*|".+")@${MAIL_HOST}`;
/** A name of at least two parts, this machine, or four numbers. */
const HOST = String.raw`(?:(?:[-\w]+\.)+(?:[a-z]{2,}|xn--[a-z0-9]+)|localhost|\d{1,3}(?:\.\d{1,3}){3})`;
const URL = String.raw`(?:https?|ftp)://(?:www\.)?${HOST}${NOT_SPACE}*`;
const BEHIND_HOST = String.raw`(?::\d+)?(?:/[^?${SPACES}]*)?(?:\?[^#${SPACES}]*)?(?:#${NOT_SPACE}*)?$`;
const DOMAIN = String.raw`(?i)^(?:www\.)?${HOST}${BEHIND_HOST}`;
const WITH_DOMAIN = String.raw`(?i)^(?:(?:https?|ftp)://)?(?:mailto:)?(?://)?((?:www\.)?${HOST})${BEHIND_HOST}`;

const findAll = (receiver: string, pattern: string): string => `${receiver}.regexFindAll(${quote(pattern)})`;
const findFirst =
  (pattern: string): Make =>
  (receiver) =>
    text(`${findAll(receiver, pattern)}.first()`);
const isFound =
  (pattern: string): Make =>
  (receiver) =>
    other(`len(${findAll(receiver, pattern)}) > 0`);
const testMail = (receiver: string): string =>
  `len(${findAll(receiver, MAIL)}) > 0 and not ${receiver}.includes(" ")`;

function extractDomain(receiver: string): Code {
  const ofMail = `${findAll(receiver, MAIL)}.first().split("@").last()`;
  const group = `${receiver}.regexReplace(${quote(WITH_DOMAIN)}, "\\\\1")`;
  const ofAddress = `len(${findAll(receiver, WITH_DOMAIN)}) > 0 ? ${group} : null`;
  return { ...other(`(${testMail(receiver)}) ? ${ofMail} : (${ofAddress})`), value: 'text' };
}

const MARKS = ['\\*\\*\\*', '___', '\\*\\*', '__', '\\*', '_'];

/** Replacements in their order; patterns here have no references back, so pairs are written out. */
const MARKDOWN: readonly (readonly [string, string])[] = [
  [String.raw`(?m)^([\s]*)(?:[*\-+]|\d\.)\s+`, String.raw`\1`],
  [String.raw`\n={2,}`, '\n'],
  ['~~', ''],
  ['`{3}.*\n', ''],
  [String.raw`<[\w|\s='":(),;/.-]+[>|\\]`, ''],
  [String.raw`^[=-]{2,}\s*$`, ''],
  [String.raw`\[\^.+?\](?:: .*?$)?`, ''],
  [String.raw`\s{0,2}\[.*?\]: .*?$`, ''],
  [String.raw`!\[.*?\][\[(].*?[\])]`, ''],
  [String.raw`\[(.*?)\][\[(].*?[\])]`, String.raw`\1`],
  ['>', ''],
  [String.raw`(?m)^#{1,6}\s*([^#]*)\s*(?:#{1,6})?`, String.raw`\1`],
  // In one pass, so that marks inside of others stay.
  [
    MARKS.map((mark) => String.raw`${mark}(\S.*?\S)${mark}`).join('|'),
    MARKS.map((_, index) => `\\${index + 1}`).join(''),
  ],
  ['`{3,}(.*?)`{3,}', String.raw`\1`],
  ['`(.+?)`', String.raw`\1`],
  [String.raw`\n{2,}`, '\n\n'],
];

const removeMarkdown: Make = (receiver) =>
  text(
    `${receiver}${MARKDOWN.map(([pattern, by]) => `.regexReplace(${quote(pattern)}, ${quote(by)})`).join('')}`,
  );

const addQuotes: Make = (receiver, [given]) => {
  const mark = given === undefined ? String.raw`"\""` : textual(given);
  return text(
    `concat(${mark}, ${receiver}.replace("\\\\", "\\\\\\\\").replace(${mark}, concat("\\\\", ${mark})), ${mark})`,
  );
};

/** n8n's methods of texts. */
export const TEXT_METHODS: Readonly<
  Record<string, { readonly counts: readonly number[]; readonly make: Make }>
> = {
  extractEmail: { counts: [0], make: findFirst(MAIL) },
  extractDomain: { counts: [0], make: extractDomain },
  extractUrl: { counts: [0], make: findFirst(`(?i)${URL}`) },
  extractUrlPath: { counts: [0], make: (receiver) => text(`urlPath(${receiver})`) },
  isEmail: { counts: [0], make: (receiver) => other(testMail(receiver)) },
  isUrl: { counts: [0], make: isFound(`(?i)^${URL}$`) },
  isDomain: { counts: [0], make: isFound(DOMAIN) },
  isBlank: { counts: [0], make: (receiver) => other(`${receiver}.trim() == ""`) },
  isNotBlank: { counts: [0], make: (receiver) => other(`${receiver}.trim() != ""`) },
  removeMarkdown: { counts: [0], make: removeMarkdown },
  toTitleCase: { counts: [0], make: (receiver) => text(`headline(${receiver})`) },
  quote: { counts: [0, 1], make: addQuotes },
};

/** Code of a value that n8n calls empty: nothing, and an empty text, list or object, but neither 0 nor false. */
export function emptyCode(object: Code): Code {
  const value = enclosed(object);
  const isPlain = object.value === 'text' || object.value === 'items';
  return other(isPlain ? `not ${value}` : `not (${value} or ${value} == 0 or ${value} == false)`);
}
