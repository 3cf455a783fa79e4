import type { Catalog, Json, WorkflowDocument, WorkflowNode } from '@millrace/engine';
import { bestMatches, matchScore } from '../../../lib/fuzzy.ts';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';

export interface FoundNode {
  node: WorkflowNode;
  /** The parameter text in which the words were found; undefined when label or type already say why. */
  place: string | undefined;
}

/** The text that one looks for is rarely further down, and a graph of thousands must stay quick to search. */
const MAX_TEXTS = 60;
const SNIPPET = 72;

function textsIn(value: Json | undefined, into: string[]): void {
  if (value === undefined || value === null || into.length >= MAX_TEXTS) return;
  if (typeof value === 'object') for (const part of Object.values(value)) textsIn(part, into);
  else into.push(String(value));
}

function parameterTexts(node: WorkflowNode): string[] {
  const { label: _, pinnedData: __, ...data } = node.data;
  const texts: string[] = [];
  textsIn(data, texts);
  return texts;
}

function snippet(text: string, words: string): string {
  const line = text.replace(/\s+/g, ' ');
  const first = words.trim().split(/\s+/)[0] ?? '';
  const at = Math.max(0, line.toLowerCase().indexOf(first.toLowerCase()) - SNIPPET / 3);
  const part = line.slice(at, at + SNIPPET);
  return `${at > 0 ? '…' : ''}${part}${at + SNIPPET < line.length ? '…' : ''}`;
}

/** Nodes whose label, type or parameters hold the words, best first. */
export function findNodes(catalog: Catalog, document: WorkflowDocument, words: string): FoundNode[] {
  const named = (node: WorkflowNode) => [
    getNodeLabel(node),
    `${catalog.get(node.type)?.title ?? ''} ${node.type}`,
  ];
  return bestMatches(document.nodes, words, (node) => [...named(node), ...parameterTexts(node)]).map(
    (node) => {
      const isNamed = named(node).some((text) => matchScore(text, words) !== undefined);
      const text = isNamed
        ? undefined
        : parameterTexts(node).find((item) => matchScore(item, words) !== undefined);
      return { node, place: text === undefined ? undefined : snippet(text, words) };
    },
  );
}
