import type { CredentialType } from './define.ts';
import { developerCredentials } from './developer.ts';
import { httpCredentials } from './http.ts';
import { messagingCredentials } from './messaging.ts';
import { modelCredentials } from './models.ts';
import { storeCredentials } from './stores.ts';

export * from './define.ts';
export * from './schema.ts';

/** Every type of credential; a new one is one entry. */
export const credentialTypes: readonly CredentialType[] = [
  ...modelCredentials,
  ...httpCredentials,
  ...messagingCredentials,
  ...storeCredentials,
  ...developerCredentials,
];

const byType: ReadonlyMap<string, CredentialType> = new Map(
  credentialTypes.map((entry) => [entry.type, entry]),
);

export const credentialType = (type: string): CredentialType | undefined => byType.get(type);
