import {
  type CredentialType,
  flag,
  port,
  required,
  secret,
  showNothing,
  text,
} from '@millrace/engine/credential';

export const smtpCredential: CredentialType = {
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
};
