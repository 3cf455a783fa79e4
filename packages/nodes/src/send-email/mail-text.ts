/** A closed element or a single tag that only HTML has. */
const LOOKS_LIKE_HTML =
  /<([a-z][a-z0-9]*)\b[^<>]*>[\s\S]*<\/\1\s*>|<(?:!doctype html|br\s*\/?|hr\s*\/?|img\s[^<>]*)>/i;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** The body of a mail: text, or HTML with a plain version for programs that show none. */
export function buildContent(body: string): { text: string; html?: string } {
  return LOOKS_LIKE_HTML.test(body) ? { text: toPlainText(body), html: body } : { text: body };
}

function toPlainText(html: string): string {
  return html
    .replace(/<(style|script|head)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/<(br|\/p|\/div|\/h[1-6]|\/li|\/tr)\b[^<>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/gi, (_, name: string) => ENTITIES[name.toLowerCase()] ?? '')
    .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
