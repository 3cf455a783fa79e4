/** Headers of the basic scheme, in UTF-8 (RFC 7617 section 2.1). */
export function basic(user: string, password: string): Readonly<Record<string, string>> {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}
