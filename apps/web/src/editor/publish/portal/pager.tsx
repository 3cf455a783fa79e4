import { Button } from '../../../ui/actions/button.tsx';
import { usePortalTexts } from './texts/use-portal-texts.ts';

interface PagerProps {
  page: number;
  pages: number;
  onPage: (page: number) => void;
}

/** Leads through a list whose newest entries come first; nothing where one page has all. */
export function Pager({ page, pages, onPage }: PagerProps) {
  const t = usePortalTexts();
  if (pages <= 1) return null;
  return (
    <div className="flex items-center gap-2">
      <Button size="small" disabled={page === 0} onClick={() => onPage(page - 1)}>
        {t('newer')}
      </Button>
      <Button size="small" disabled={page + 1 >= pages} onClick={() => onPage(page + 1)}>
        {t('older')}
      </Button>
    </div>
  );
}
