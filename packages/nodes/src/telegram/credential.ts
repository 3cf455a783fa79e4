import {
  type CredentialType,
  maskFirst,
  readConfigText,
  refusalIn,
  required,
  secret,
} from '@millrace/engine/credential';

export const telegramCredential: CredentialType = {
  type: 'telegram',
  title: 'Chatbot',
  brand: 'Telegram',
  group: 'messaging',
  fields: [
    secret('bot_token', 'Bot token', required),
    secret('secret_token', 'Webhook secret', { help: 'If set, every webhook call must include it.' }),
  ],
  masked: maskFirst('bot_token'),
  expression: () => '',
  connect: (config) => ({
    base_url: `https://api.telegram.org/bot${encodeURIComponent(readConfigText(config, 'bot_token'))}`,
  }),
  test: { path: '/getMe' },
  problem: refusalIn('ok', 'description'),
};
