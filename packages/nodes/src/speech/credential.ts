import { apiKey, type CredentialType, keyed, readConfigText } from '@millrace/engine/credential';

export const elevenlabsCredential: CredentialType = {
  type: 'elevenlabs',
  is_offered: false,
  title: 'ElevenLabs',
  group: 'models',
  fields: [apiKey],
  ...keyed,
  connect: (config) => ({
    base_url: 'https://api.elevenlabs.io/v1',
    headers: { 'xi-api-key': readConfigText(config, 'api_key') },
  }),
  test: { path: '/user' },
};
