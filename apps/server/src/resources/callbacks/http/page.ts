import type { FastifyReply } from 'fastify';
import { escaped, PLAIN_PAGE_STYLE as STYLE } from '../../../http/html.ts';

/** No script, no style sheet, no frame, and the form goes to our own origin only. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export interface CallbackPage {
  readonly title: string;
  readonly text: string;
  /** Words of the button; absent: there is nothing left to decide. */
  readonly button?: string;
}

/** A page for people who have the address of a wait; it says nothing about the workflow but what its node says. */
export function sendCallbackPage(reply: FastifyReply, status: number, page: CallbackPage): FastifyReply {
  const title = escaped(page.title);
  const paragraphs = page.text
    .split(/\n+/)
    .filter((line) => line.trim() !== '')
    .map((line) => `<p>${escaped(line)}</p>`)
    .join('');
  const form = page.button
    ? `<form method="post"><button style="font:inherit;padding:.5rem 1.25rem">${escaped(page.button)}</button></form>`
    : '';
  return reply
    .code(status)
    .header('Content-Security-Policy', POLICY)
    .header('Referrer-Policy', 'no-referrer')
    .header('Cache-Control', 'no-store')
    .header('X-Robots-Tag', 'noindex, nofollow')
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<title>${title}</title></head><body style="${STYLE}"><main><h1>${title}</h1>${paragraphs}${form}</main></body></html>`,
    );
}
