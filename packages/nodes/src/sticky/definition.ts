import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { numeric } from '../kit/values/numeric.ts';

const SIZE = { min: 40, max: 10_000, kind: 'hidden' } as const;

export const sticky = defineNode({
  type: 'sticky',
  title: 'Note',
  family: 'note',
  summary: 'A note on the canvas, without effect on runs.',
  search_words: ['sticky note', 'comment'],
  icon: 'sticky-note',
  traits: { schedule: 'never', error_settings: false },
  params: z.object({
    note: field.text('Note', { kind: 'markdown' }).default(''),
    stickyTitle: field.text('Title').default(''),
    stickyColor: field
      .choice('Colour', ['yellow', 'sky', 'emerald', 'rose', 'violet', 'zinc'], { kind: 'color' })
      .default('yellow'),
    stickyWidth: numeric('Width', SIZE).optional(),
    stickyHeight: numeric('Height', SIZE).optional(),
  }),
  initial: { note: '', stickyColor: 'yellow' },
  ports: () => ({ inputs: [], outputs: [] }),
});
