import type { Json } from '@millrace/engine';
import { printValue } from '@millrace/engine/json';

export const toText = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : printValue(value);
