import { createHash } from 'node:crypto';
import type { SendMailOptions } from 'nodemailer';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { readCredential } from '../kit/integration/run-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { parseAttachments } from './attachments.ts';
import { smtpCredential } from './credential.ts';
import { sendEmail } from './definition.ts';
import { buildContent } from './mail-text.ts';
import { parseRecipients } from './recipients.ts';
import { requireSender, testSmtp, withTransport } from './smtp.ts';

type Call = NodeCall<z.output<typeof sendEmail.params>>;

export const runSendEmail = implement(
  sendEmail,
  async (call) => {
    const { services } = call;
    const message = buildMessage(call);
    const config = await readCredential(call, smtpCredential);
    const from = requireSender(config);
    const { rejected } = await withTransport(
      { http: services.http, signal: call.signal },
      config,
      (transport) =>
        transport.sendMail({ ...message, from, messageId: messageId(call.idempotency_key, from) }),
    );
    if (rejected.length > 0) services.log('warn', `refused by the mail server: ${rejected.join(', ')}`);
    return { output: buildOutput(call, message, messageId(call.idempotency_key, from)) };
  },
  { connections: { smtp: ({ caller, config }) => testSmtp(caller, config) } },
);

function buildMessage({ params }: Call) {
  const message = {
    to: parseRecipients('to', params.to),
    cc: parseRecipients('cc', params.cc),
    bcc: parseRecipients('bcc', params.bcc),
    subject: params.subject,
    ...buildContent(params.emailBody),
    attachments: parseAttachments(params.attachments),
  } satisfies SendMailOptions;
  if (message.to.length + message.cc.length + message.bcc.length > 0) return message;
  throw refusedParam('to', 'is empty; enter at least one recipient or check the expression');
}

function buildOutput({ params }: Call, { attachments }: ReturnType<typeof buildMessage>, message_id: string) {
  return {
    status: 'sent',
    to: params.to,
    subject: params.subject,
    ...(params.cc === '' ? {} : { cc: params.cc }),
    ...(params.bcc === '' ? {} : { bcc: params.bcc }),
    ...(attachments.length === 0 ? {} : { attachment_count: attachments.length }),
    message_id,
  };
}

/** The same for every repetition, so that servers and mail programs can drop a second copy (RFC 5322 section 3.6.4). */
function messageId(key: string, from: string): string {
  const domain = /@([^>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return `<${createHash('sha256').update(key).digest('hex').slice(0, 32)}@${domain}>`;
}
