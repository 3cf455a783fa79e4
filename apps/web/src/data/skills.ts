import {
  createSkill,
  deleteSkill,
  exportSkill,
  importSkills,
  listSkills,
  listSkillVersions,
  readSkill,
  readSkillVersion,
  restoreSkillVersion,
  type SkillImport,
  type SkillSummary,
  updateSkill,
} from '@millrace/contracts';
import { buildEndpointUrl } from '@millrace/contracts/client';
import { useQuery } from '@tanstack/react-query';
import { api, sessionFetch } from './api.ts';
import { download } from './download.ts';
import { answersTo, useChange, useEndpoint, useEndpointChange } from './endpoint.ts';
import { refusal } from './refusal.ts';

/** As many as a page of the service holds. */
const MOST = 500;

export const useSkills = () =>
  useQuery({
    queryKey: [...answersTo(listSkills), 'all'],
    queryFn: async ({ signal }): Promise<SkillSummary[]> => {
      const skills: SkillSummary[] = [];
      for (;;) {
        const query = { limit: MOST, offset: skills.length };
        const { items, total } = await api(listSkills, { query }, { signal });
        skills.push(...items);
        if (items.length === 0 || skills.length >= total) return skills;
      }
    },
  });

/** A skill with its text and files, loaded each time that it is opened: a form should start with the newest version. */
export const useSkill = (id: string) => useEndpoint(readSkill, { params: { id } }, { gcTime: 0 });

/** @param id empty: none is asked for */
export const useSkillVersions = (id: string) =>
  useEndpoint(listSkillVersions, { params: { id }, query: { limit: MOST } }, { enabled: id !== '' });

export const useSkillVersion = (id: string, number: number) =>
  useEndpoint(readSkillVersion, { params: { id, number: String(number) } });

/** All that is shown of skills. */
const changed = { renews: [listSkills, readSkill, listSkillVersions, readSkillVersion] };

export const useCreateSkill = () => useEndpointChange(createSkill, changed);

export const useUpdateSkill = () => useEndpointChange(updateSkill, changed);

/** Refused while agents use the skill, unless it is forced. */
export const useDeleteSkill = () =>
  useChange(
    ({ id, force }: { id: string; force: boolean }) =>
      api(deleteSkill, { params: { id }, query: force ? { force: 'true' } : {} }),
    changed,
  );

export const useRestoreSkillVersion = () => useEndpointChange(restoreSkillVersion, changed);

export const useImportSkills = () =>
  useChange(async ({ file, replace }: { file: File; replace: boolean }) => {
    const query = replace ? { replace: 'true' } : {};
    const response = await sessionFetch(buildEndpointUrl(importSkills, { query }), {
      method: importSkills.method,
      headers: { 'content-type': 'application/zip' },
      body: file,
    });
    if (!response.ok) throw await refusal(response);
    return (await response.json()) as SkillImport;
  }, changed);

export const downloadSkill = ({ id, name }: SkillSummary): Promise<void> =>
  download(buildEndpointUrl(exportSkill, { params: { id } }), `${name}.zip`);
