import { ApiError } from '@millrace/contracts/client';
import { useImportSkills } from '../../data/skills.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { useLibraryTexts } from './texts/use-library-texts.ts';

/** Imports ZIP files one after another; asks before skills of the same name are replaced. */
export function useSkillImport(): (files: readonly File[]) => Promise<void> {
  const t = useLibraryTexts();
  const { mutateAsync } = useImportSkills();
  const send = async (file: File) => {
    try {
      return await mutateAsync({ file, replace: false });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      const body = t('replace_body', { message: error.message });
      const sure = await confirm({ title: t('replace_title'), body, action: t('replace'), tone: 'primary' });
      return sure ? await mutateAsync({ file, replace: true }) : undefined;
    }
  };
  return async (files) => {
    for (const file of files) {
      try {
        const made = await send(file);
        if (!made) continue;
        toast.done(t('imported', { count: made.skills.length }));
        if (made.skipped.length > 0) toast.done(t('skipped', { count: made.skipped.length }));
      } catch (error) {
        toast.failed(`${file.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
}
