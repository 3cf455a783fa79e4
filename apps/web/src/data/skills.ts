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
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { api, sessionFetch } from './api.ts';
import { download } from './download.ts';
import { keys } from './keys.ts';
import { refusal } from './refusal.ts';

/** As many as a page of the service holds. */
const MOST = 500;

export const useSkills = () =>
  useQuery({
    queryKey: keys.skills,
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
export const useSkill = (id: string) =>
  useQuery({
    queryKey: keys.skill(id),
    queryFn: ({ signal }) => api(readSkill, { params: { id } }, { signal }),
    gcTime: 0,
  });

/** @param id empty: none is asked for */
export const useSkillVersions = (id: string) =>
  useQuery({
    queryKey: keys.skillVersions(id),
    enabled: id !== '',
    queryFn: ({ signal }) => api(listSkillVersions, { params: { id }, query: { limit: MOST } }, { signal }),
  });

export const useSkillVersion = (id: string, number: number) =>
  useQuery({
    queryKey: keys.skillVersion(id, number),
    queryFn: ({ signal }) => api(readSkillVersion, { params: { id, number: String(number) } }, { signal }),
  });

const renew = (client: QueryClient) => client.invalidateQueries({ queryKey: keys.skills });

type SkillBody = Required<z.input<typeof createSkill.body>>;

export function useCreateSkill() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SkillBody) => api(createSkill, { body }),
    onSuccess: () => renew(client),
  });
}

export function useUpdateSkill() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: SkillBody & { id: string; base_version: number }) =>
      api(updateSkill, { params: { id }, body }),
    onSuccess: () => renew(client),
  });
}

/** Refused while agents use the skill, unless it is forced. */
export function useDeleteSkill() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, force }: { id: string; force: boolean }) =>
      api(deleteSkill, { params: { id }, query: force ? { force: 'true' } : {} }),
    onSuccess: () => renew(client),
  });
}

export function useRestoreSkillVersion() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (params: { id: string; number: number }) => api(restoreSkillVersion, { params }),
    onSuccess: () => renew(client),
  });
}

export function useImportSkills() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ file, replace }: { file: File; replace: boolean }) => {
      const query = replace ? { replace: 'true' } : {};
      const response = await sessionFetch(buildEndpointUrl(importSkills, { query }), {
        method: importSkills.method,
        headers: { 'content-type': 'application/zip' },
        body: file,
      });
      if (!response.ok) throw await refusal(response);
      return (await response.json()) as SkillImport;
    },
    onSuccess: () => renew(client),
  });
}

export const downloadSkill = ({ id, name }: SkillSummary): Promise<void> =>
  download(buildEndpointUrl(exportSkill, { params: { id } }), `${name}.zip`);
