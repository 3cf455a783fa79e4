import { createHmac } from 'node:crypto';
import { NodeFailure } from '@millrace/engine';
import { readConfigText } from '@millrace/engine/credential';
import type { z } from 'zod';
import { isSame, isSameHeader, readHeader, refuse } from '../kit/triggers/webhook-trigger.ts';
import type { TriggerCall, WebhookHead, WebhookReception, WebhookRequest } from '../receive.ts';
import type { Credential } from '../services.ts';
import type { webhookTrigger } from './definition.ts';

type Params = z.output<(typeof webhookTrigger)['params']>;
export type Call = TriggerCall<Params>;

const TYPE_OF = { header: 'header', basic: 'basic_auth', hmac: 'webhook_secret' } as const;

/**
 * The credential that calls have to prove; undefined when nothing was asked for. A credential that is there without a
 * way to check it is an incomplete setting: it lets nothing in.
 */
export async function resolveCredential({ params, services }: Call): Promise<Credential | undefined> {
  const { authentication, credentialId } = params;
  if (authentication === 'none' && credentialId === '') return undefined;
  const credential = await services.credential(credentialId);
  if (authentication !== 'none' && credential.type === TYPE_OF[authentication]) return credential;
  const message = 'The credential does not fit the authentication of the trigger';
  throw new NodeFailure({ kind: 'credential', message, field: 'credentialId', final: true });
}

const isHeader = (head: WebhookHead, { values }: Credential): boolean => {
  const name = readConfigText(values, 'header_key') || 'authorization';
  return isSameHeader(readHeader(head, name.toLowerCase()), readConfigText(values, 'header_value'));
};

const BASIC = /^basic +([A-Za-z0-9+/=]+)$/i;

function isBasic(head: WebhookHead, { values }: Credential): boolean {
  const given = BASIC.exec(readHeader(head, 'authorization'))?.[1] ?? '';
  const wanted = `${readConfigText(values, 'username')}:${readConfigText(values, 'password')}`;
  return isSame(Buffer.from(given, 'base64'), Buffer.from(wanted));
}

/** Whether the headers prove it already; a refusal is decided before anything of the body is read. */
export function refusalOfHead(
  head: WebhookHead,
  credential: Credential | undefined,
): WebhookReception | undefined {
  switch (credential?.type) {
    case 'header':
      return isHeader(head, credential) ? undefined : refuse(401, 'The header is missing or wrong');
    case 'basic_auth': {
      if (isBasic(head, credential)) return undefined;
      const refused = refuse(401, 'The user name or the password is missing or wrong');
      const headers = { 'WWW-Authenticate': 'Basic realm="webhook", charset="UTF-8"' };
      return { answer: { ...refused.answer, headers } };
    }
    default:
      return undefined;
  }
}

/**
 * The HMAC of the raw body as hexadecimal or base64 text, alone or behind the name of its algorithm as in `sha256=...`: the
 * forms that services document. Each comparison takes the same time regardless of what differs.
 */
export function isSigned(request: WebhookRequest, { params }: Call, { values }: Credential): boolean {
  const { signatureAlgorithm: algorithm, signatureHeader } = params;
  const secret = readConfigText(values, 'secret');
  const given = readHeader(request, signatureHeader.trim().toLowerCase()).trim();
  const digest = createHmac(algorithm, secret).update(request.body).digest();
  const bare = given.startsWith(`${algorithm}=`) ? given.slice(algorithm.length + 1) : given;
  const isHex = isSame(bare.toLowerCase(), digest.toString('hex'));
  const isBase64 = isSame(bare, digest.toString('base64'));
  return secret !== '' && (isHex || isBase64);
}
