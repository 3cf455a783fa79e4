import { type CredentialType, maskOf, required, secret, textOf, valueOf } from '@millrace/engine/credential';
import { webhookProblem } from '../kit/integration/webhook-address.ts';

export const discordCredential: CredentialType = {
  type: 'discord',
  title: 'Discord webhook',
  group: 'messaging',
  fields: [secret('webhook_url', 'Webhook URL', required)],
  masked: maskOf('webhook_url'),
  expression: valueOf('webhook_url'),
  check: webhookProblem,
  connect: (config) => ({ base_url: textOf(config, 'webhook_url') }),
  test: { path: '' },
};
