import { z } from 'zod';
import { isPicture } from './portal-text.ts';
import { settingKey } from './setting-key.ts';
import { storedText } from './text.ts';

/** Takes the place of a slug in the address of the preview of a chat; no slug has an underscore. */
export const PORTAL_PREVIEW_SLUG = '_preview';

/** Characters of a logo as a data URL; every visitor loads it with the first request. */
export const MAX_LOGO_CHARACTERS = 64_000;

/**
 * The view that visitors have of the nodes that work: their labels, only the messages that the owner wrote for them, or
 * nothing. A message takes the place of a label, too.
 */
export const portalProgress = z.enum(['labels', 'messages', 'hidden']).meta({ id: 'PortalProgress' });
export type PortalProgress = z.infer<typeof portalProgress>;

const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #0a6f8a')
  .transform((text) => text.toLowerCase());

const logo = z
  .string()
  .max(MAX_LOGO_CHARACTERS, `must have at most ${MAX_LOGO_CHARACTERS} characters; use a smaller picture`)
  .refine(isPicture, 'must be a picture as a data URL: PNG, JPEG, GIF, WebP, AVIF or BMP');

/** How the chat of a portal looks, and what it shows of a run. Absent fields have their defaults. */
export const portalAppearance = z
  .object({
    welcome_text: storedText(4_000)
      .default('')
      .describe('Markdown, shown until there is a message; empty: the description of the workflow.'),
    suggestions: z
      .array(storedText(300).trim().min(1))
      .max(8)
      .overwrite((lines) => Array.from(new Set(lines)))
      .default([])
      .describe('Messages that a visitor may send with one click.'),
    accent_color: color.nullable().default(null),
    logo: logo.nullable().default(null),
    progress: portalProgress.default('labels'),
    progress_messages: z
      .record(settingKey, storedText(300).trim())
      .default({})
      .refine((texts) => Object.keys(texts).length <= 1_000, 'has more than 1000 entries')
      .describe('By id of the node.'),
    reviews_in_chat: z
      .boolean()
      .default(false)
      .describe('A run that waits for a review asks in the chat, where the visitor decides.'),
  })
  .meta({ id: 'PortalAppearance' });
export type PortalAppearance = z.infer<typeof portalAppearance>;

/** The part of it that the page of visitors needs. */
export const shownAppearance = portalAppearance
  .omit({ progress_messages: true })
  .meta({ id: 'ShownPortalAppearance' });
