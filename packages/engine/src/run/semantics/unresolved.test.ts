import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createScope } from '../../expression/index.ts';
import { defineNode } from '../../node-type/define-node.ts';
import { field } from '../../node-type/fields.ts';
import { type DrawnNodes, draw, type RunSettings, runToEnd, testCatalog } from '../../testing/index.ts';
import { compileParams } from '../../workflow/compile/params.ts';
import { compileWorkflow } from '../../workflow/compile.ts';
import { toRow } from '../record/history.ts';

const run = (graph: string, nodes: DrawnNodes, settings: RunSettings = {}) =>
  runToEnd(compileWorkflow(draw(graph, nodes), testCatalog), settings);
const STRICT: RunSettings = { options: { strict_references: true } };

describe('unresolved references in texts', () => {
  it('are recorded with node, field, reference and replacement', async () => {
    const { rows, finished } = await run('start -> see', { see: { value: 'You said $input.missing.' } });
    const [row] = rows.filter(({ node_label }) => node_label === 'see');
    expect(row && toRow(row).metadata['unresolved_references']).toEqual([
      { field: 'value', reference: '$input.missing.', instead: '$input.missing.' },
    ]);
    expect(finished).toMatchObject({ status: 'success', unresolved_references: 1 });
  });

  it('are recorded once per field, even if they occur several times', async () => {
    const { finished } = await run('start -> see', { see: { value: '$a.b and $a.b and $c' } });
    expect(finished.unresolved_references).toBe(2);
  });

  it('add nothing to a run without them', async () => {
    const { rows, finished } = await run(
      'start -> see',
      { see: { value: 'You said $input.text' } },
      { input: { text: 'hi' } },
    );
    expect(finished).not.toHaveProperty('unresolved_references');
    expect(rows.every((row) => toRow(row).metadata['unresolved_references'] === undefined)).toBe(true);
  });

  it('fail the node in strict mode, with reference, field and fix in the message', async () => {
    const { finished } = await run('start -> see', { see: { value: 'You said $input.missing' } }, STRICT);
    expect(finished.status).toBe('error');
    expect(finished.failure).toMatchObject({ kind: 'expression', field: 'value' });
    expect(finished.failure?.message).toContain('$input.missing has no value here');
    expect(finished.failure?.message).toContain('$input.missing.orEmpty()');
  });

  it('do not include references with a fallback', async () => {
    const value = 'You said $input.missing.orEmpty() and $str(input.missing ?? 0)!';
    const { finished } = await run('start -> see', { see: { value } }, STRICT);
    expect(finished.status).toBe('success');
  });

  it('do not include null as the value of a whole field', async () => {
    const { finished, output } = await run('start -> see', { see: { value: '$input.missing' } }, STRICT);
    expect([finished.status, output['see']]).toEqual(['success', null]);
  });

  it('are ignored in parameters that the form hides', () => {
    const definition = defineNode({
      type: 't',
      title: 'T',
      family: 'flow',
      summary: '',
      icon: '',
      params: z.object({
        mode: field.choice('Mode', ['a', 'b']).default('a'),
        only: field.template('Only', { shown_when: [{ field: 'mode', is: ['b'] }] }).default('x $missing'),
      }),
    });
    const noted: string[] = [];
    const scope = {
      ...createScope({ values: {}, now: () => 0, uuid: () => '', random: () => 0 }),
      reading: null as { is_hidden: boolean } | null,
      noteUnresolved(reference: string) {
        noted.push(`${reference} ${this.reading?.is_hidden === true ? 'hidden' : 'shown'}`);
      },
    };
    compileParams(definition, {}).resolve(scope as never);
    compileParams(definition, { mode: 'b' }).resolve(scope as never);
    expect(noted).toEqual(['$missing hidden', '$missing shown']);
  });

  it('follow the error handle where the node has one', async () => {
    const { finished, output } = await run(
      'start -> see\nsee:error -> rescue',
      { see: { value: 'x $missing', onErrorEnabled: true }, rescue: { value: 'caught' } },
      STRICT,
    );
    expect([finished.status, output['rescue']]).toEqual(['success', 'caught']);
  });
});
