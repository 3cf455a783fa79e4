// Every type of credential. Browser-safe.
import type { Catalog } from '@millrace/engine';
import type { CredentialType } from '@millrace/engine/credential';
import { catalog } from './catalog.ts';
import { modelRouterCredential } from './model-router/credential.ts';
import { elevenlabsCredential } from './speech/credential.ts';

export { type ModelRouterConfig, modelRouterConfig } from './model-router/credential.ts';

/** Types that people can store already, of integrations whose nodes are not there yet. A node's definition names its own. */
const WITHOUT_NODE: readonly CredentialType[] = [elevenlabsCredential, modelRouterCredential];

/** The types that the nodes of a catalogue bring along, each once, then further ones. Throws when two types share a name. */
export function collectCredentialTypes(
  { all }: Catalog,
  further: readonly CredentialType[],
): CredentialType[] {
  const byName = new Map<string, CredentialType>();
  for (const type of [...all.flatMap(({ credentials }) => credentials), ...further]) {
    const known = byName.get(type.type);
    if (known && known !== type) throw new Error(`Credential type "${type.type}" is declared twice`);
    byName.set(type.type, type);
  }
  return [...byName.values()];
}

export const credentialTypes: readonly CredentialType[] = collectCredentialTypes(catalog, WITHOUT_NODE);

const byName: ReadonlyMap<string, CredentialType> = new Map(
  credentialTypes.map((entry) => [entry.type, entry]),
);

export const credentialType = (name: string): CredentialType | undefined => byName.get(name);
