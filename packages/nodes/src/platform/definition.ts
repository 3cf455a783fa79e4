import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';

const { params } = defineOperations({
  key: 'heymOperation',
  initial: 'listWorkflows',
  operations: {
    listWorkflows: { title: 'List workflows', effect: 'read', fields: ['heymLimit'] },
    getWorkflow: { title: 'Get a workflow', effect: 'read', fields: ['heymWorkflowId'] },
    countExecutions: {
      title: 'Count runs of a workflow',
      effect: 'read',
      fields: ['heymWorkflowId', 'heymStatus', 'heymSinceDays'],
    },
  },
  fields: {
    heymWorkflowId: field.template('Workflow', { when_empty: 'Enter the id of the workflow' }).default(''),
    heymLimit: field
      .custom(z.union([z.string(), z.number()]), 'At most', {
        kind: 'expression',
        mode: 'template',
        help: 'Up to 500; empty means 100.',
      })
      .default('100'),
    heymStatus: field
      .template('Status', { help: 'Such as success, error, running or pending. Empty counts every run.' })
      .default(''),
    heymSinceDays: field
      .custom(z.union([z.string(), z.number()]), 'In the last days', {
        kind: 'expression',
        mode: 'template',
        help: 'Empty counts every run that is kept.',
      })
      .default(''),
  },
});

const { onUnknownOutcome: _, ...reading } = params;

export const platform = defineNode({
  type: 'platform',
  aliases: ['heym'],
  title: 'Platform',
  family: 'data',
  summary: 'Reads your workflows and counts their runs.',
  icon: 'layout-grid',
  params: z.object(reading),
  initial: { label: 'platform', heymOperation: 'listWorkflows' },
  effect: 'read',
});
