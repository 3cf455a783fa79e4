import type { SourceNode } from '../source/source.ts';
import type { View } from '../views/views.ts';
import { findKind } from './index.ts';
import type { Kind } from './kind.ts';

export const isErrorOutput = ({ stored, type }: SourceNode, output: number): boolean =>
  stored['onError'] === 'continueErrorOutput' && output > 0 && findKind(type)?.output === undefined;

/** Behind an error there is only its message; that of a request is inside of an object in n8n. */
export const viewOfError = ({ type }: SourceNode): View =>
  type === 'httpRequest' ? { made: { error: (item) => `dict(message=${item}.error)` } } : {};

/** True for a node that n8n runs once for a list as well, or not at all. */
export const runsOnce = (kind: Kind, node: SourceNode): boolean =>
  node.isDisabled ||
  node.stored['executeOnce'] === true ||
  appliesTo(kind.takesList, node) ||
  appliesTo(kind.runsOnce, node);

export const appliesTo = (
  rule: boolean | ((node: SourceNode) => boolean) | undefined,
  node: SourceNode,
): boolean => (typeof rule === 'function' ? rule(node) : rule === true);
