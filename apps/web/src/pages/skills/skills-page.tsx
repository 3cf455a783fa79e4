import type { SkillSummary } from '@millrace/contracts';
import { Download, Eye, GraduationCap, History, Upload } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useSkills } from '../../data/skills.ts';
import { useLeaveMenu } from '../../features/sharing/use-leave-menu.tsx';
import { Button } from '../../ui/actions/button.tsx';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import { FileDrop, pickFiles } from '../../ui/forms/file-drop.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import {
  menuColumn,
  nameColumn,
  ownerColumn,
  ResourceName,
  updatedColumn,
} from '../resources/resource-columns.tsx';
import { ResourcePage } from '../resources/resource-page.tsx';
import { RowDialogs, useRowDialog, useRowMenu } from '../resources/row-dialogs.tsx';
import { saveSkill } from './save-skill.ts';
import { SkillDialog } from './skill-dialog.tsx';
import { useLibraryTexts } from './texts/use-library-texts.ts';
import { useSkillImport } from './use-skill-import.ts';
import { useSkillRemoval } from './use-skill-removal.ts';
import { VersionsDialog } from './versions/versions-dialog.tsx';

function useColumns(
  getMenu: (skill: SkillSummary) => MenuItem[],
  onOpen: (skill: SkillSummary) => void,
): Column<SkillSummary>[] {
  const t = useLibraryTexts();
  const ui = useTranslations('ui');
  return [
    nameColumn(ui, <GraduationCap aria-hidden />, (skill) => (
      <ResourceName name={skill.name} onOpen={() => onOpen(skill)} />
    )),
    {
      id: 'version',
      header: t('version'),
      wide: true,
      width: '90px',
      cell: ({ version }) => <span className="text-soft">{version}</span>,
    },
    ownerColumn(ui),
    updatedColumn(ui),
    menuColumn(ui, getMenu),
  ];
}

/** The library of skills: what agents should know and do, used by any of them. */
export function SkillsPage() {
  const t = useLibraryTexts();
  const [words, setWords] = useState('');
  const [history, setHistory] = useState<SkillSummary>();
  const dialog = useRowDialog<SkillSummary>();
  const remove = useSkillRemoval();
  const importFiles = useSkillImport();
  const getOwnMenu = useRowMenu(dialog, { texts: t, deleteBody: () => t('delete_body'), remove });
  const getLeaveMenu = useLeaveMenu('skill');
  const buildMenu = (skill: SkillSummary): MenuItem[] => [
    { label: t('versions'), icon: <History aria-hidden />, onSelect: () => setHistory(skill) },
    { label: t('export'), icon: <Download aria-hidden />, onSelect: () => saveSkill(skill) },
    ...(skill.is_shared
      ? [
          { label: t('open'), icon: <Eye aria-hidden />, onSelect: () => dialog.edit(skill) },
          ...getLeaveMenu(skill),
        ]
      : getOwnMenu(skill)),
  ];
  const pick = () => void pickFiles({ accept: '.zip,application/zip' }).then(importFiles);
  return (
    <FileDrop onFiles={(files) => void importFiles(files)} invitation={t('drop')} className="h-full min-h-0">
      <ResourcePage
        area="skills"
        texts={t}
        icon={<GraduationCap aria-hidden />}
        query={useSkills()}
        words={words}
        onWords={setWords}
        getTexts={({ name, description }) => [name, description]}
        columns={useColumns(buildMenu, dialog.edit)}
        actions={
          <Button onClick={pick}>
            <Upload aria-hidden />
            {t('import')}
          </Button>
        }
        onNew={dialog.onNew}
        onOpen={dialog.edit}
      >
        <RowDialogs dialog={dialog} kind="skill">
          {(skill) => <SkillDialog skill={skill} onClose={dialog.close} />}
        </RowDialogs>
        {history ? <VersionsDialog skill={history} onClose={() => setHistory(undefined)} /> : null}
      </ResourcePage>
    </FileDrop>
  );
}
