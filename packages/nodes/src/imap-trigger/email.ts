import { isBlockedKey, isLasting, type JsonObject, NodeFailure } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { Address, Attachment, Email } from 'postal-mime';
import { yieldOnce } from '../kit/files/yield-once.ts';
import type { TriggerServices } from '../receive.ts';

/** A mail as it was read. */
export interface RawMail {
  readonly uid: number;
  /** Cut off at `MOST_BYTES`. */
  readonly source: Uint8Array;
  /** Bytes of the whole mail. */
  readonly size: number;
}

/** The most that is read of a mail; most servers accept no larger ones. */
export const MOST_BYTES = 40 * MEGABYTE;
const MOST_ATTACHMENTS = 200;

interface Sender extends JsonObject {
  name: string;
  email: string;
}

const toSenders = (list: readonly Address[] = []): Sender[] =>
  list
    .flatMap((address) => (address.group ? address.group : [address]))
    .map(({ name, address }) => ({ name, email: address }));

const formatSenders = (list: readonly Sender[]): string =>
  list.map(({ name, email }) => (name === '' ? email : `${name} <${email}>`)).join(', ');

function collectHeaders({ headers }: Email): JsonObject {
  const found = new Map<string, string>();
  for (const { key, value } of headers) {
    if (isBlockedKey(key)) continue;
    const before = found.get(key);
    found.set(key, before === undefined ? value : `${before}\n${value}`);
  }
  return Object.fromEntries(found);
}

const toBytes = ({ content }: Attachment): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);

interface Reading extends Pick<TriggerServices, 'files' | 'parsers'> {
  readonly signal: AbortSignal;
}

/** Into the file store, by reference; one that is too large is named and not kept. */
async function storedAttachment(
  files: TriggerServices['files'],
  attachment: Attachment,
): Promise<JsonObject> {
  const bytes = toBytes(attachment);
  const filename = attachment.filename ?? 'attachment';
  const shown = { filename, content_type: attachment.mimeType, size_bytes: bytes.length };
  if (bytes.length > files.max_bytes) return { ...shown, file: null, too_large: true };
  const { id, download_url } = await files.store({ filename, body: yieldOnce(bytes) });
  return { ...shown, file: { id, download_url } };
}

/** A slow mail counts as a broken one: the next poll would take as long. */
async function parsed({ parsers, signal }: Reading, source: Uint8Array): Promise<Email | undefined> {
  try {
    return await parsers.run('mail', [source], { what: 'The mail', signal });
  } catch (error) {
    if (error instanceof NodeFailure && isLasting(error)) return undefined;
    throw error;
  }
}

/**
 * A mail as a run receives it (§6.2). One that cannot be taken apart, or of which only a part was read, says so in `problem` and
 * holds what could be read: it must not keep those behind it from being delivered.
 */
export async function readEmail(reading: Reading, { uid, source, size }: RawMail): Promise<JsonObject> {
  const { files } = reading;
  const mail = await parsed(reading, source);
  if (!mail) return { uid, size_bytes: size, problem: 'The mail cannot be taken apart', attachments: [] };
  const from = toSenders(mail.from ? [mail.from] : []);
  const [to, cc, replyTo] = [toSenders(mail.to), toSenders(mail.cc), toSenders(mail.replyTo)];
  const isWhole = size <= source.length;
  const attachments: JsonObject[] = [];
  // The last part of a mail that was cut off is not a complete attachment.
  for (const attachment of isWhole ? mail.attachments.slice(0, MOST_ATTACHMENTS) : [])
    attachments.push(await storedAttachment(files, attachment));
  return {
    uid,
    subject: mail.subject ?? '',
    from: formatSenders(from),
    fromAddresses: from,
    to: formatSenders(to),
    toAddresses: to,
    cc: formatSenders(cc),
    ccAddresses: cc,
    replyTo: formatSenders(replyTo),
    replyToAddresses: replyTo,
    date: mail.date ?? null,
    messageId: mail.messageId ?? null,
    text: mail.text ?? '',
    html: mail.html ?? '',
    attachments,
    headers: collectHeaders(mail),
    size_bytes: size,
    ...(isWhole
      ? {}
      : { problem: `The mail is larger than ${MOST_BYTES} bytes; its attachments were not read` }),
  };
}
