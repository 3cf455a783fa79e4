import {
  type CredentialType,
  flag,
  port,
  readConfigText,
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
  masked: (config) => `${readConfigText(config, 'host')} (${readConfigText(config, 'database')})`,
  expression: () => '',
  keeps_blank: true,
  connect: (config) => ({
    base_url: `${config['secure'] === false ? 'http' : 'https'}://${readConfigText(config, 'host')}:${readConfigText(config, 'port')}`,
    headers: {
      'x-clickhouse-user': readConfigText(config, 'username'),
      'x-clickhouse-key': readConfigText(config, 'password'),
      'x-clickhouse-database': readConfigText(config, 'database') || 'default',
    },
  }),
  test: { path: '/?query=SELECT%201' },
};
