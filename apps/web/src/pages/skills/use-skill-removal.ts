import { ApiError } from '@millrace/contracts/client';
import { useFormatter } from 'use-intl';
import { useDeleteSkill } from '../../data/skills.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { useLibraryTexts } from './texts/use-library-texts.ts';

interface Uses {
  /** Names of workflows that the person sees. */
  readonly workflows: readonly string[];
  readonly hidden: number;
}

/** The agents that use the skill, as a refused deletion names them. */
function usesIn(error: unknown): Uses | undefined {
  const detail = error instanceof ApiError && error.status === 409 ? error.body?.detail : undefined;
  if (typeof detail !== 'object' || Array.isArray(detail)) return undefined;
  const { workflows, hidden_workflows } = detail;
  if (!Array.isArray(workflows)) return undefined;
  return { workflows: workflows.map(String), hidden: Number(hidden_workflows ?? 0) };
}

/** Deletes a skill; asks again, with the names of their workflows, when agents use it. False: the person keeps it. */
export function useSkillRemoval(): (id: string) => Promise<boolean> {
  const t = useLibraryTexts();
  const format = useFormatter();
  const { mutateAsync } = useDeleteSkill();
  const isAgreed = ({ workflows, hidden }: Uses) => {
    const named = workflows.map((name) => t('quoted', { name }));
    const others = hidden > 0 ? [t('other_workflows', { count: hidden })] : [];
    return confirm({
      title: t('used_title'),
      body: t('used_body', { workflows: format.list([...named, ...others]) }),
      action: t('delete_anyway'),
    });
  };
  return async (id) => {
    try {
      await mutateAsync({ id, force: false });
    } catch (error) {
      const uses = usesIn(error);
      if (!uses) throw error;
      if (!(await isAgreed(uses))) return false;
      await mutateAsync({ id, force: true });
    }
    return true;
  };
}
