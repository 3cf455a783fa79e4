import { type CredentialType, flag, port, required, secret, text, textOf } from '@millrace/engine/credential';

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
  masked: (config) => `${textOf(config, 'host')} (${textOf(config, 'database')})`,
  expression: () => '',
  keeps_blank: true,
  connect: (config) => ({
    base_url: `${config['secure'] === false ? 'http' : 'https'}://${textOf(config, 'host')}:${textOf(config, 'port')}`,
    headers: {
      'x-clickhouse-user': textOf(config, 'username'),
      'x-clickhouse-key': textOf(config, 'password'),
      'x-clickhouse-database': textOf(config, 'database') || 'default',
    },
  }),
  test: { path: '/?query=SELECT%201' },
};
