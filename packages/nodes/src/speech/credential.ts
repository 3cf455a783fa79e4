import { type CredentialType, maskOf, required, secret, textOf, valueOf } from '@millrace/engine/credential';

export const elevenlabsCredential: CredentialType = {
  type: 'elevenlabs',
  is_offered: false,
  title: 'ElevenLabs',
  group: 'models',
  fields: [secret('api_key', 'API key', required)],
  masked: maskOf('api_key'),
  expression: valueOf('api_key'),
  connect: (config) => ({
    base_url: 'https://api.elevenlabs.io/v1',
    headers: { 'xi-api-key': textOf(config, 'api_key') },
  }),
  test: { path: '/user' },
};
