import { Link } from '@tanstack/react-router';
import { buttonStyle } from '../../ui/actions/button.tsx';
import { EmptyState } from '../../ui/display/empty-state.tsx';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

/** Said where a model is to be asked and no credential opens one. */
export function NoModel() {
  const t = useEvalsTexts();
  return (
    <EmptyState
      title={t('no_model')}
      actions={
        <Link to="/credentials" className={buttonStyle({ tone: 'primary' })}>
          {t('add_credential')}
        </Link>
      }
    >
      {t('no_model_hint')}
    </EmptyState>
  );
}
