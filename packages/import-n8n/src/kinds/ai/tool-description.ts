import type { JsonObject } from '@millrace/engine';
import type { SourceNode } from '../../source/source.ts';
import type { Target } from '../kind.ts';

/** Types that are only tools, whose description has another name. */
const ONLY_TOOL = /^(tool|vectorStore)[A-Z]/;

/** The description of a tool that the model reads. */
export function describedBy({ type, name }: SourceNode, to: Target): JsonObject {
  const { params } = to;
  params.get('descriptionType');
  const called = ONLY_TOOL.test(type) ? params.text('name') : '';
  if (called !== '' && called !== name)
    to.say(`The model calls it by its label here, and not by the name "${called}"`, 'label');
  const written = params.text('toolDescription') || (ONLY_TOOL.test(type) ? params.text('description') : '');
  const text = written.replace(/^=/, '');
  if (text.includes('{{')) to.say('Expressions in its description are not evaluated here', 'toolDescription');
  return text === '' ? {} : { toolDescription: text };
}
