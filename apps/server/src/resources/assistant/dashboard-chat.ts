import type { dashboardChat, Received } from '@millrace/contracts';
import type { ModelMessage } from '@millrace/models';
import type { Context, Services } from '../../services.ts';
import { readMe } from '../auth/service.ts';
import { requireModel } from '../open-model.ts';
import { readAttachment } from './attachment.ts';
import { takeConfirmation } from './conversation/decided.ts';
import { buildQuestion, instructions } from './conversation/messages.ts';
import { CHANGING_TOOLS } from './tools/changes.ts';
import { NODE_TYPE_TOOLS } from './tools/node-types.ts';
import { READING_TOOLS } from './tools/read.ts';
import type { PreparedTurn } from './turn.ts';

type Body = Received<typeof dashboardChat>['body'];

const ROLE =
  'You are the assistant of Millrace, a service that runs workflows. You help the user with their own workflows, runs, ' +
  'schedules, triggers, variables and files. Answer in the language of the user, briefly, in Markdown. Look things up with ' +
  'your tools instead of guessing; ids come from the lists. Name workflows by their name, not by their id.';

const CHANGES =
  'Tools that change or start something show the user a card to confirm. Call them directly when the user ' +
  'asks for it; do not ask again in words, and never say that something was done before its result says so.';

const DOCUMENTATION =
  'You are the assistant of the documentation of Millrace, a service that runs workflows. Explain how things are done with ' +
  'it, in the language of the user, briefly, in Markdown. Read about nodes with your tools instead of guessing.';

/** One turn of the chat (trigger source `dashboard_chat`, §6.3). Refuses what cannot begin. */
export async function prepareDashboardChat(
  ctx: Context,
  services: Services,
  body: Body,
): Promise<PreparedTurn> {
  const model = await requireModel(ctx, body);
  const reading = { parsers: services.parsers, owner: ctx.actor.user_id };
  const attached = body.attachment ? await readAttachment(reading, body.attachment) : undefined;
  const isDocumentation = body.chat_surface === 'documentation';
  const rules = body.user_rules ?? (await readMe(ctx)).user_rules ?? '';
  const { confirmation } = body;
  const carryOut = await takeConfirmation(ctx, services, { confirmation, tools: CHANGING_TOOLS });
  const own = isDocumentation ? [DOCUMENTATION] : [ROLE, CHANGES];
  return {
    model,
    source: 'dashboard_chat',
    system: instructions(own, [
      `Now it is ${body.client_local_datetime || new Date(ctx.now()).toISOString()} for the user.`,
      rules.trim() === '' ? undefined : `Rules of the user for your answers:\n${rules}`,
    ]),
    tools: isDocumentation ? NODE_TYPE_TOOLS : [...READING_TOOLS, ...NODE_TYPE_TOOLS, ...CHANGING_TOOLS],
    earlier: body.conversation_history,
    said: { text: body.message, attachment: attached, decided: confirmation ?? undefined },
    async question(world): Promise<ModelMessage> {
      return buildQuestion([body.message, await carryOut(world)], attached);
    },
  };
}
