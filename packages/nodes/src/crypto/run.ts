import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { implement } from '../implement.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { crypto } from './definition.ts';

export const runCrypto = implement(crypto, ({ params }) => {
  const { operation, value, secret, algorithm, length, encoding } = params;
  switch (operation) {
    case 'hash':
      return { output: { value: createHash(algorithm).update(value, 'utf8').digest(encoding) } };
    case 'hmac':
      if (secret === '')
        throw refusedParam('secret', 'is empty; a signature without a secret proves nothing');
      return { output: { value: createHmac(algorithm, secret).update(value, 'utf8').digest(encoding) } };
    case 'random':
      return { output: { value: randomBytes(length).toString(encoding) } };
    case 'uuid':
      return { output: { value: randomUUID() } };
    default:
      return operation satisfies never;
  }
});
