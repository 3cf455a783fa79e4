import { z } from 'zod';
import { FIELD_TYPES } from './portal-input.ts';

/** One field of a start node; `defaultValue` is null when it has none. The others are there when the node sets them. */
export const portalInputField = z
  .object({
    key: z.string(),
    defaultValue: z.json(),
    label: z.string().optional(),
    hint: z.string().optional(),
    type: z.enum(FIELD_TYPES).optional().describe('Absent: as the default value.'),
    options: z.array(z.string()).optional().describe('Of the type `choice`.'),
    required: z.boolean().optional(),
  })
  .meta({ id: 'PortalInputField' });
