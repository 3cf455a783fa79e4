import { z } from 'zod';
import { definePage, idParams, page, queryBoolean, timestamp, uuid } from './common.ts';
import { endpoint, GRAPH_BODY_BYTES } from './endpoint.ts';
import { sharedBy, teamShareEndpoints, userShareEndpoints } from './shares.ts';
import { storedName, storedText } from './text.ts';

/** Bounds of a skill of the library; the files of one travel together, to browsers and to runs. */
export const LIBRARY_LIMITS = {
  files: 100,
  file_bytes: 2_000_000,
  /** Of SKILL.md and all files together. */
  total_bytes: 4_000_000,
  /** Of SKILL.md. */
  content_characters: 200_000,
  path_characters: 255,
  /** Versions of one skill that are kept, and those that agents name beside them. */
  versions: 50,
  /** Skills in one ZIP. */
  imported: 100,
} as const;

const libraryFileInput = z.object({
  path: storedText(LIBRARY_LIMITS.path_characters),
  /** Text, or base64 where `encoding` says so. */
  content: z.string(),
  encoding: z.enum(['text', 'base64']).default('text'),
});
export type LibraryFileInput = z.output<typeof libraryFileInput>;

const libraryFile = z
  .object({ path: z.string(), content: z.string(), encoding: z.enum(['text', 'base64']) })
  .meta({ id: 'SkillLibraryFile' });
export type LibraryFile = z.infer<typeof libraryFile>;

const facts = {
  name: z.string(),
  /** As the front matter of SKILL.md has it. */
  description: z.string(),
  file_count: z.int(),
  /** Of SKILL.md and all files. */
  size_bytes: z.int(),
};

const contents = {
  /** The text of SKILL.md. */
  content: z.string(),
  files: z.array(libraryFile),
  timeout_seconds: z.int(),
};

const record = {
  id: uuid,
  ...facts,
  /** Number of the newest version. */
  version: z.int(),
  owner_id: uuid,
  created_at: timestamp,
  updated_at: timestamp,
  ...sharedBy,
};

export const skillSummary = z.object(record).meta({ id: 'SkillSummary' });
export type SkillSummary = z.infer<typeof skillSummary>;

export const skill = z.object({ ...record, ...contents }).meta({ id: 'Skill' });
export type Skill = z.infer<typeof skill>;

const versionRecord = {
  number: z.int(),
  ...facts,
  is_current: z.boolean(),
  /** Null when the account is gone. */
  created_by_name: z.string().nullable(),
  created_at: timestamp,
};

export const skillVersionSummary = z.object(versionRecord).meta({ id: 'SkillVersionSummary' });
export type SkillVersionSummary = z.infer<typeof skillVersionSummary>;

export const skillVersion = z.object({ ...versionRecord, ...contents }).meta({ id: 'SkillVersion' });
export type SkillVersion = z.infer<typeof skillVersion>;

export const skillImport = z
  .object({
    skills: z.array(skillSummary),
    /** Files of the ZIP that are in no folder with a SKILL.md. */
    skipped: z.array(z.string()),
  })
  .meta({ id: 'SkillImport' });
export type SkillImport = z.infer<typeof skillImport>;

const tag = 'Skills';
const path = '/api/skills';
const one = `${path}/{id}`;
const name = storedName(255);
const content = storedText(LIBRARY_LIMITS.content_characters);
const files = z.array(libraryFileInput).max(LIBRARY_LIMITS.files);
const timeout_seconds = z.int().min(1).max(3_600);

export const listSkills = endpoint({
  id: 'listSkills',
  method: 'GET',
  path,
  tag,
  summary: 'Own skills by name, then those shared with the caller and with their teams',
  auth: 'session',
  query: page.extend({
    search: storedText(200).trim().optional().describe('Text in the name or the description, in any case.'),
  }),
  response: definePage(skillSummary).meta({ id: 'SkillList' }),
});
export type SkillFilters = z.output<typeof listSkills.query>;

export const createSkill = endpoint({
  id: 'createSkill',
  method: 'POST',
  path,
  tag,
  summary: 'Create a skill with its files',
  auth: 'session',
  body_limit: GRAPH_BODY_BYTES,
  body: z.object({
    name,
    content: content.default(''),
    files: files.default([]),
    timeout_seconds: timeout_seconds.default(30),
  }),
  response: skill,
  status: 201,
  errors: ['conflict', 'too_large'],
});

