import type { FastifyReply } from 'fastify';
import { escaped, sendPlainPage } from '../../../http/html.ts';
import { type AuthorizationRequest, type Fields, REQUEST_FIELDS } from '../authorize.ts';
import { redirectHost, redirectSource } from '../redirect-uris.ts';

/** For requests whose redirect address cannot be trusted: the problem is shown here instead of sent there. */
export const sendProblemPage = (reply: FastifyReply, problem: string, status = 400): FastifyReply =>
  sendPlainPage(reply, status, { title: 'Authorization failed', body: `<p>${escaped(problem)}</p>` });

export interface Consent {
  readonly request: AuthorizationRequest;
  readonly fields: Fields;
  readonly csrf_token: string;
  /** Who is signed in; absent: the page asks for e-mail address and password. */
  readonly person: { readonly email: string } | undefined;
  /** Name of the MCP server that the client asks for; absent for the default one, and before a person signs in. */
  readonly server_name: string | undefined;
  /** Tools of that server. */
  readonly tools: readonly string[];
  readonly problem?: string;
}

const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`;

/** @param email entered before, with a password that was wrong */
const signIn = (email: string): string =>
  `<label>E-mail address<input name="email" type="email" autocomplete="username" required value="${escaped(email)}"></label>` +
  '<label>Password<input name="password" type="password" autocomplete="current-password" required' +
  `${email === '' ? '' : ' autofocus'}></label>`;

const MOST_TOOLS = 20;

function toolList({ person, tools }: Consent): string {
  if (!person) return '';
  if (tools.length === 0) return '<p>None of your workflows is switched on there yet.</p>';
  const more = tools.length - MOST_TOOLS;
  const items = tools.slice(0, MOST_TOOLS).map((name) => `<li>${escaped(name)}</li>`);
  return `<p>Tools now:</p><ul>${items.join('')}</ul>${more > 0 ? `<p>and ${more} more</p>` : ''}`;
}

const serverText = ({ server_id }: AuthorizationRequest, name: string | undefined): string => {
  if (name !== undefined) return `the MCP server <strong>${escaped(name)}</strong>`;
  return server_id === null ? 'MCP' : 'one of your MCP servers';
};

/** Works without scripts; each value on it is escaped (§5.6). */
export function sendConsentPage(reply: FastifyReply, consent: Consent): FastifyReply {
  const { request, fields, csrf_token, person, server_name, problem } = consent;
  const { client, redirect_uri } = request;
  const repeated = REQUEST_FIELDS.map((name) => {
    const value = fields[name];
    return value === undefined ? '' : hidden(name, value);
  });
  const alert = problem === undefined ? '' : `<p role="alert">${escaped(problem)}</p>`;
  const identity = person
    ? `<p>You are signed in as ${escaped(person.email)}.</p>`
    : signIn(problem === undefined ? '' : (fields['email'] ?? ''));
  const body =
    alert +
    `<p><strong>${escaped(client.name)}</strong> asks to use your workflows as tools. You will be redirected to ` +
    `<strong>${escaped(redirectHost(redirect_uri))}</strong>.<small>The client chose this name itself.</small></p>` +
    `<p>It can list the workflows that you have switched on for ${serverText(request, server_name)}, now and later, run them ` +
    'on your behalf, and read their descriptions, analysis documents and results. ' +
    (request.server_id === null ? 'It can read the templates that you can see. ' : '') +
    'It cannot change workflows or see your credentials. You can revoke access in your settings at any time.</p>' +
    toolList(consent) +
    `<form method="post" action="/authorize">${repeated.join('')}${hidden('csrf_token', csrf_token)}` +
    identity +
    '<button class="primary" name="decision" value="allow">Allow</button>' +
    '<button name="decision" value="deny" formnovalidate>Deny</button></form>';
  const status = problem === undefined ? 200 : 400;
  return sendPlainPage(reply, status, {
    title: 'Allow access to your workflows?',
    body,
    form_targets: redirectSource(redirect_uri),
  });
}
