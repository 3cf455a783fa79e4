/** Smaller bodies are sent before a bar could be drawn. */
const SHOWN_FROM_CHARACTERS = 200_000;

const parseHeaders = (text: string): Headers => {
  const headers = new Headers();
  for (const line of text.trim().split(/[\r\n]+/)) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return headers;
};

/** Statuses that `Response` takes no body with. */
const EMPTY = new Set([204, 205, 304]);

/**
 * `fetch` that says how much of a large body the server has, which browsers reveal only of the older kind of request. The
 * answer is read as it comes, so that streams can be followed.
 *
 * @param onSent share of the body, 0 to 1
 */
export const fetchWithProgress =
  (onSent: (share: number) => void): typeof fetch =>
  (address, init = {}) => {
    const { body, method = 'GET', headers, signal } = init;
    if (typeof body !== 'string' || body.length < SHOWN_FROM_CHARACTERS) return fetch(address, init);
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const request = new XMLHttpRequest();
      const encoder = new TextEncoder();
      let read = 0;
      let answer: ReadableStreamDefaultController<Uint8Array> | undefined;
      const unreachable = () => new TypeError('the server cannot be reached');
      const take = () => {
        const text = request.responseText.slice(read);
        read += text.length;
        if (text !== '') answer?.enqueue(encoder.encode(text));
      };
      const fail = () => {
        answer?.error(unreachable());
        reject(unreachable());
      };
      request.open(method, address instanceof Request ? address.url : address);
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener('progress', ({ loaded, total }) =>
        onSent(total === 0 ? 1 : loaded / total),
      );
      request.addEventListener('readystatechange', () => {
        if (request.readyState !== XMLHttpRequest.HEADERS_RECEIVED || request.status === 0) return;
        const stream = EMPTY.has(request.status)
          ? null
          : new ReadableStream<Uint8Array>({
              start: (controller) => {
                answer = controller;
              },
              cancel: () => request.abort(),
            });
        const { status } = request;
        resolve(new Response(stream, { status, headers: parseHeaders(request.getAllResponseHeaders()) }));
      });
      request.addEventListener('progress', take);
      request.addEventListener('load', () => {
        take();
        answer?.close();
      });
      request.addEventListener('error', fail);
      request.addEventListener('abort', fail);
      signal?.addEventListener('abort', () => request.abort(), { once: true });
      request.send(body);
    });
  };
