import {
  type CredentialType,
  flag,
  port,
  required,
  secret,
  showNothing,
  text,
} from '@millrace/engine/credential';

export const mysqlCredential: CredentialType = {
  type: 'mysql',
  title: 'MySQL',
  group: 'stores',
  fields: [
    text('host', 'Host', required),
    port('port', 3306),
    text('database', 'Database', required),
    text('username', 'User name', required),
    secret('password', 'Password'),
    flag('use_tls', 'Use TLS', true),
  ],
  masked: showNothing,
  expression: () => '',
  public_fields: ['host', 'database'],
  keeps_blank: true,
};
