import { expect, test } from 'vitest';
import { buildOutgoing } from './outgoing.ts';

test.each([
  ['as text', '{"tries": 2, "id": 9007199254740993}', { tries: 2, id: '9007199254740993' }],
  ['as an object', { tries: 2 }, { tries: 2 }],
  ['that are empty', '', {}],
])('headers %s are sent with all digits of their whole numbers', (_, rabbitmqHeaders, headers) => {
  const params = { rabbitmqQueueName: 'q', rabbitmqExchange: '', rabbitmqRoutingKey: '', rabbitmqHeaders };
  expect(buildOutgoing(params, 'm').headers).toEqual(headers);
});
