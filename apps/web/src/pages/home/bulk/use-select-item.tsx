import { SquareCheck, SquareX } from 'lucide-react';
import type { MenuItem } from '../../../ui/actions/menu.tsx';
import type { Selection } from '../../../ui/layout/use-selection.ts';
import { useHomeTexts } from '../texts/use-home-texts.ts';

/** The menu entry that selects a thing, or deselects it: the way to a selection by touch. */
export function useSelectItem({ selected, onSelect }: Selection): (id: string) => MenuItem {
  const t = useHomeTexts();
  return (id) => {
    const isSelected = selected.has(id);
    return {
      label: isSelected ? t('unselect') : t('select'),
      icon: isSelected ? <SquareX aria-hidden /> : <SquareCheck aria-hidden />,
      onSelect: () => onSelect([id], !isSelected),
    };
  };
}
