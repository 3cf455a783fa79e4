import { connect as openSocket } from 'node:net';
import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib';
import { describe } from 'vitest';

export type BrokerChannel = ConfirmChannel;

/** The broker of the tests, with its usual user. */
export const RABBITMQ = { host: '127.0.0.1', port: 5672 };
const TIMEOUT_MS = 2_000;

function answers(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = openSocket({ ...RABBITMQ, timeout: TIMEOUT_MS });
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });
}

const reachable = await answers();

/** A suite that needs a real broker; skipped by name where there is none, but not in CI. */
export function describeOnRabbitmq(subject: string, suite: () => void): void {
  const may_skip = process.env['CI'] !== 'true';
  describe.skipIf(!reachable && may_skip)(`${subject} (RabbitMQ)`, () => {
    suite();
  });
}

/** Configuration of a credential for the broker. */
export const rabbitmqConfig = {
  rabbitmq_host: RABBITMQ.host,
  rabbitmq_port: RABBITMQ.port,
  rabbitmq_username: 'guest',
  rabbitmq_password: 'guest',
  rabbitmq_vhost: '/',
};

/** The broker as another client sees it. */
export const connectToRabbitmq = (): Promise<ChannelModel> =>
  connect({ hostname: RABBITMQ.host, port: RABBITMQ.port, username: 'guest', password: 'guest' });
