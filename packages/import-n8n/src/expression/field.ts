import { MAX_EXPRESSION_LENGTH } from '@millrace/engine';
import { translate } from './translate.ts';
import { isExpression } from './tree.ts';
import {
  asText,
  type Code,
  dataCode,
  isDate,
  joined,
  type Names,
  textConstant,
  Untranslatable,
} from './value.ts';

type Piece = { readonly text: string } | { readonly script: string };

/** Cuts the text behind `=` into its texts and the scripts in `{{ }}`. */
export function splitTemplate(template: string, names: Pick<Names, 'spend'>): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (let open = template.indexOf('{{'); open !== -1; open = template.indexOf('{{', at)) {
    names.spend();
    const close = findClose(template, open + 2);
    if (close === -1) throw new Untranslatable('a "{{" is not closed');
    if (open > at) pieces.push({ text: template.slice(at, open) });
    // A script may end as a statement does.
    pieces.push({
      script: template
        .slice(open + 2, close)
        .replace(/[\s;]+$/, '')
        .trimStart(),
    });
    at = close + 2;
  }
  if (at < template.length) pieces.push({ text: template.slice(at) });
  return pieces;
}

/** The same template with every script in `{{ }}` written otherwise. */
export const mapScripts = (template: string, map: (script: string) => string): string =>
  splitTemplate(template, { spend: () => undefined })
    .map((piece) => ('text' in piece ? piece.text : `{{ ${map(piece.script)} }}`))
    .join('');

/** The script of a template that is nothing else; undefined for other texts. */
export function onlyScript(text: string): string | undefined {
  const [, script] = /^=\s*\{\{([^]*)\}\}\s*$/.exec(text) ?? [];
  return script === undefined || script.includes('{{') ? undefined : script.trim();
}

/** A template or a fixed text behind a fixed beginning. */
export const prefixed = (prefix: string, text: string): string =>
  isTemplate(text) ? `=${prefix}${text.slice(1).trim()}` : `${prefix}${text}`;

const MAX_TRIES = 8;

/** Objects and texts in a script may hold "}}" themselves, so the end is the first that leaves a whole expression. */
function findClose(template: string, from: number): number {
  const first = template.indexOf('}}', from);
  let close = first;
  for (let tries = 0; close !== -1 && tries < MAX_TRIES; tries++) {
    if (isExpression(template.slice(from, close))) return close;
    close = template.indexOf('}}', close + 1);
  }
  return first;
}

export const isTemplate = (text: string): boolean => text.startsWith('=');

/** The whole of a field as one expression. */
export function toCode(text: string, names: Names): Code {
  if (!isTemplate(text)) return textConstant(text);
  const parts = splitTemplate(text.slice(1), names).map((piece) =>
    'text' in piece ? textConstant(piece.text) : translate(piece.script, names),
  );
  const [first] = parts;
  if (first === undefined) return textConstant('');
  return parts.length === 1 ? dataCode(first) : joined(parts);
}

/** True for a field that is one script whose value is a date, of which its code makes text. */
export function isDateField(text: string, names: Names): boolean {
  const script = onlyScript(text);
  return script !== undefined && isDate(translate(script, names));
}

/**
 * With `$`, as fields that keep types and lists of loops read it. What begins with `$(` would stay the text that it is
 * when a node in it has not run.
 */
export function marked({ form, code }: Code, mayMiss = false): string {
  const bracketed = mayMiss ? `$array(${code}).first()` : `$(${code})`;
  return requireShort(form === 'chain' ? `$${code}` : bracketed);
}

function requireShort(expression: string): string {
  if (expression.length > MAX_EXPRESSION_LENGTH)
    throw new Untranslatable(
      `it has ${expression.length} characters here, of which an expression may have ${MAX_EXPRESSION_LENGTH}`,
    );
  return expression;
}

/** A field whose whole value keeps its type. */
export function valueText(text: string, names: Names, become = (code: Code): Code => code): string {
  if (!isTemplate(text) && !/\$[A-Za-z]/.test(text)) return text;
  const { made, mayMiss } = noting(names, () => become(toCode(text, names)));
  return marked(made, mayMiss);
}

/** Makes code, and notes whether it reads a node that may not have run. */
export function noting<T>(
  names: Pick<Names, 'uncertainReads'>,
  make: () => T,
): { readonly made: T; readonly mayMiss: boolean } {
  const before = names.uncertainReads();
  const made = make();
  return { made, mayMiss: names.uncertainReads() > before };
}

/** A field that is text with references inside; `spell` may write the code of each otherwise. */
export function templateText(text: string, names: Names, spell = (code: string): string => code): string {
  const pieces: readonly Piece[] = isTemplate(text) ? splitTemplate(text.slice(1), names) : [{ text }];
  let written = '';
  for (const [index, piece] of pieces.entries()) {
    if ('text' in piece) {
      const before = pieces[index - 1];
      const rest = before !== undefined && 'script' in before ? withoutGlue(piece.text) : piece.text;
      written += rest.replaceAll(/\$(?=[A-Za-z])/g, '$concat("$$")');
      continue;
    }
    const next = pieces[index + 1];
    const glue = next !== undefined && 'text' in next ? (GLUE.exec(next.text)?.[0] ?? '') : '';
    const code = translate(piece.script, names);
    const isAlone = pieces.length === 1;
    const parts = glue === '' ? [code] : [code, textConstant(glue)];
    written += requireShort(`$${spell(asText(isAlone ? dataCode(code) : joined(parts)))}`);
  }
  return written;
}

/** Characters behind a reference that would be read as a part of it. */
const GLUE = /^[.([]+/;
const withoutGlue = (text: string): string => text.replace(GLUE, '');
