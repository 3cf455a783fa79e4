import type { FastifyRequest } from 'fastify';
import type { Fields } from '../authorize.ts';
import type { ClientProof } from '../clients.ts';
import { OauthError } from '../oauth-error.ts';

const LONGEST_VALUE = 4000;

/** @throws OauthError for a parameter that comes twice (RFC 6749 section 3.1) */
function single(entries: Iterable<readonly [string, unknown]>): Fields {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of entries) {
    if (Object.hasOwn(fields, name) || typeof value !== 'string')
      throw new OauthError('invalid_request', 'A parameter is given twice');
    if (value.length > LONGEST_VALUE) throw new OauthError('invalid_request', 'A parameter is too long');
    fields[name] = value;
  }
  return fields;
}

export const queryFields = ({ query }: FastifyRequest): Fields =>
  single(Object.entries(query as Record<string, unknown>));

export function formFields({ headers }: FastifyRequest, bytes: Buffer): Fields {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw new OauthError('invalid_request', 'Send the parameters as application/x-www-form-urlencoded');
  return single(new URLSearchParams(bytes.toString('utf8')));
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** RFC 6749 section 2.3.1: Basic, else form fields; never both. */
export function clientProof({ headers }: FastifyRequest, fields: Fields): ClientProof {
  const { client_id, client_secret } = fields;
  const basic = /^basic +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (basic === undefined) return { client_id, client_secret };
  if (client_secret !== undefined)
    throw new OauthError(
      'invalid_request',
      'Send the client secret in the header or in the form, not in both',
    );
  const [id = '', ...rest] = Buffer.from(basic, 'base64').toString('utf8').split(':');
  return { client_id: formDecoded(id), client_secret: formDecoded(rest.join(':')) };
}
