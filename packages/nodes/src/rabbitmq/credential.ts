import {
  type CredentialType,
  flag,
  port,
  readConfigText,
  secret,
  showNothing,
  text,
} from '@millrace/engine/credential';

export const rabbitmqCredential: CredentialType = {
  type: 'rabbitmq',
  title: 'Message queue',
  brand: 'RabbitMQ',
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
    const address = readConfigText(config, 'rabbitmq_url');
    if (address !== '') {
      return /^amqps?:\/\/\S+$/i.test(address) && URL.canParse(address)
        ? undefined
        : { field: 'rabbitmq_url', message: 'must start with amqp:// or amqps://' };
    }
    const missing = ['rabbitmq_host', 'rabbitmq_username', 'rabbitmq_password'].find(
      (name) => readConfigText(config, name) === '',
    );
    return missing === undefined
      ? undefined
      : { field: missing, message: 'is required unless there is an AMQP URL' };
  },
};
