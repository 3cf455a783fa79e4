/** The token of `Authorization: Bearer`; the scheme is matched in any case (RFC 9110 section 11.1). */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length < 8) return undefined;
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  const token = authorization.slice(7).trim();
  return token === '' || token.includes(' ') ? undefined : token;
}
