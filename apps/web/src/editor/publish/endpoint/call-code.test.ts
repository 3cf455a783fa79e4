import { describe, expect, it } from 'vitest';
import { asCurl, asJavaScript, asPython, buildCall } from './call-code.ts';

const workflow = {
  id: 'w',
  http_method: 'POST',
  auth_type: 'jwt',
  auth_header_key: null,
  sse_enabled: false,
} as const;
const request = {
  base_url: 'https://x.test',
  workflow,
  body: { name: "O'Hara" },
  token: 't',
  header_value: undefined,
};

describe('the call of a workflow', () => {
  it('quotes the body so that a shell sends it as it is', () => {
    expect(asCurl(buildCall(request))).toContain(`-d '{"name":"O'\\''Hara"}'`);
    expect(asCurl(buildCall(request))).toContain("-H 'Authorization: Bearer t'");
  });

  it('puts inputs into the query where the verb carries no body (§4.1)', () => {
    const call = buildCall({
      ...request,
      workflow: { ...workflow, http_method: 'GET' },
      body: { a: 1, b: 'x y' },
    });
    expect(call).toMatchObject({ url: 'https://x.test/api/workflows/w/execute?a=1&b=x+y', body: undefined });
  });

  it('calls the stream with the header that it needs', () => {
    const call = buildCall({ ...request, workflow: { ...workflow, sse_enabled: true } });
    expect(call.url).toBe('https://x.test/api/workflows/w/execute/stream');
    expect(call.headers['Accept']).toBe('text/event-stream');
  });

  it('sends the header of header_auth', () => {
    const call = buildCall({
      ...request,
      workflow: { ...workflow, auth_type: 'header_auth', auth_header_key: 'X-Key' },
      header_value: 'v',
    });
    expect(call.headers).toMatchObject({ 'X-Key': 'v' });
  });

  it('writes the same call in other languages', () => {
    expect(asJavaScript(buildCall(request))).toContain('"method": "POST"');
    expect(asPython(buildCall(request))).toContain('urllib.request.Request');
  });
});
