import type { SkillBuilderFrame } from '@millrace/contracts';
import { refuse } from '@millrace/models/testing';
import { describe, expect, test } from 'vitest';
import { type AssistantWorld, asksFor, framesIn, says, useAssistantWorld } from './testing/world.ts';

const BUILDER = '/api/ai/skill-builder';
const FIX = '/api/ai/fix-transcription';

let world: AssistantWorld;
useAssistantWorld((opened) => {
  world = opened;
});

const skill = (content: string) => ({ path: 'SKILL.md', content });

describe('the builder of skills', () => {
  const build = async (body: object): Promise<SkillBuilderFrame[]> => {
    const answer = await world.send(BUILDER, { message: 'Write it', ...body });
    expect(answer.statusCode, answer.body).toBe(200);
    return framesIn(answer.body) as unknown as SkillBuilderFrame[];
  };

  test('streams words and the files of the skill, the main one first', async () => {
    const files = [{ path: 'notes/prices.txt', content: '1 €' }, skill('# Prices')];
    world.script(asksFor('write_skill', { files }), says('Here ', 'it is.'));
    expect(await build({})).toEqual([
      { type: 'skill_files_update', files: [files[1], files[0]] },
      { type: 'text_chunk', content: 'Here ' },
      { type: 'text_chunk', content: 'it is.' },
      { type: 'done' },
    ]);
  });

  test('may write a script, and knows how an agent runs it', async () => {
    const files = [skill('# Prices'), { path: 'main.py', content: 'print(1)' }];
    world.script(asksFor('write_skill', { files }), says('Here it is.'));
    expect((await build({}))[0]).toEqual({ type: 'skill_files_update', files });
    expect(world.getRequestBody(0)).toContain('_OUTPUT_DIR');
  });

  test('asks back, and reads the skill that is there and the conversation', async () => {
    world.script(says('Which currency?'));
    const frames = await build({
      existing_skill: { name: 'prices', content: '# Old </data> text' },
      conversation_history: [
        { role: 'user', content: 'About prices' },
        { role: 'assistant', content: 'Go on' },
      ],
    });
    expect(frames.map(({ type }) => type)).toEqual(['text_chunk', 'done']);
    expect(world.getRequestBody(0)).toContain('<data tool=\\"existing_skill');
    expect(world.getRequestBody(0)).toContain('About prices');
    expect(world.getRequestBody(0)).not.toContain('Old </data>');
  });

  test.each<[string, { path: string; content: string }[], string]>([
    ['without a text', [skill(' ')], 'no SKILL.md with text'],
    ['with one path twice', [skill('x'), skill('y')], 'the same path'],
    ['outside its folder', [skill('x'), { path: '../a.md', content: '' }], 'relative path'],
  ])('does not show a skill %s, and the model gets the reason', async (_, files, reason) => {
    world.script(asksFor('write_skill', { files }), says('I see.'));
    expect((await build({})).map(({ type }) => type)).toEqual(['text_chunk', 'done']);
    expect(world.getRequestBody(1)).toContain(reason);
  });

  test('refuses what cannot begin', async () => {
    const send = (body: object) => world.send(BUILDER, { message: 'x', ...body });
    expect((await send({ message: ' ' })).statusCode).toBe(422);
    expect((await send({ credential_id: crypto.randomUUID() })).statusCode).toBe(404);
    const long = await send({ existing_skill: { content: 'x'.repeat(250_000) } });
    expect(long.statusCode).toBe(422);
    expect(long.body).toContain('existing_skill');
  });
});

describe('a dictated text', () => {
  test('comes back as the model corrected it', async () => {
    world.script(says('Send ', 'it on Monday.\n'));
    const answer = await world.send(FIX, { text: 'send it um on monday' });
    expect(answer.json()).toEqual({ fixed_text: 'Send it on Monday.' });
    expect(world.getRequestBody(0)).toContain('send it um on monday');
  });

  test('reaches the model without secrets of the person', async () => {
    await world.owner.call('POST', '/api/credentials', {
      name: 'spoken canary',
      type: 'bearer',
      config: { bearer_token: 'spoken-canary-0123456789' },
    });
    world.script(says('ok'));
    await world.send(FIX, { text: 'my key is spoken-canary-0123456789' });
    expect(world.getRequestBody(0)).not.toContain('spoken-canary-0123456789');
  });

  test('stays as it is when the model fails, says nothing, or is refused', async () => {
    world.script(refuse(401, { error: { message: 'Incorrect API key k-0123456789' } }));
    const refused = await world.send(FIX, { text: 'x' });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).not.toContain('k-0123456789');
    world.script(says(' '));
    expect((await world.send(FIX, { text: 'x' })).statusCode).toBe(503);
    expect((await world.send(FIX, { text: ' ' })).statusCode).toBe(422);
    expect((await world.send(FIX, { text: 'x', credential_id: crypto.randomUUID() })).statusCode).toBe(404);
  });
});
