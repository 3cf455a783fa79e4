import {
  type CredentialType,
  flag,
  port,
  required,
  secret,
  showNothing,
  text,
} from '@millrace/engine/credential';

interface Database {
  readonly type: string;
  readonly title: string;
  readonly usual_port: number;
}

/** A user of a database on a server; no part of it is for expressions. */
export const databaseCredential = ({ type, title, usual_port }: Database): CredentialType => ({
  type,
  title,
  group: 'stores',
  fields: [
    text('host', 'Host', required),
    port('port', usual_port),
    text('database', 'Database', required),
    text('username', 'User name', required),
    secret('password', 'Password'),
    flag('use_tls', 'Use TLS', true),
  ],
  masked: showNothing,
  expression: () => '',
  public_fields: ['host', 'database'],
  keeps_blank: true,
});
