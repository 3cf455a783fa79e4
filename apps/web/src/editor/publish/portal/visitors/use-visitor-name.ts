import type { VisitedConversation } from '@millrace/contracts';
import { usePortalTexts } from '../texts/use-portal-texts.ts';

/** A visitor without a login has the beginning of an id in place of a name. */
export function useVisitorName() {
  const t = usePortalTexts();
  return ({ username, visitor_id }: Pick<VisitedConversation, 'username' | 'visitor_id'>) =>
    username ?? t('visitor', { id: visitor_id.slice(0, 6) });
}
