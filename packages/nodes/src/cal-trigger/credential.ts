import { type CredentialType, maskFirst, required, secret } from '@millrace/engine/credential';

export const calTriggerCredential: CredentialType = {
  type: 'cal_trigger',
  title: 'Booking webhook secret',
  brand: 'Cal.com',
  group: 'productivity',
  fields: [secret('webhook_secret', 'Webhook secret', required)],
  masked: maskFirst('webhook_secret'),
  expression: () => '',
};
