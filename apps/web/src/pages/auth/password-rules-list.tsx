import { Check, Circle } from 'lucide-react';
import { metRules, PASSWORD_RULES } from '../../session/password-rules.ts';
import { useAuthTexts } from './texts/use-auth-texts.ts';

/** The rules of the password policy, ticked while one types. */
export function PasswordRulesList({ password }: { password: string }) {
  const t = useAuthTexts();
  const met = metRules(password);
  return (
    <ul aria-label={t('rules')} className="grid grid-cols-1 gap-x-3 gap-y-0.5 sm:grid-cols-2">
      {PASSWORD_RULES.map((rule) => (
        <li
          key={rule}
          className={met[rule] ? 'flex items-center gap-1.5 text-success' : 'flex items-center gap-1.5'}
        >
          {met[rule] ? (
            <Check className="size-3.5 shrink-0" aria-hidden />
          ) : (
            <Circle className="size-3.5 shrink-0 opacity-60" aria-hidden />
          )}
          {t(`rule_${rule}`)}
          <span className="sr-only">: {met[rule] ? t('rule_met') : t('rule_open')}</span>
        </li>
      ))}
    </ul>
  );
}
