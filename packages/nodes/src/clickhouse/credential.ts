import {
  type CredentialType,
  flag,
  port,
  readText,
  required,
  secret,
  text,
} from '@millrace/engine/credential';

export const clickhouseCredential: CredentialType = {
  type: 'clickhouse',
  title: 'ClickHouse',
  group: 'stores',
  fields: [
    text('host', 'Host', required),
    port('port', 8443),
    text('username', 'User name', { default: 'default' }),
    secret('password', 'Password'),
    text('database', 'Database', { default: 'default' }),
    flag('secure', 'Use TLS', true),
  ],
  masked: (config) => `${readText(config, 'host')} (${readText(config, 'database')})`,
  expression: () => '',
  keeps_blank: true,
  connect: (config) => ({
    base_url: `${config['secure'] === false ? 'http' : 'https'}://${readText(config, 'host')}:${readText(config, 'port')}`,
    headers: {
      'x-clickhouse-user': readText(config, 'username'),
      'x-clickhouse-key': readText(config, 'password'),
      'x-clickhouse-database': readText(config, 'database') || 'default',
    },
  }),
  test: { path: '/?query=SELECT%201' },
};
