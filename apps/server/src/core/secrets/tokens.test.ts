import { createHmac, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  accessToken,
  executionToken,
  refreshToken,
  signToken,
  type TokenKind,
  verifyToken,
} from './tokens.ts';

const secret = 'a secret of the application';
const NOW = 1_800_000_000_000;
const exp = NOW / 1000 + 600;
const sub = '11111111-1111-4111-8111-111111111111';
const sid = '22222222-2222-4222-8222-222222222222';
const jti = '33333333-3333-4333-8333-333333333333';
const wid = '44444444-4444-4444-8444-444444444444';

const CLAIMS: Record<string, Record<string, unknown> & { exp: number }> = {
  access: { sub, sid, type: 'access', exp },
  refresh: { sub, sid, jti, type: 'refresh', exp },
  execution: { sub, wid, scope: 'workflow:execute', jti, exp },
};
const KINDS: TokenKind<Record<string, unknown>>[] = [accessToken, refreshToken, executionToken];
const getClaims = (kind: TokenKind<Record<string, unknown>>) => CLAIMS[kind.name] ?? { exp };
const verify = (kind: TokenKind<Record<string, unknown>>, token: unknown, now = NOW) =>
  verifyToken(kind, token, { secret, now });

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signRaw = (header: unknown, payload: unknown, key = secret) => {
  const text = `${base64(header)}.${base64(payload)}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
};

describe('every token kind has a verifier of its own', () => {
  for (const issued of KINDS) {
    for (const asked of KINDS) {
      const passes = issued === asked;
      it(`§5.2 rule 3: the ${asked.name} verifier ${passes ? 'accepts' : 'refuses'} an ${issued.name} token`, async () => {
        const token = await signToken(issued, getClaims(issued), secret);
        expect(await verify(asked, token)).toEqual(passes ? getClaims(issued) : undefined);
      });
    }
  }

  for (const kind of KINDS) {
    describe(`${kind.name} verifier`, () => {
      const claims = getClaims(kind);

      it('refuses what is no text, empty, huge or no token', async () => {
        for (const token of [undefined, null, '', 'x', 'a.b.c', {}, [], [''], 5, true, 'x'.repeat(100_000)]) {
          expect(await verify(kind, token)).toBeUndefined();
        }
      });

      it('refuses a list that holds a good token', async () => {
        expect(await verify(kind, [await signToken(kind, claims, secret)])).toBeUndefined();
      });

      it('refuses an expired token, to the second', async () => {
        const token = await signToken(kind, claims, secret);
        expect(await verify(kind, token, exp * 1000 - 1)).toBeDefined();
        expect(await verify(kind, token, exp * 1000)).toBeUndefined();
      });

      it('refuses a token without an expiry or with one that is no number', async () => {
        const { exp: _, ...rest } = claims;
        for (const payload of [
          rest,
          { ...rest, exp: null },
          { ...rest, exp: '99999999999' },
          { ...rest, exp: [exp] },
        ]) {
          expect(await verify(kind, signRaw({ alg: 'HS256' }, payload))).toBeUndefined();
        }
      });

      it('refuses a token that is not valid yet', async () => {
        expect(await verify(kind, signRaw({ alg: 'HS256' }, { ...claims, nbf: exp - 1 }))).toBeUndefined();
      });

      it('refuses every other algorithm: none, other HMACs, RSA', async () => {
        const unsigned = `${base64({ alg: 'none' })}.${base64(claims)}.`;
        expect(await verify(kind, unsigned)).toBeUndefined();
        expect(await verify(kind, unsigned.slice(0, -1))).toBeUndefined();
        for (const alg of ['HS384', 'HS512']) {
          const token = await new SignJWT(claims)
            .setProtectedHeader({ alg })
            .sign(new TextEncoder().encode(secret.padEnd(64, secret)));
          expect(await verify(kind, token)).toBeUndefined();
        }
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
        const rsa = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
        expect(await verify(kind, rsa)).toBeUndefined();
        expect(await verify(kind, signRaw({ alg: 'RS256' }, claims))).toBeUndefined();
        expect(await verify(kind, signRaw({ alg: 'none' }, claims))).toBeUndefined();
      });

      it('refuses a token that another secret signed', async () => {
        expect(await verify(kind, signRaw({ alg: 'HS256' }, claims, 'another'))).toBeUndefined();
        expect(await verify(kind, signRaw({ alg: 'HS256' }, claims, ''))).toBeUndefined();
      });

      it('refuses a changed payload, a changed signature and a payload that is no object', async () => {
        const token = await signToken(kind, claims, secret);
        const [header, , signature] = token.split('.');
        expect(
          await verify(kind, `${header}.${base64({ ...claims, sub: wid })}.${signature}`),
        ).toBeUndefined();
        expect(
          await verify(kind, `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`),
        ).toBeUndefined();
        for (const payload of [null, [], 'text', 5]) {
          expect(await verify(kind, signRaw({ alg: 'HS256' }, payload))).toBeUndefined();
        }
      });

      it('refuses a token with a claim too many, one too few, or one that is null, empty or a list', async () => {
        const signed = (payload: unknown) => signRaw({ alg: 'HS256', typ: 'JWT' }, payload);
        expect(await verify(kind, signed(claims))).toEqual(claims);
        expect(await verify(kind, signed({ ...claims, admin: true }))).toBeUndefined();
        for (const name of Object.keys(claims)) {
          const { [name]: value, ...rest }: Record<string, unknown> = claims;
          for (const payload of [
            rest,
            { ...rest, [name]: null },
            { ...rest, [name]: '' },
            { ...rest, [name]: [value] },
          ]) {
            expect(await verify(kind, signed(payload))).toBeUndefined();
          }
        }
      });
    });
  }
});

describe('an execution token', () => {
  it('§2.4: has exactly the claims sub, wid, scope, jti and exp', async () => {
    const token = await signToken(executionToken, { sub, wid, scope: 'workflow:execute', jti, exp }, secret);
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(payload).toEqual({ sub, wid, scope: 'workflow:execute', jti, exp });
  });

  it('§8.3: may expire in ten years', async () => {
    const claims = { sub, wid, scope: 'workflow:execute', jti, exp: NOW / 1000 + 315_360_000 } as const;
    expect(await verify(executionToken, await signToken(executionToken, claims, secret))).toEqual(claims);
  });
});
