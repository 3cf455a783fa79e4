import {
  type CredentialConfig,
  type CredentialType,
  flag,
  maskOf,
  port,
  required,
  secret,
  showNothing,
  text,
  textOf,
  valueOf,
} from './define.ts';

const ED25519_KEY = /^[0-9a-f]{64}$/i;

/** A webhook address is a secret: whoever has it may post. */
const webhook = (more = {}) => secret('webhook_url', 'Webhook URL', more);

function checkWebhook(config: CredentialConfig): { field: string; message: string } | undefined {
  const address = textOf(config, 'webhook_url');
  if (address === '') return undefined;
  return /^https?:\/\/\S+$/i.test(address) && URL.canParse(address)
    ? undefined
    : { field: 'webhook_url', message: 'must be an address that starts with https:// or http://' };
}

export const messagingCredentials: readonly CredentialType[] = [
  {
    type: 'telegram',
    title: 'Chatbot',
    group: 'messaging',
    fields: [
      secret('bot_token', 'Bot token', required),
      secret('secret_token', 'Webhook secret', { help: 'When set, every webhook call must carry it.' }),
    ],
    masked: maskOf('bot_token'),
    expression: () => '',
  },
  {
    type: 'slack',
    title: 'Workspace chat',
    group: 'messaging',
    fields: [webhook(), secret('api_token', 'API token')],
    masked: maskOf('webhook_url', 'api_token'),
    expression: valueOf('webhook_url', 'api_token'),
    check: (config) =>
      textOf(config, 'webhook_url') === '' && textOf(config, 'api_token') === ''
        ? { field: 'webhook_url', message: 'give a webhook URL or an API token' }
        : checkWebhook(config),
  },
  {
    type: 'slack_trigger',
    title: 'Workspace chat signing secret',
    group: 'messaging',
    fields: [secret('signing_secret', 'Signing secret', required)],
    masked: maskOf('signing_secret'),
    expression: () => '',
  },
  {
    type: 'discord',
    title: 'Discord webhook',
    group: 'messaging',
    fields: [webhook(required)],
    masked: maskOf('webhook_url'),
    expression: valueOf('webhook_url'),
    check: checkWebhook,
  },
  {
    type: 'discord_trigger',
    title: 'Interactions public key',
    group: 'messaging',
    fields: [secret('public_key', 'Public key', required)],
    masked: maskOf('public_key'),
    expression: () => '',
    check: (config) =>
      ED25519_KEY.test(textOf(config, 'public_key'))
        ? undefined
        : { field: 'public_key', message: 'must be 64 hexadecimal digits' },
  },
  {
    type: 'imap',
    title: 'IMAP mailbox',
    group: 'mail',
    fields: [
      text('imap_host', 'Host', required),
      port('imap_port', 993, required),
      text('imap_username', 'User name', required),
      secret('imap_password', 'Password', required),
      text('imap_mailbox', 'Mailbox', { default: 'INBOX' }),
      flag('imap_use_ssl', 'Use TLS', true),
    ],
    masked: (config) =>
      `${textOf(config, 'imap_username')}@${textOf(config, 'imap_host')} (${textOf(config, 'imap_mailbox')})`,
    expression: () => '',
  },
  {
    type: 'smtp',
    title: 'SMTP server',
    group: 'mail',
    fields: [
      text('smtp_host', 'Host', required),
      port('smtp_port', 587),
      text('smtp_username', 'User name'),
      secret('smtp_password', 'Password'),
      text('smtp_from', 'Sender address'),
      flag('smtp_use_tls', 'Use TLS', true),
    ],
    masked: showNothing,
    expression: () => '',
    public_fields: ['smtp_host', 'smtp_port'],
  },
  {
    type: 'rabbitmq',
    title: 'Message queue',
    group: 'messaging',
    fields: [
      secret('rabbitmq_url', 'AMQP URL', {
        help: 'amqp://user:password@host:5672/vhost, instead of the fields below',
      }),
      text('rabbitmq_host', 'Host'),
      port('rabbitmq_port', 5672),
      text('rabbitmq_username', 'User name'),
      secret('rabbitmq_password', 'Password'),
      text('rabbitmq_vhost', 'Virtual host', { default: '/' }),
      flag('rabbitmq_use_tls', 'Use TLS', false),
    ],
    masked: showNothing,
    expression: () => '',
    public_fields: ['rabbitmq_host'],
    check: (config) => {
      const address = textOf(config, 'rabbitmq_url');
      if (address !== '') {
        return /^amqps?:\/\/\S+$/i.test(address) && URL.canParse(address)
          ? undefined
          : { field: 'rabbitmq_url', message: 'must start with amqp:// or amqps://' };
      }
      const missing = ['rabbitmq_host', 'rabbitmq_username', 'rabbitmq_password'].find(
        (name) => textOf(config, name) === '',
      );
      return missing === undefined
        ? undefined
        : { field: missing, message: 'is required unless there is an AMQP URL' };
    },
  },
  {
    type: 'redis',
    title: 'Shared store',
    group: 'stores',
    fields: [
      text('redis_host', 'Host', required),
      port('redis_port', 6379),
      text('redis_username', 'User name'),
      secret('redis_password', 'Password'),
      { name: 'redis_db', label: 'Database number', kind: 'integer', default: 0, max: 1_000_000 },
      flag('redis_use_tls', 'Use TLS', false),
    ],
    masked: showNothing,
    expression: () => '',
    public_fields: ['redis_host', 'redis_port'],
  },
];
