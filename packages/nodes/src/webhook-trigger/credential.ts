import {
  type CredentialType,
  readConfigText,
  required,
  secret,
  showNothing,
  text,
} from '@millrace/engine/credential';

export const basicAuthCredential: CredentialType = {
  type: 'basic_auth',
  title: 'User name and password',
  group: 'http',
  fields: [text('username', 'User name', required), secret('password', 'Password', required)],
  masked: (config) => readConfigText(config, 'username'),
  // As `-u` of a curl command takes it.
  expression: (config) => `${readConfigText(config, 'username')}:${readConfigText(config, 'password')}`,
};

export const webhookSecretCredential: CredentialType = {
  type: 'webhook_secret',
  title: 'Webhook signing secret',
  group: 'http',
  fields: [secret('secret', 'Secret', required)],
  masked: showNothing,
  expression: () => '',
};
