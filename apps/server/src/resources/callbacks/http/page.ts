import type { FastifyReply } from 'fastify';
import { escaped, sendPlainPage } from '../../../http/html.ts';

export interface CallbackPage {
  readonly title: string;
  readonly text: string;
  /** Words of the button; absent: there is nothing left to decide. */
  readonly button?: string;
}

/** A page for people who have the address of a wait; it says nothing about the workflow but what its node says. */
export function sendCallbackPage(
  reply: FastifyReply,
  status: number,
  { title, text, button }: CallbackPage,
): FastifyReply {
  const paragraphs = text
    .split(/\n+/)
    .filter((line) => line.trim() !== '')
    .map((line) => `<p>${escaped(line)}</p>`)
    .join('');
  const form = button ? `<form method="post"><button class="primary">${escaped(button)}</button></form>` : '';
  // The address is a secret that links in the text must not carry away.
  reply.header('Referrer-Policy', 'no-referrer');
  return sendPlainPage(reply, status, { title, body: paragraphs + form });
}
