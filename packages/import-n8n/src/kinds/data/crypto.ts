import { type JsonObject, readText } from '@millrace/engine';
import { isTemplate } from '../../expression/field.ts';
import type { SourceNode } from '../../source/source.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';

const ALGORITHMS: Readonly<Record<string, string>> = {
  MD5: 'md5',
  SHA1: 'sha1',
  SHA256: 'sha256',
  SHA384: 'sha384',
  SHA512: 'sha512',
};

const cryptoView = ({ parameters }: SourceNode) => {
  const name = readText(parameters['dataPropertyName']) || 'data';
  return { adds: [name], renamed: { [name]: 'value' } };
};

/** Two hexadecimal digits are one byte. */
function generate({ params }: Target): JsonObject {
  const encoding = params.text('encodingType', 'uuid');
  if (encoding === 'uuid') return { operation: 'uuid' };
  if (isTemplate(params.text('stringLength'))) throw new NotConvertible('its length is an expression');
  const length = params.number('stringLength', 32);
  if (length <= 0) throw new NotConvertible('it generates text without characters');
  if (encoding !== 'hex' || length % 2 !== 0)
    throw new NotConvertible('it generates other text than UUIDs and hexadecimal digits in pairs');
  return { operation: 'random', length: length / 2, encoding: 'hex' };
}

export const crypto: Kind = {
  view: cryptoView,
  convert: (_, to) => {
    const { params } = to;
    const action = params.text('action', 'hash');
    params.get('dataPropertyName');
    if (action === 'generate') {
      return { type: 'crypto', data: generate(to) };
    }
    if (action !== 'hash' && action !== 'hmac')
      throw new NotConvertible(`the action "${action}" has no equal here`);
    if (params.flag('binaryData')) throw new NotConvertible('it hashes a file');
    const type = params.text('type', 'MD5');
    const algorithm = Object.hasOwn(ALGORITHMS, type) ? ALGORITHMS[type] : undefined;
    if (algorithm === undefined) throw new NotConvertible(`the algorithm "${type}" has no equal here`);
    if (action === 'hmac' && params.text('secret') !== '') to.say('Enter the secret again', 'secret');
    return {
      type: 'crypto',
      data: {
        operation: action,
        value: to.template(params.text('value'), 'value'),
        algorithm,
        encoding: params.text('encoding', 'hex'),
      },
    };
  },
};
