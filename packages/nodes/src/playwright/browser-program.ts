import { TUNNEL_WINDOW } from '../kit/network/tunnels.ts';
import { SAY } from '../kit/text/message-lines.ts';
import { BROWSER_ACTIONS } from './browser-actions.ts';

/**
 * The way out of the container, which has no network: a proxy for the browser, whose connections are messages (`connect`,
 * `data`, `finish`, `close`, and `ack` for bytes that were taken) between this program and the service. Both sides have at most
 * `TUNNEL_WINDOW` bytes of a connection under way, so that neither has to keep what the other is slow to read.
 */
const PROXY = String.raw`
const WINDOW = ${TUNNEL_WINDOW};
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate', 'te', 'trailer', 'transfer-encoding', 'upgrade']);
const tunnels = new Map();
let lastTunnel = 0;
class Tunnel extends Duplex {
  constructor(id) {
    super();
    this.id = id;
    this.credit = WINDOW;
    this.owed = 0;
    this.held = undefined;
    this.opening = {};
    this.opened = new Promise((resolve, reject) => (this.opening = { resolve, reject }));
    this.opened.catch(() => {});
    this.on('error', () => {});
  }
  _read() {
    if (this.owed > 0) say({ type: 'ack', id: this.id, size: this.owed });
    this.owed = 0;
  }
  _write(chunk, _encoding, done) {
    say({ type: 'data', id: this.id, data: chunk.toString('base64') });
    this.credit -= chunk.length;
    if (this.credit > 0) done();
    else this.held = done;
  }
  _final(done) {
    say({ type: 'finish', id: this.id });
    done();
  }
  _destroy(error, done) {
    if (tunnels.delete(this.id)) say({ type: 'close', id: this.id });
    done(error);
  }
  hear(message) {
    if (message.type === 'opened') this.opening.resolve();
    else if (message.type === 'data') {
      const bytes = Buffer.from(message.data, 'base64');
      this.owed += bytes.length;
      if (this.push(bytes)) this._read();
    } else if (message.type === 'finish') this.push(null);
    else if (message.type === 'close') {
      tunnels.delete(this.id);
      this.opening.reject(new Error('refused'));
      this.destroy(message.error ? new Error(message.error) : undefined);
    } else if (message.type === 'ack') {
      this.credit += message.size;
      const held = this.held;
      if (!held || this.credit <= 0) return;
      this.held = undefined;
      held();
    }
  }
}

async function openTunnel(host, port) {
  const tunnel = new Tunnel(++lastTunnel);
  tunnels.set(tunnel.id, tunnel);
  say({ type: 'connect', id: tunnel.id, host: host.replace(/^\[|\]$/g, ''), port });
  await tunnel.opened;
  return tunnel;
}

function passedOn(rawHeaders) {
  const headers = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!HOP_BY_HOP.has(rawHeaders[at].toLowerCase())) headers.push(rawHeaders[at], rawHeaders[at + 1]);
  }
  return headers;
}

async function forward(request, response) {
  const url = new URL(request.url);
  if (url.protocol !== 'http:') throw new Error('refused');
  const tunnel = await openTunnel(url.hostname, Number(url.port) || 80);
  response.on('close', () => tunnel.destroy());
  const sent = http.request({
    method: request.method,
    path: url.pathname + url.search,
    headers: [...passedOn(request.rawHeaders), 'Connection', 'close'],
    createConnection: () => tunnel,
  });
  sent.on('response', (answer) => {
    response.writeHead(answer.statusCode, answer.statusMessage, passedOn(answer.rawHeaders));
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  sent.on('error', () => response.destroy());
  request.pipe(sent);
}

function startProxy() {
  const server = http.createServer((request, response) => {
    forward(request, response).catch(() => response.writeHead(502, { 'x-millrace-refused': '1' }).end());
  });
  server.on('connect', (request, socket, head) => {
    const [, host, port] = /^(.*):(\d+)$/.exec(request.url) ?? [];
    socket.on('error', () => {});
    openTunnel(host ?? '', Number(port)).then(
      (tunnel) => {
        socket.write('HTTP/1.1 200 Connected\r\n\r\n');
        if (head.length > 0) tunnel.write(head);
        socket.pipe(tunnel);
        tunnel.pipe(socket);
        socket.on('close', () => tunnel.destroy());
        tunnel.on('close', () => socket.destroy());
      },
      () => socket.end('HTTP/1.1 502 Refused\r\n\r\n'),
    );
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}
`;

/**
 * The program that runs in the container of a browser, as the text that Node is started with. Each line of its standard
 * input is a message: first `start`, then `do` with a step, and those of connections. Every line of its standard output
 * is a message, too (`messages.ts`).
 */
export const BROWSER_PROGRAM = String.raw`
'use strict';
const fs = require('node:fs');
const http = require('node:http');
const { Duplex } = require('node:stream');
${SAY}
${PROXY}
${BROWSER_ACTIONS}
const input = require('node:readline').createInterface({ input: process.stdin });
// The service that started it is gone.
input.on('close', () => process.exit(1));
input.on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'start' || message.type === 'do') {
    const work = message.type === 'start' ? begin(message) : perform(message.step);
    work.then(
      (value) => say({ type: 'done', id: message.id, value: value ?? null }),
      (error) => say({ type: 'failed', id: message.id, ...toProblem(error) }),
    );
  } else tunnels.get(message.id)?.hear(message);
});
`;
