import { createHash, createHmac } from 'node:crypto';
import type { EgressRequest } from '../../services.ts';

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/**
 * The problem with the signature of a request; undefined when it is good. AWS Signature Version 4, written from
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signatureProblem({ method, url, headers, body }: EgressRequest, secret: string) {
  const { host, pathname, search } = new URL(url);
  const values = new Map(headers.map(([name, value]) => [name.toLowerCase(), value.trim()]));
  values.set('host', host);
  const form =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
  const [, day = '', region = '', signed = '', signature] =
    form.exec(values.get('authorization') ?? '') ?? [];
  if (signature === undefined) return 'there is no signature';
  const names = signed.split(';');
  const unsigned = [...values.keys()].filter((name) => /^(host$|x-amz-)/.test(name) && !names.includes(name));
  if (unsigned.length > 0) return `not signed: ${unsigned.join(', ')}`;
  const content = values.get('x-amz-content-sha256') ?? '';
  if (typeof body === 'object' && 'open' in body) return 'the body is sent in pieces';
  if (content !== 'UNSIGNED-PAYLOAD' && content !== sha256(body ?? ''))
    return 'the body is not the signed one';
  const query = search.slice(1).split('&').filter(Boolean).sort().join('&');
  const lines = names.map((name) => `${name}:${values.get(name) ?? ''}\n`).join('');
  const canonical = [method, pathname, query, lines, signed, content].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', values.get('x-amz-date'), scope, sha256(canonical)].join('\n');
  const key = [region, 's3', 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${secret}`, day));
  return hmac(key, text).toString('hex') === signature ? undefined : 'the signature does not match';
}
