import {
  type CredentialType,
  maskFirst,
  readConfigText,
  readFirst,
  required,
  secret,
} from '@millrace/engine/credential';
import { webhookProblem } from '../kit/integration/webhook-address.ts';

export const discordCredential: CredentialType = {
  type: 'discord',
  title: 'Discord webhook',
  group: 'messaging',
  fields: [secret('webhook_url', 'Webhook URL', required)],
  masked: maskFirst('webhook_url'),
  expression: readFirst('webhook_url'),
  check: webhookProblem,
  connect: (config) => ({ base_url: readConfigText(config, 'webhook_url') }),
  test: { path: '' },
};