export const readSkill = endpoint({
  id: 'readSkill',
  method: 'GET',
  path: one,
  tag,
  summary: 'The newest version of a skill with its files',
  auth: 'session',
  params: idParams,
  response: skill,
  errors: ['not_found'],
});

export const updateSkill = endpoint({
  id: 'updateSkill',
  method: 'PATCH',
  path: one,
  tag,
  summary:
    'Save a skill as a new version; fields that are left out stay, and nothing is saved when nothing changes',
  auth: 'session',
  body_limit: GRAPH_BODY_BYTES,
  params: idParams,
  body: z.object({
    name: name.optional(),
    content: content.optional(),
    files: files.optional(),
    timeout_seconds: timeout_seconds.optional(),
    /** Version that was edited: refused when there is a newer one. */
    base_version: z.int().optional(),
  }),
  response: skill,
  errors: ['forbidden', 'not_found', 'conflict', 'too_large'],
});

export const deleteSkill = endpoint({
  id: 'deleteSkill',
  method: 'DELETE',
  path: one,
  tag,
  summary:
    'Delete a skill with its versions and shares. While agents use it, the answer is a 409 that names their workflows, unless `force=true`',
  auth: 'session',
  params: idParams,
  query: z.object({ force: queryBoolean.optional() }),
  errors: ['forbidden', 'not_found', 'conflict'],
});

/** An agent that uses a skill. */
export const skillUse = z
  .object({
    workflow_id: uuid,
    workflow_name: z.string(),
    node_id: z.string(),
    /** The fixed version; null for always the newest one. */
    version: z.int().nullable(),
  })
  .meta({ id: 'SkillUse' });
export type SkillUse = z.infer<typeof skillUse>;

export const listSkillUses = endpoint({
  id: 'listSkillUses',
  method: 'GET',
  path: `${one}/used-by`,
  tag,
  summary: 'Agents that use a skill, in published graphs and drafts, as far as the caller can see them',
  auth: 'session',
  params: idParams,
  response: z.array(skillUse),
  errors: ['not_found'],
});

export const importSkills = endpoint({
  id: 'importSkills',
  method: 'POST',
  path: `${path}/import`,
  tag,
  summary:
    'Create a skill for each folder with a SKILL.md in a ZIP, all of them or none; send it as the body or as `file`. With `replace=true` own skills of the same name get a new version',
  auth: 'session',
  kind: 'raw',
  upload: 'form_or_body',
  query: z.object({ replace: queryBoolean.optional() }),
  errors: ['bad_request', 'conflict', 'too_large', 'unsupported_media_type'],
});

export const exportSkill = endpoint({
  id: 'exportSkill',
  method: 'GET',
  path: `${one}/export`,
  tag,
  summary: 'ZIP with SKILL.md and the files of the newest version in one folder',
  auth: 'session',
  kind: 'raw',
  params: idParams,
  errors: ['not_found'],
});

const versionParams = idParams.extend({ number: z.coerce.number().int().min(1).max(2_147_483_647) });

export const listSkillVersions = endpoint({
  id: 'listSkillVersions',
  method: 'GET',
  path: `${one}/versions`,
  tag,
  summary: 'Versions of a skill, newest first',
  auth: 'session',
  params: idParams,
  query: page,
  response: definePage(skillVersionSummary).meta({ id: 'SkillVersionList' }),
  errors: ['not_found'],
});

export const readSkillVersion = endpoint({
  id: 'readSkillVersion',
  method: 'GET',
  path: `${one}/versions/{number}`,
  tag,
  summary: 'One version of a skill with its files',
  auth: 'session',
  params: versionParams,
  response: skillVersion,
  errors: ['not_found'],
});

export const restoreSkillVersion = endpoint({
  id: 'restoreSkillVersion',
  method: 'POST',
  path: `${one}/versions/{number}/restore`,
  tag,
  summary: 'Save what a version holds as the newest one; the name stays',
  auth: 'session',
  params: versionParams,
  response: skill,
  errors: ['forbidden', 'not_found'],
});

const shared = { name: 'skill', path, tag };
export const skillUserShares = userShareEndpoints(shared);
export const skillTeamShares = teamShareEndpoints(shared);

export const skillEndpoints = [
  listSkills,
  createSkill,
  importSkills,
  readSkill,
  updateSkill,
  deleteSkill,
  listSkillUses,
  exportSkill,
  listSkillVersions,
  readSkillVersion,
  restoreSkillVersion,
  ...Object.values(skillUserShares),
  ...Object.values(skillTeamShares),
];
