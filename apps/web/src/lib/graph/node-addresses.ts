import {
  type Catalog,
  encodeNodeAddress,
  hasAddress,
  NODE_ADDRESS_BYTES,
  type NodeDefinition,
  renewAddresses,
  type WorkflowDocument,
} from '@millrace/engine';

const mintAddress = (): string =>
  encodeNodeAddress(crypto.getRandomValues(new Uint8Array(NODE_ADDRESS_BYTES)));

/** The id of a new node whose address contains it; undefined where none does. */
export function mintAddressFor(definition: NodeDefinition): string | undefined {
  const node = { type: definition.type, data: definition.initial };
  return hasAddress({ get: () => definition }, node) ? mintAddress() : undefined;
}

/** A graph that was copied from elsewhere, with addresses of its own. */
export const withNewAddresses = (
  catalog: Pick<Catalog, 'get'>,
  document: WorkflowDocument,
): WorkflowDocument => renewAddresses(document, catalog, { mint: mintAddress }).graph;
