import {
  type CredentialType,
  flag,
  port,
  readConfigText,
  required,
  secret,
  text,
} from '@millrace/engine/credential';

export const imapCredential: CredentialType = {
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
    `${readConfigText(config, 'imap_username')}@${readConfigText(config, 'imap_host')} (${readConfigText(config, 'imap_mailbox')})`,
  expression: () => '',
};
