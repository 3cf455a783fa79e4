import { ImportError, type JsonObject } from '@millrace/engine';
import type { ConvertedWorkflow } from './convert.ts';

/** `refused`: the message of an `ImportError`, as errors lose their class between processes. */
type Outcome =
  | (ConvertedWorkflow & { readonly refused?: undefined })
  | { readonly refused: { readonly field: string; readonly reason: string } };

/** Loaded on first use: its JavaScript parser is large. */
async function converted(exported: JsonObject): Promise<Outcome> {
  const { convertN8n } = await import('./convert.ts');
  try {
    return convertN8n(exported);
  } catch (error) {
    if (error instanceof ImportError) return { refused: { field: error.field, reason: error.reason } };
    throw error;
  }
}

/** The conversion of untrusted exports. Arguments and results can be copied between processes. */
export const N8N_PARSERS = { n8n: converted };
