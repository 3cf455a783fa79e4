import {
  type CredentialType,
  maskFirst,
  readConfigText,
  required,
  secret,
} from '@millrace/engine/credential';

const ED25519_KEY = /^[0-9a-f]{64}$/i;

export const discordTriggerCredential: CredentialType = {
  type: 'discord_trigger',
  title: 'Interactions public key',
  brand: 'Discord',
  group: 'messaging',
  fields: [secret('public_key', 'Public key', required)],
  masked: maskFirst('public_key'),
  expression: () => '',
  check: (config) =>
    ED25519_KEY.test(readConfigText(config, 'public_key'))
      ? undefined
      : { field: 'public_key', message: 'must be 64 hexadecimal digits' },
};
