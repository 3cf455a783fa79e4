// What suites need beside Node, and whether it is on this machine.
import { accessSync, constants, existsSync } from 'node:fs';
import { connect } from 'node:net';

const TIMEOUT_MS = 1_000;
/** Where `model-engine.sh` installs the engine of the language model. */
export const MODEL_ENGINE = new URL('../../.build/model-engine/node_modules/', import.meta.url);

/** Where Debian and its relatives put a Chromium. The headless shell comes first, because it needs a third less CPU than the full browser. */
const BROWSERS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Whether something listens at a port of a host, or at a socket. */
function answers(address) {
  return new Promise((resolve) => {
    const socket = connect({ ...address, timeout: TIMEOUT_MS });
    const end = (is) => {
      socket.destroy();
      resolve(is);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });
}

/** The address in an environment variable, or the usual port of this machine. */
function addressIn(variable, port) {
  const url = process.env[variable] ? new URL(process.env[variable]) : undefined;
  return { host: url?.hostname || '127.0.0.1', port: Number(url?.port || port) };
}

const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const engineSocket = () => (process.env.DOCKER_HOST ?? '').replace(/^unix:\/\//, '');

/** By name, with the Debian package that brings it, or the command that installs it. */
const SERVICES = [
  {
    name: 'PostgreSQL',
    debian: 'postgresql',
    isHere: () => answers(addressIn('TEST_DATABASE_URL', 5432)),
  },
  { name: 'Redis', debian: 'redis-server', isHere: () => answers(addressIn('TEST_REDIS_URL', 6379)) },
  { name: 'MariaDB', debian: 'mariadb-server', isHere: () => answers(addressIn('TEST_MYSQL_URL', 3306)) },
  { name: 'RabbitMQ', debian: 'rabbitmq-server', isHere: () => answers({ host: '127.0.0.1', port: 5672 }) },
  { name: 'Dovecot', debian: 'dovecot-imapd', isHere: () => isProgram('/usr/sbin/dovecot') },
  { name: 'Chromium', debian: 'chromium-headless-shell', isHere: () => findBrowser() !== undefined },
  {
    name: 'a container engine at DOCKER_HOST',
    debian: 'docker.io',
    isHere: () => engineSocket() !== '' && answers({ path: engineSocket() }),
  },
  {
    name: 'an engine for the language model',
    command: 'tools/test/model-engine.sh',
    isHere: () => existsSync(MODEL_ENGINE),
  },
];

/** The path of the browser for tests; undefined where there is none. */
export const findBrowser = () => BROWSERS.find((path) => existsSync(path));

/** Those that are missing on this machine. */
export async function findMissingServices() {
  const found = await Promise.all(SERVICES.map(async ({ isHere }) => isHere()));
  return SERVICES.filter((_, at) => !found[at]);
}
