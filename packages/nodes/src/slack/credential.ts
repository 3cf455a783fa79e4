import {
  bearer,
  type CredentialType,
  maskFirst,
  readConfigText,
  readFirst,
  refusalIn,
  secret,
} from '@millrace/engine/credential';
import { webhookProblem } from '../kit/integration/webhook-address.ts';

export const slackCredential: CredentialType = {
  type: 'slack',
  title: 'Workspace chat',
  brand: 'Slack',
  group: 'messaging',
  fields: [secret('webhook_url', 'Webhook URL'), secret('api_token', 'API token')],
  masked: maskFirst('webhook_url', 'api_token'),
  expression: readFirst('webhook_url', 'api_token'),
  check: (config) =>
    readConfigText(config, 'webhook_url') === '' && readConfigText(config, 'api_token') === ''
      ? { field: 'webhook_url', message: 'enter a webhook URL or an API token' }
      : webhookProblem(config),
  connect: (config) =>
    readConfigText(config, 'api_token') === ''
      ? undefined
      : { base_url: 'https://slack.com/api', headers: bearer(readConfigText(config, 'api_token')) },
  test: { method: 'POST', path: '/auth.test' },
  problem: refusalIn('ok', 'error'),
};
