import type { GraphIssueCode } from './compiled.ts';

/** Advice on a shape that no run can go through; null for all other issues. */
export function refusalMessage(code: GraphIssueCode, labels: readonly string[]): string | null {
  switch (code) {
    case 'cycle': {
      const way = [...labels.slice(0, 10), ...(labels.length > 10 ? ['…'] : []), labels[0] ?? ''].join(' → ');
      return `These nodes wait for each other: ${way}. Remove one of the edges, or repeat nodes with a loop node.`;
    }
    case 'loops_overlap': {
      const which = labels.length > 0 ? `The loops ${labels.join(' and ')}` : 'Loops';
      return `${which} share nodes although neither is inside the other. Put one loop entirely inside the other, or give each its own nodes.`;
    }
    case 'blocked_label':
      return `A node is called "${labels[0] ?? ''}", a name that is reserved. Give it another label.`;
    default:
      return null;
  }
}
