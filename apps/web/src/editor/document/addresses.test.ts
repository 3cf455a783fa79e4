import type { WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, test } from 'vitest';
import { copy, parseClip, readClip } from './clipboard.ts';
import { addNode } from './nodes/add-node.ts';
import { paste } from './paste.ts';

const EMPTY: WorkflowDocument = { nodes: [], edges: [] };
const AT = { x: 0, y: 0 };
const getDefinition = (type: string) => {
  const definition = catalog.get(type);
  if (!definition) throw new Error(`no type ${type}`);
  return definition;
};

describe('the ids of nodes whose address contains them', () => {
  test.each(['webhookTrigger', 'slackTrigger', 'telegramTrigger', 'discordTrigger'])(
    'a %s gets an id that no other workflow has',
    (type) => {
      const ids = [1, 2].map(() => addNode(EMPTY, getDefinition(type), AT).id);
      expect(ids[0]).toMatch(/^[0-9a-z]{16}$/);
      expect(ids[0]).not.toBe(ids[1]);
    },
  );

  test('other nodes are named after their type', () => {
    expect(addNode(EMPTY, getDefinition('cron'), AT).id).toBe('cron');
  });

  test('a webhook that is pasted into another workflow has another address, and its connections', () => {
    const original: WorkflowDocument = {
      nodes: [
        { id: 'hook', type: 'webhookTrigger', position: AT, data: { label: 'hook' } },
        { id: 'out', type: 'output', position: AT, data: { label: 'out' } },
      ],
      edges: [{ id: 'e', source: 'hook', target: 'out' }],
    };
    const clip = readClip(parseClip(copy(original, new Set(['hook', 'out']))));
    if (!clip) throw new Error('nothing was copied');
    const { document } = paste(catalog, EMPTY, { clip, at: AT });
    const [hook, out] = document.nodes;
    expect(hook?.id).toMatch(/^[0-9a-z]{16}$/);
    expect(out?.id).toBe('out');
    expect(document.edges).toMatchObject([{ source: hook?.id, target: 'out' }]);
  });
});
