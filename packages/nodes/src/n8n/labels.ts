import { isReservedName } from '@millrace/engine';
import { isWord } from './expression/value.ts';
import type { SourceNode } from './source.ts';

/** Names of nodes as expressions can read them: `HTTP Request 1` becomes `httpRequest1`, and `Webhook` stays. */
export function labelsOf(nodes: readonly SourceNode[]): Map<string, string> {
  const labels = new Map<string, string>();
  const taken = new Set<string>();
  for (const { name, type } of nodes) {
    const base = identifierOf(name) || identifierOf(type) || 'node';
    const wanted = isReservedName(base) || isWord(base) ? `${base}Node` : base;
    let free = wanted;
    for (let suffix = 2; taken.has(free); suffix++) free = `${wanted}_${suffix}`;
    taken.add(free);
    labels.set(name, free);
  }
  return labels;
}

const MOST_CHARACTERS = 60;

function identifierOf(name: string): string {
  if (/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) return name.slice(0, MOST_CHARACTERS);
  const words = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  const joined = words
    .map((word, index) => {
      const rest = /^[A-Z0-9]+$/.test(word) ? word.slice(1).toLowerCase() : word.slice(1);
      return `${index === 0 ? word.charAt(0).toLowerCase() : word.charAt(0).toUpperCase()}${rest}`;
    })
    .join('');
  return (/^[0-9]/.test(joined) ? `n${joined}` : joined).slice(0, MOST_CHARACTERS);
}
