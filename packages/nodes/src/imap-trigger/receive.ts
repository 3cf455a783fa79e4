import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { CredentialConfig } from '@millrace/engine/credential';
import type { ImapFlow } from 'imapflow';
import { type ReadingCall, receive } from '../receive.ts';
import { imapTrigger } from './definition.ts';
import { MOST_BYTES, readEmail } from './email.ts';
import { MailNotStored, mailboxName, withMailbox } from './mailbox.ts';

/** Where a mailbox was read to: UIDs mean something only together with their UIDVALIDITY (RFC 9051 section 2.3.1.1). */
interface Cursor extends JsonObject {
  mailbox: string;
  uidvalidity: string;
  /** Last one that started a run, or was there before the trigger. */
  uid: number;
}

function parseCursor(stored: Json): Cursor | undefined {
  if (!isJsonObject(stored)) return undefined;
  const { mailbox, uidvalidity, uid } = stored;
  if (typeof mailbox !== 'string' || typeof uidvalidity !== 'string' || typeof uid !== 'number')
    return undefined;
  return { mailbox, uidvalidity, uid };
}

type Call = Pick<ReadingCall<unknown>, 'cursor' | 'signal' | 'fire' | 'node_id' | 'services'>;

/** The UIDs behind one, in order. `n:*` also names the last mail where there is none behind it, so that is sorted out. */
async function newUids(client: ImapFlow, { uid }: Cursor): Promise<number[]> {
  const found = await client.search({ uid: `${uid + 1}:*` }, { uid: true });
  return (found || []).filter((one) => one > uid).toSorted((a, b) => a - b);
}

/** Starts the run of one mail; undefined when the mail is gone. */
async function fireMail(call: Call, client: ImapFlow, cursor: Cursor) {
  const { uid, uidvalidity, mailbox } = cursor;
  const query = { uid: true, size: true, source: { maxLength: MOST_BYTES } };
  const message = await client.fetchOne(String(uid), query, { uid: true });
  if (!message || !message.source) return undefined;
  const { source, size = source.length } = message;
  const kept: string[] = [];
  const { files, parsers } = call.services;
  const store: typeof files.store = async (file) => {
    const stored = await files.store(file);
    kept.push(stored.id);
    return stored;
  };
  const discardKept = async () => {
    for (const id of kept) await files.discard(id);
  };
  let email: JsonObject;
  try {
    email = await readEmail(
      { files: { ...files, store }, parsers, signal: call.signal },
      { uid, source, size },
    );
  } catch (error) {
    // The next look stores all attachments again. What cannot be discarded now is less important than why the mail was not read.
    await discardKept().catch(() => undefined);
    throw new MailNotStored(error);
  }
  const input = {
    email,
    triggered_by: 'imap',
    trigger_node_id: call.node_id,
    triggered_at: new Date(call.services.now()).toISOString(),
  };
  // When this is rejected the run may still have been stored, so its attachments stay.
  const cause = `${mailbox}:${uidvalidity}:${uid}`;
  const outcome = await call.fire({ cause, input, cursor }).catch((error: unknown) => {
    throw new MailNotStored(error);
  });
  // The run that has the mail has its own copies of the attachments.
  if (outcome.kind !== 'queued') await discardKept();
  return outcome;
}

async function readMailbox(call: Call, client: ImapFlow, mailbox: string): Promise<Json> {
  const box = client.mailbox;
  if (!box) return call.cursor;
  const uidvalidity = String(box.uidValidity);
  const last = box.uidNext - 1;
  let cursor = parseCursor(call.cursor);
  // The first look, another mailbox, or numbers that begin anew: only what comes from now on is news.
  if (cursor?.mailbox !== mailbox || cursor.uidvalidity !== uidvalidity)
    return { mailbox, uidvalidity, uid: last };
  for (const uid of last > cursor.uid ? await newUids(client, cursor) : []) {
    if (call.signal.aborted) break;
    const next: Cursor = { ...cursor, uid };
    const outcome = await fireMail(call, client, next);
    if (outcome?.kind === 'lost') break;
    cursor = next;
  }
  return cursor;
}

/** Waits with IDLE (RFC 2177) for a mail after the cursor. */
async function waitForMail(client: ImapFlow, cursor: Cursor | undefined): Promise<'news' | 'unable'> {
  if (!client.capabilities.has('IDLE')) return 'unable';
  const box = client.mailbox;
  if (!box || !cursor || cursor.uidvalidity !== String(box.uidValidity) || box.uidNext - 1 > cursor.uid)
    return 'news';
  const found = new AbortController();
  const news = new Promise<void>((resolve) => {
    client.on('exists', ({ count, prevCount }) => {
      if (count <= prevCount) return;
      found.abort();
      resolve();
    });
  });
  const ended = new Promise<never>((_, reject) => {
    client.once('close', () => reject(new Error('The mail server closed the connection')));
  });
  const idle = async () => {
    while (!found.signal.aborted) await client.idle();
  };
  await Promise.race([news, idle(), ended]);
  return 'news';
}

/** §6.2. The cursor is stored with each run, so a mail starts one run even if the process dies in between. */
export const receiveImap = receive(imapTrigger, {
  kind: 'poll',
  source: 'imap',
  causes_kept_days: null,
  interval_ms: ({ params }) => params.pollIntervalMinutes * 60_000,
  async poll(call) {
    const { values } = await call.services.credential(call.params.credentialId);
    // Guarantee: only credentials of the type `imap` can be chosen, and others have no host to connect to.
    const config = values as CredentialConfig;
    const caller = { http: call.services.http, signal: call.signal };
    return withMailbox(caller, config, (client) => readMailbox(call, client, mailboxName(config)));
  },
  async watch({ cursor, params, services, signal }) {
    const { values } = await services.credential(params.credentialId);
    const config = values as CredentialConfig;
    return withMailbox({ http: services.http, signal }, config, (client) =>
      waitForMail(client, parseCursor(cursor)),
    );
  },
});
