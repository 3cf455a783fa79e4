import type { Received, skillBuilder } from '@millrace/contracts';
import type { ModelMessage } from '@millrace/models';
import { invalidField } from '../../core/app-error.ts';
import type { Context } from '../../services.ts';
import { requireModel } from '../open-model.ts';
import { markedData } from './conversation/data.ts';
import { buildQuestion, instructions } from './conversation/messages.ts';
import { TURN_LIMITS } from './limits.ts';
import { writeSkillTool } from './tools/write-skill.ts';
import type { PreparedTurn } from './turn.ts';

type Body = Received<typeof skillBuilder>['body'];

const ROLE =
  'You write skills for agents in Millrace. A skill is a text, SKILL.md, that is put before the instruction of an agent: when it applies, ' +
  'the steps to follow, the form of the result, and an example. It begins with front matter of name and description. Answer in the language ' +
  'of the user, briefly, in Markdown.';

/** The contract between a skill and its script, as the agent node keeps it. */
const SCRIPTS =
  'A skill may have one Python script, main.py, where words are not enough: exact calculation, parsing, making files. Then the agent has ' +
  'a tool that runs it in a container. The script reads one text from standard input (agree on JSON and describe it in SKILL.md), prints its result ' +
  'as JSON to standard output, and writes files for the user into the folder os.environ["_OUTPUT_DIR"]. On bad input it ends with sys.exit and a message ' +
  'that the agent understands. Packages beside the standard library are lines of requirements.txt. Write no script where the steps in words are enough.';

const WRITES =
  'When you know enough, call write_skill with all files of the skill, and say in one or two sentences what you wrote. Ask a question ' +
  'instead when it is unclear what the agent should do. Keep what the user did not ask to change.';

/** @throws AppError `invalid_input` for a skill that the model could read only in part: the rest would be lost */
function skillData({ existing_skill }: Body): string | undefined {
  if (!existing_skill) return undefined;
  const most = TURN_LIMITS.graph_characters;
  const { length } = JSON.stringify(existing_skill);
  if (length <= most) return markedData('existing_skill', existing_skill, Number.POSITIVE_INFINITY);
  throw invalidField(
    ['body', 'existing_skill'],
    `is too long: ${length} characters, of at most ${most}; divide it into two skills`,
  );
}

/** One turn with the builder of skills. Refuses what cannot begin. */
export async function prepareSkillBuilder(
  ctx: Pick<Context, 'db' | 'actor'>,
  body: Body,
): Promise<PreparedTurn> {
  const model = await requireModel(ctx, body);
  const existing = skillData(body);
  return {
    model,
    source: 'skill_builder',
    system: instructions([ROLE, SCRIPTS, WRITES], []),
    tools: [writeSkillTool],
    earlier: body.conversation_history,
    said: { text: body.message, attachment: undefined, decided: undefined },
    question: (): Promise<ModelMessage> => Promise.resolve(buildQuestion([existing, body.message])),
  };
}
