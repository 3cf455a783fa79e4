import { isReservedName, readText } from '@millrace/engine';
import { isWord } from '../expression/value.ts';
import type { SourceNode } from '../source/source.ts';

/** Names of nodes as expressions can read them: `HTTP Request 1` becomes `httpRequest1`, and `Webhook` stays. */
export function assignLabels(nodes: readonly SourceNode[]): Map<string, string> {
  const labels = new Map<string, string>();
  const taken = new Set<string>();
  // The next number of each name, so that ten thousand equal names stay cheap.
  const counted = new Map<string, number>();
  for (const { name, type } of nodes) {
    const base = toIdentifier(name) || toIdentifier(type) || 'node';
    const wanted = isReservedName(base) || isWord(base) ? `${base}Node` : base;
    let free = wanted;
    let suffix = counted.get(wanted) ?? 2;
    for (; taken.has(free); suffix++) free = `${wanted}_${suffix}`;
    counted.set(wanted, suffix);
    taken.add(free);
    labels.set(name, free);
  }
  return labels;
}

const MOST_CHARACTERS = 60;

function toIdentifier(name: string): string {
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

/** Ids of n8n are kept, since a webhook is called by the id of its node. */
export function assignIds(nodes: readonly SourceNode[]): Map<string, string> {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const [index, { name, stored }] of nodes.entries()) {
    const written = readText(stored['id']).slice(0, 100);
    let id = written === '' || taken.has(written) ? `node_${index + 1}` : written;
    while (taken.has(id)) id = `${id}_2`;
    taken.add(id);
    ids.set(name, id);
  }
  return ids;
}
