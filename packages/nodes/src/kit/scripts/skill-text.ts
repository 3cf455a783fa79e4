/** The facts about a skill that its SKILL.md states. */
export interface SkillFacts {
  readonly name: string;
  readonly description: string;
}

const FRONT = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/** `name` and `description` of the front matter of a SKILL.md; empty where it has none. */
export function skillFacts(content: string): SkillFacts {
  const front = FRONT.exec(content)?.[1] ?? '';
  return { name: valueIn(front, 'name'), description: valueIn(front, 'description') };
}

/**
 * Not read as YAML, which refuses a description with a colon in it, as many skills have one. They use plain and quoted texts, and
 * texts that continue on indented lines.
 */
function valueIn(front: string, key: string): string {
  const lines = front.split(/\r?\n/);
  const at = lines.findIndex((line) => line.startsWith(`${key}:`));
  if (at < 0) return '';
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => line.trim() !== '' && !/^\s/.test(line));
  const first = (lines[at] ?? '').slice(key.length + 1).trim();
  const more = rest.slice(0, end < 0 ? undefined : end).map((line) => line.trim());
  const text = [/^[|>][+-]?$/.test(first) ? '' : first, ...more].filter((line) => line !== '').join(' ');
  return /^"(?:[^"\\]|\\.)*"$/.test(text) || /^'[^']*'$/.test(text) ? text.slice(1, -1) : text;
}
