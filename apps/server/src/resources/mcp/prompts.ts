import type { Db } from '../../database/database.ts';
import { contentFor, type NamedTemplate, namesFor, type TemplateContent } from '../templates/service.ts';
import { type Page, type PageRange, pageByName } from './page.ts';
import { uniqueNames } from './tools/names.ts';

const GOAL = {
  name: 'goal',
  description: 'What the result is to do; without it the template is explained',
  required: false,
};

export interface TemplatePrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: (typeof GOAL)[];
}

/** Prompt names of the templates that the person may see; the oldest first gets its name. */
const namedTemplates = async (db: Db, user_id: string) =>
  uniqueNames(await namesFor(db, user_id), { otherwise: 'template' });

/** Templates by name as prompts. */
export async function listPrompts(db: Db, user_id: string, range: PageRange): Promise<Page<TemplatePrompt>> {
  const { items, next } = pageByName(await namedTemplates(db, user_id), range);
  const prompts = items.map(([name, { kind, name: title, description }]) => ({
    name,
    title,
    description: description || `Starts from the ${kind} template "${title}"`,
    arguments: [GOAL],
  }));
  return { items: prompts, next };
}

function promptText(
  { kind, name, description }: NamedTemplate,
  { node_type, graph }: TemplateContent,
  goal: string,
): string {
  const parts = [
    goal === ''
      ? `Explain the ${kind} template "${name}" of Millrace: what it does, and what has to be set before it runs.`
      : `Use the ${kind} template "${name}" of Millrace as the starting point, and adapt it to this goal: ${goal}`,
    description,
    node_type === null ? 'Nodes and edges of the workflow:' : `Settings of the node, of type "${node_type}":`,
    `\`\`\`json\n${JSON.stringify(graph, null, 2)}\n\`\`\``,
  ];
  return parts.filter((part) => part?.trim()).join('\n\n');
}

/**
 * A template as a message to a model, with its graph or settings.
 *
 * @returns undefined when the person sees no template of that name
 */
export async function getPrompt(
  db: Db,
  user_id: string,
  { name, goal }: { readonly name: string; readonly goal: string | undefined },
): Promise<{ title: string; text: string } | undefined> {
  const template = (await namedTemplates(db, user_id)).get(name);
  const content = template && (await contentFor(db, user_id, template));
  return content && { title: template.name, text: promptText(template, content, goal?.trim() ?? '') };
}
