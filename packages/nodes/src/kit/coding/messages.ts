import { z } from 'zod';
import { MessageLines } from '../text/message-lines.ts';

/** A path of a repository: it stays inside, and is none of git's own files. */
const filePath = z
  .string()
  .min(1)
  .refine((path) => path.split('/').every((part) => !['', '.', '..', '.git'].includes(part.toLowerCase())));

/** A file that the agent has changed. `mode` as git writes it; null for one that is gone. */
const changedFile = z.object({
  path: filePath,
  mode: z.enum(['100644', '100755', '120000']).nullable(),
  /** Base64; absent where it is not needed. */
  content: z.string().optional(),
});

export type ChangedFile = {
  readonly path: string;
  readonly mode: '100644' | '100755' | '120000' | null;
  readonly content?: string;
};

const stage = z.enum(['setup', 'agent']);

const ended = z.object({
  type: z.literal('end'),
  stage,
  exit_code: z.int(),
  /** Of what it wrote to its standard error. */
  end: z.string(),
  problem: z.literal('changes').optional(),
  files: z.array(changedFile).default([]),
  diff: z.string().default(''),
});

/** The messages of the program in the container, a line each. */
const said = z.discriminatedUnion('type', [
  z.object({ type: z.literal('needs_archive') }),
  z.object({ type: z.literal('stage'), stage }),
  z.object({ type: z.literal('event'), event: z.record(z.string(), z.json()) }),
  ended,
]);

export type Ended = z.infer<typeof ended>;
export type Said = z.infer<typeof said>;

/** Messages in what a container of a coding agent writes. The agent can write there, too. */
export class Messages extends MessageLines<Said> {
  constructor(hear: (message: Said) => void) {
    super(said, hear);
  }
}
