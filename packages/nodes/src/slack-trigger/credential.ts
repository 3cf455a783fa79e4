import { type CredentialType, maskFirst, required, secret } from '@millrace/engine/credential';

export const slackTriggerCredential: CredentialType = {
  type: 'slack_trigger',
  title: 'Workspace chat signing secret',
  brand: 'Slack',
  group: 'messaging',
  fields: [secret('signing_secret', 'Signing secret', required)],
  masked: maskFirst('signing_secret'),
  expression: () => '',
};
