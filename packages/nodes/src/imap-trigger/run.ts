import { implement } from '../implement.ts';
import { triggerOutput } from '../kit/triggers/webhook-trigger.ts';
import { imapTrigger } from './definition.ts';
import { testMailbox } from './mailbox.ts';

export const runImapTrigger = implement(
  imapTrigger,
  ({ run_input }) => ({ output: triggerOutput(run_input, ['email', 'triggered_at']) }),
  { connections: { imap: ({ caller, config }) => testMailbox(caller, config) } },
);
