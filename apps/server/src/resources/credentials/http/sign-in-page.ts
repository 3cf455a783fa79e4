import type { FastifyReply } from 'fastify';
import { escaped, sendPlainPage } from '../../../http/html.ts';
import type { SignInOutcome } from '../oauth/sign-in.ts';

/** Name of the message and of the channel on which windows of the app hear of a sign-in. */
const MESSAGE = 'credential_sign_in';

/**
 * Tells the other windows of the app, also those that a provider's page has cut off from this one (its
 * `Cross-Origin-Opener-Policy`), and closes.
 */
const SCRIPT = `const told = JSON.parse(document.currentScript.dataset.message);
new BroadcastChannel(told.type).postMessage(told);
if (window.opener) window.opener.postMessage(told, location.origin);
if (told.credentialId) setTimeout(() => window.close(), 50);`;

/** The end of a sign-in, in the window that was opened for it. */
export function sendSignInPage(reply: FastifyReply, outcome: SignInOutcome): FastifyReply {
  const { credential_id, message } = outcome;
  const told = JSON.stringify({
    type: MESSAGE,
    ...(credential_id === undefined ? { message } : { credentialId: credential_id }),
  });
  const text =
    credential_id === undefined ? message : 'The credential is connected. You can close this window.';
  reply.header('Cross-Origin-Opener-Policy', 'unsafe-none');
  return sendPlainPage(reply, credential_id === undefined ? 400 : 200, {
    title: credential_id === undefined ? 'Not connected' : 'Connected',
    body: `<p role="${credential_id === undefined ? 'alert' : 'status'}">${escaped(text)}</p>`,
    script: { code: SCRIPT, message: told },
  });
}
