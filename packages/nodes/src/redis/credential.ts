import {
  type CredentialType,
  flag,
  port,
  required,
  secret,
  showNothing,
  text,
} from '@millrace/engine/credential';

export const redisCredential: CredentialType = {
  type: 'redis',
  title: 'Redis',
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
};
