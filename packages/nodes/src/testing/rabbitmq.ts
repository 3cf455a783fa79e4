import { connect as openSocket } from 'node:net';
import { type ChannelModel, connect } from 'amqplib';

const HOST = '127.0.0.1';
const PORT = 5672;
const TIMEOUT_MS = 2_000;

function answers(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = openSocket({ host: HOST, port: PORT, timeout: TIMEOUT_MS });
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

/** Whether the tests against a real broker can run; where everything must run, they fail instead of being skipped. */
export const hasRabbitmq = process.env['CI'] === 'true' || (await answers());

/** Configuration of a credential for the broker on this machine. */
export const rabbitmqConfig = {
  rabbitmq_host: HOST,
  rabbitmq_port: PORT,
  rabbitmq_username: 'guest',
  rabbitmq_password: 'guest',
  rabbitmq_vhost: '/',
};

/** The broker as another client sees it. */
export const connectToRabbitmq = (): Promise<ChannelModel> =>
  connect({ hostname: HOST, port: PORT, username: 'guest', password: 'guest' });
