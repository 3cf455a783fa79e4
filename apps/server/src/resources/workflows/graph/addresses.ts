import { randomBytes } from 'node:crypto';
import type { ImportWarning } from '@millrace/contracts';
import { encodeNodeAddress, NODE_ADDRESS_BYTES, renewAddresses } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import type { Graph } from '../record.ts';

const mintAddress = (): string => encodeNodeAddress(randomBytes(NODE_ADDRESS_BYTES));

/**
 * A graph for another workflow than the one that it comes from: what its webhooks receive is not the other's.
 *
 * @param keep ids that nodes of that other workflow have already
 */
export function withNewAddresses(
  { nodes, edges }: Graph,
  keep?: ReadonlySet<string>,
): { graph: Graph; ids: ReadonlyMap<string, string> } {
  return renewAddresses({ nodes, edges }, catalog, { mint: mintAddress, ...(keep ? { keep } : {}) });
}

/** Nodes whose address is not the one that a file names, as senders have to be told. */
export const addressWarnings = (
  before: Pick<Graph, 'nodes'>,
  ids: ReadonlyMap<string, string>,
): ImportWarning[] =>
  before.nodes.flatMap(({ id }, index) => {
    const renewed = ids.get(id);
    if (renewed === undefined) return [];
    const message = `The address of the node is new, and ends with "${renewed}"; give it to those who send to it`;
    return [{ field: `nodes.${index}.id`, message }];
  });
