import {
  type CredentialType,
  maskFirst,
  readText,
  required,
  secret,
  valueOf,
} from '@millrace/engine/credential';
import { webhookProblem } from '../kit/integration/webhook-address.ts';

export const discordCredential: CredentialType = {
  type: 'discord',
  title: 'Discord webhook',
  group: 'messaging',
  fields: [secret('webhook_url', 'Webhook URL', required)],
  masked: maskFirst('webhook_url'),
  expression: valueOf('webhook_url'),
  check: webhookProblem,
  connect: (config) => ({ base_url: readText(config, 'webhook_url') }),
  test: { path: '' },
};
