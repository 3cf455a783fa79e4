/** The file with the text of a skill. */
export const SKILL_FILE = 'SKILL.md';
/** The file in which a skill names the packages of its scripts. */
export const REQUIREMENTS_FILE = 'requirements.txt';

const MAX_CHARACTERS = 255;
const WANTED = 'must be a path inside the skill, such as main.py or data/prices.csv';

/** Without `../` and slashes at its start, and with slashes only. */
export const plainPath = (path: string): string =>
  path
    .trim()
    .replaceAll('\\', '/')
    .replace(/^(?:\.?\/+)+/, '');

/** Whether an agent may run the file. */
export const isScript = (path: string): boolean => /\.py$/i.test(path);

/** The reason why a path of a file of a skill cannot be used; undefined for a good one. */
export function pathProblem(path: string): string | undefined {
  const parts = plainPath(path).split('/');
  const isInside = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  // oxlint-disable-next-line no-control-regex -- they are what is refused
  const isGood = isInside && !/[\u0000-\u001f]/.test(path) && path.length <= MAX_CHARACTERS;
  return isGood ? undefined : WANTED;
}
