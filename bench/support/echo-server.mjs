// The yardstick: a bare Fastify that answers a JSON body with itself.
import Fastify from 'fastify';

const app = Fastify({ bodyLimit: 10 * 1024 * 1024 });
app.post('/echo', (request) => request.body);
const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ msg: 'millrace is serving', address })}\n`);
process.on('SIGTERM', () => process.exit(0));
