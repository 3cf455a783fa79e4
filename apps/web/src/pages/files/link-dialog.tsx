import { createFileLink, type DriveFile, type FileLink } from '@millrace/contracts';
import { Link2, Lock, Trash2 } from 'lucide-react';
import {
  type LinkLimits,
  useCreateLink,
  useFileLinks,
  useRevokeLink,
  useTeamSharing,
} from '../../data/files.ts';
import { Button } from '../../ui/actions/button.tsx';
import { CopyButton } from '../../ui/actions/copy-button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Badge } from '../../ui/display/status-chip.tsx';
import { DateTime } from '../../ui/display/time.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Input, PasswordInput } from '../../ui/forms/input.tsx';
import { Switch } from '../../ui/forms/toggles.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { useFilesTexts } from './texts/use-files-texts.ts';

const absolute = (address: string): string => new URL(address, window.location.origin).href;
const number = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text));

function LinkRow({ file, link }: { file: DriveFile; link: FileLink }) {
  const t = useFilesTexts();
  const revoke = useRevokeLink(file.id);
  return (
    <li className="flex items-center gap-2 border-b border-line py-2 last:border-b-0">
      <Link2 className="size-4 shrink-0 text-faint" aria-hidden />
      <span className="min-w-0 grow">
        <code className="block truncate text-sm">{absolute(link.download_url)}</code>
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-faint">
          <span>
            {link.max_downloads === null
              ? t('downloads', { count: link.download_count })
              : t('downloads_of', { count: link.download_count, max: link.max_downloads })}
          </span>
          <span>
            {link.expires_at ? (
              <>
                {t('expires')} <DateTime at={link.expires_at} />
              </>
            ) : (
              t('never_expires')
            )}
          </span>
          {link.basic_auth_enabled ? (
            <Badge>
              <Lock aria-hidden />
              {t('with_password')}
            </Badge>
          ) : null}
        </span>
      </span>
      <CopyButton text={absolute(link.download_url)} label={t('copy_link')} />
      <IconButton
        size="small"
        label={t('revoke')}
        icon={<Trash2 aria-hidden />}
        onClick={() =>
          revoke.mutate(link.id, {
            onSuccess: () => toast.done(t('revoked')),
            onError: showFailure,
          })
        }
      />
    </li>
  );
}

function NewLink({ file }: { file: DriveFile }) {
  const t = useFilesTexts();
  const create = useCreateLink(file.id);
  const toBody = ({
    hours,
    password,
    downloads,
  }: {
    hours: string;
    password: string;
    downloads: string;
  }): LinkLimits => {
    const [expires_hours, max_downloads] = [number(hours), number(downloads)];
    return {
      ...(expires_hours === undefined ? {} : { expires_hours }),
      ...(max_downloads === undefined ? {} : { max_downloads }),
      ...(password === '' ? {} : { basic_auth_password: password }),
    };
  };
  const form = useForm({
    initial: { hours: '', password: '', downloads: '' },
    schema: createFileLink.body,
    toBody,
    submit: async (values) => {
      await create.mutateAsync(toBody(values));
      form.change({ hours: '', password: '', downloads: '' });
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-3 rounded-l border border-line bg-canvas p-3">
      <FormProblem text={form.problem} />
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label={t('hours')} optional error={form.errors['expires_hours']}>
          {(control) => (
            <Input
              {...control}
              inputMode="decimal"
              value={form.values.hours}
              onChange={(event) => form.change({ hours: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('max_downloads')} optional error={form.errors['max_downloads']}>
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              value={form.values.downloads}
              onChange={(event) => form.change({ downloads: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('password')} optional error={form.errors['basic_auth_password']}>
          {(control) => (
            <PasswordInput
              {...control}
              autoComplete="new-password"
              value={form.values.password}
              onChange={(event) => form.change({ password: event.target.value })}
            />
          )}
        </Field>
      </div>
      <p className="text-sm text-faint">{t('link_hint')}</p>
      <Button type="submit" tone="primary" className="self-start" busy={form.busy}>
        {t('create_link')}
      </Button>
    </form>
  );
}

/** Links of a file for people without an account, and the switch for the teams. */
export function LinkDialog({ file, onClose }: { file: DriveFile; onClose: () => void }) {
  const t = useFilesTexts();
  const links = useFileLinks(file.id);
  const sharing = useTeamSharing();
  const shared = sharing.data?.enabled ?? file.shared_with_my_teams;
  return (
    <Dialog open size="large" onOpenChange={onClose} title={t('share_title', { name: file.filename })}>
      <div className="flex flex-col gap-5">
        <Switch
          label={t('with_teams')}
          hint={t('with_teams_hint')}
          checked={shared}
          disabled={sharing.isPending}
          onChange={(enabled) =>
            sharing.mutate({ params: { id: file.id }, body: { enabled } }, { onError: showFailure })
          }
        />
        <section>
          <h3 className="pb-1.5 text-sm font-medium text-faint">{t('links')}</h3>
          {links.isPending ? (
            <SkeletonRows rows={2} />
          ) : links.isLoadingError ? (
            <LoadFailed error={links.error} onRetry={() => void links.refetch()} />
          ) : links.data.length === 0 ? (
            <p className="text-soft">{t('no_links')}</p>
          ) : (
            <ul>
              {links.data.map((link) => (
                <LinkRow key={link.id} file={file} link={link} />
              ))}
            </ul>
          )}
        </section>
        <NewLink file={file} />
      </div>
    </Dialog>
  );
}
