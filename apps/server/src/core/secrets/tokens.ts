import { createHash } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

/**
 * One kind of signed token. All kinds share the application's secret (§5.2 rule 3), so what keeps them apart is that
 * each has a claim of its own and that a verifier accepts exactly the claims of its kind, no more and no fewer.
 */
export interface TokenKind<Claims extends Record<string, unknown>> {
  readonly name: string;
  readonly claims: z.ZodType<Claims>;
}

type Verified<Claims> = Claims & { readonly exp: number };

const LONGEST_TOKEN = 4096;
const exp = z.number().int().positive();

/** §5.3: opens the service for one user and one session. */
export const accessToken = {
  name: 'access',
  claims: z.strictObject({ sub: z.uuid(), sid: z.uuid(), type: z.literal('access'), exp }),
} satisfies TokenKind<Record<string, unknown>>;

/** §5.3: is exchanged once for new tokens of its session. */
export const refreshToken = {
  name: 'refresh',
  claims: z.strictObject({
    sub: z.uuid(),
    sid: z.uuid(),
    jti: z.uuid(),
    type: z.literal('refresh'),
    exp,
  }),
} satisfies TokenKind<Record<string, unknown>>;

/** §2.4: calls one workflow in the name of its maker. */
export const executionToken = {
  name: 'execution',
  claims: z.strictObject({
    sub: z.uuid(),
    wid: z.uuid(),
    scope: z.literal('workflow:execute'),
    jti: z.uuid(),
    exp,
  }),
} satisfies TokenKind<Record<string, unknown>>;

/** §5.6: sends messages to one open event stream; used in its address in place of the key. */
export const mcpSessionToken = {
  name: 'mcp session',
  claims: z.strictObject({
    sub: z.uuid(),
    /** The open stream. */
    sid: z.uuid(),
    /** The credential that the stream was opened with; the token is worth nothing without it. */
    via: z.enum(['mcp_key', 'oauth_grant']),
    cid: z.uuid(),
    type: z.literal('mcp_session'),
    exp,
  }),
} satisfies TokenKind<Record<string, unknown>>;

/** Confirms one change that the assistant proposed, once; its arguments come back beside it. */
export const assistantConfirmation = {
  name: 'assistant confirmation',
  claims: z.strictObject({
    sub: z.uuid(),
    tool: z.string(),
    /** SHA-256 of the arguments. */
    digest: z.string(),
    jti: z.uuid(),
    type: z.literal('assistant_confirmation'),
    exp,
  }),
} satisfies TokenKind<Record<string, unknown>>;

const encodeKey = (secret: string): Uint8Array => new TextEncoder().encode(secret);

/** Signs claims with HS256; `exp` is in epoch seconds. */
export function signToken<Claims extends Record<string, unknown>>(
  _kind: TokenKind<Claims>,
  claims: Verified<Claims>,
  secret: string,
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(encodeKey(secret));
}

export interface VerifyOptions {
  readonly secret: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The claims of a token of this kind; undefined when it is forged, expired, of another kind or no token at all. */
export async function verifyToken<Claims extends Record<string, unknown>>(
  kind: TokenKind<Claims>,
  token: unknown,
  { secret, now }: VerifyOptions,
): Promise<Claims | undefined> {
  if (typeof token !== 'string' || token === '' || token.length > LONGEST_TOKEN) return undefined;
  try {
    const { payload } = await jwtVerify(token, encodeKey(secret), {
      algorithms: ['HS256'],
      requiredClaims: ['exp'],
      currentDate: new Date(now),
    });
    return kind.claims.safeParse(payload).data;
  } catch {
    return undefined;
  }
}

/** SHA-256 in hex: what is stored or used as a cache key instead of the token itself. */
export const tokenDigest = (token: string): string => createHash('sha256').update(token).digest('hex');
