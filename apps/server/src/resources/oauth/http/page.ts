import type { FastifyReply } from 'fastify';
import { escaped, PLAIN_PAGE_STYLE } from '../../../http/html.ts';
import { type AuthorizationRequest, type Fields, REQUEST_FIELDS } from '../authorize.ts';
import { redirectHost, redirectSource } from '../redirect-uris.ts';

/** Neither scripts nor frames; the form leads here, and from here to the client (browsers look at both). */
const policy = (targets: string): string =>
  `default-src 'none'; style-src 'unsafe-inline'; form-action 'self' ${targets}; base-uri 'none'; frame-ancestors 'none'`;

const FIELD =
  'font:inherit;display:block;width:100%;box-sizing:border-box;padding:.5rem;margin:.25rem 0 1rem';
const BUTTON = 'font:inherit;padding:.5rem 1.25rem;margin-right:.5rem';

function sendPage(
  reply: FastifyReply,
  status: number,
  { title, body, targets = '' }: { title: string; body: string; targets?: string },
): FastifyReply {
  return reply
    .code(status)
    .header('Content-Security-Policy', policy(targets))
    .header('Cache-Control', 'no-store')
    .header('X-Robots-Tag', 'noindex, nofollow')
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<title>${escaped(title)}</title></head><body style="${PLAIN_PAGE_STYLE}"><main><h1>${escaped(title)}</h1>` +
        `${body}</main></body></html>`,
    );
}

/** Nothing may be sent to a client that is not known, so the person is told. */
export const sendProblemPage = (reply: FastifyReply, problem: string): FastifyReply =>
  sendPage(reply, 400, { title: 'This sign-in cannot continue', body: `<p>${escaped(problem)}</p>` });

export interface Consent {
  readonly request: AuthorizationRequest;
  readonly fields: Fields;
  readonly csrf_token: string;
  /** Who is signed in; absent: the page asks for e-mail address and password. */
  readonly person: { readonly email: string } | undefined;
  /** Tools of that person. */
  readonly tools: readonly string[];
  readonly problem?: string;
}

const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`;

const SIGN_IN =
  `<label>E-mail address<input name="email" type="email" autocomplete="username" required style="${FIELD}"></label>` +
  `<label>Password<input name="password" type="password" autocomplete="current-password" required style="${FIELD}"></label>`;

const MOST_TOOLS = 20;

function toolList({ person, tools }: Consent): string {
  if (!person) return '';
  if (tools.length === 0) return '<p>None of your workflows is switched on for MCP yet.</p>';
  const more = tools.length - MOST_TOOLS;
  const items = tools.slice(0, MOST_TOOLS).map((name) => `<li>${escaped(name)}</li>`);
  return `<p>Tools now:</p><ul>${items.join('')}</ul>${more > 0 ? `<p>and ${more} more</p>` : ''}`;
}

/** Works without scripts; each value on it is escaped (§5.6). */
export function sendConsentPage(reply: FastifyReply, consent: Consent): FastifyReply {
  const { request, fields, csrf_token, person, problem } = consent;
  const { client, redirect_uri } = request;
  const repeated = REQUEST_FIELDS.map((name) => {
    const value = fields[name];
    return value === undefined ? '' : hidden(name, value);
  });
  const alert = problem === undefined ? '' : `<p role="alert"><strong>${escaped(problem)}</strong></p>`;
  const identity = person ? `<p>You are signed in as ${escaped(person.email)}.</p>` : SIGN_IN;
  const body =
    alert +
    `<p><strong>${escaped(client.name)}</strong> wants to use your workflows as tools. It will be sent to ` +
    `<strong>${escaped(redirectHost(redirect_uri))}</strong>. Its name is what it says of itself.</p>` +
    `<p>It may list the workflows that you have switched on for MCP, now and later, run them in your name, and read their ` +
    `results. It may neither change workflows nor see your credentials. You can take this back at any time.</p>` +
    toolList(consent) +
    `<form method="post" action="/authorize">${repeated.join('')}${hidden('csrf_token', csrf_token)}` +
    identity +
    `<button name="decision" value="allow" style="${BUTTON}">Allow</button>` +
    `<button name="decision" value="deny" formnovalidate style="${BUTTON}">Deny</button></form>`;
  const status = problem === undefined ? 200 : 400;
  return sendPage(reply, status, { title: 'Let a client in', body, targets: redirectSource(redirect_uri) });
}
