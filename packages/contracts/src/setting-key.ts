import { isBlockedKey } from '@millrace/engine/json';
import { z } from 'zod';

/** `__proto__` and its like would reach a prototype if they became object keys. */
export const settingKey = z
  .string()
  .min(1)
  .max(255)
  .refine((key) => !isBlockedKey(key), 'is a reserved name');
