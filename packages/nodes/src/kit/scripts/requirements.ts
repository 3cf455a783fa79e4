import { refusedParam } from '../refused-param.ts';

const MOST = 50;
/** PEP 508 without addresses and markers: `name[extra]>=1,<2`. */
const PYTHON =
  /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?(?:\[[\w., -]+\])?\s*(?:(?:===|==|>=|<=|~=|!=|<|>)\s*[\w.*+!-]+(?:\s*,\s*(?:===|==|>=|<=|~=|!=|<|>)\s*[\w.*+!-]+)*)?$/;
/** `name@range` of the registry; a range that begins with a dot is a folder to npm. */
const JAVASCRIPT = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*(?:@[\w^~<>=|*+-][\w.^~<>=|*+ -]*)?$/;
/** Installers take such a name for a file. */
const ARCHIVE = /\.(?:tgz|tar|tar\.gz|tar\.bz2|tar\.xz|zip|whl)$/i;

/** The lines that name packages, as they are written, without comments. */
export const packageLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');

/**
 * Names of packages, one a line; `#` begins a comment. Options of the installer, files and addresses are refused, so that
 * packages come from the registry that the operator has set.
 *
 * @param field parameter that the text comes from
 */
export function requirementsIn(language: 'python' | 'javascript', text: string, field: string): string[] {
  const lines = packageLines(text);
  if (lines.length > MOST) throw refusedParam(field, `has more than ${MOST} packages`);
  const pattern = language === 'python' ? PYTHON : JAVASCRIPT;
  const wrong = lines.find((line) => line.length > 200 || !pattern.test(line) || ARCHIVE.test(line));
  if (wrong === undefined) return lines;
  const example = language === 'python' ? 'requests==2.32.5' : 'lodash@4.17.21';
  throw refusedParam(
    field,
    `has the line ${JSON.stringify(wrong.slice(0, 100))}, which is not a package such as ${example}; options, files and addresses are not taken`,
  );
}
