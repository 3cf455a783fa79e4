import { KeyRound, TriangleAlert } from 'lucide-react';
import { useRotateKeys } from '../../data/credentials.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { SandboxSettings } from './sandbox-settings.tsx';
import { useSettingsTexts } from './texts/use-settings-texts.ts';

/** The actions that only administrators may do. */
export function AdministrationSettings() {
  const t = useSettingsTexts();
  const rotate = useRotateKeys();
  const unreadable = rotate.data?.unreadable ?? [];
  return (
    <>
      <SandboxSettings />
      <Section title={t('keys')} hint={t('keys_hint')}>
        <Button
          busy={rotate.isPending}
          onClick={() =>
            rotate.mutate(
              {},
              {
                onSuccess: ({ rotated }) => toast.done(t('keys_rotated', { count: rotated })),
                onError: showFailure,
              },
            )
          }
        >
          <KeyRound aria-hidden />
          {t('rotate_keys')}
        </Button>
        {unreadable.length > 0 ? (
          <div role="status" className="mt-4 rounded-m border border-warning-line bg-warning-tint px-3 py-2">
            <p className="flex items-center gap-2 font-medium text-warning">
              <TriangleAlert className="size-4" aria-hidden />
              {t('keys_unreadable')}
            </p>
            <ul className="mt-1 list-disc pl-6">
              {unreadable.map((credential) => (
                <li key={credential.id}>{credential.name}</li>
              ))}
            </ul>
          </div>
        ) : null}
      </Section>
    </>
  );
}
