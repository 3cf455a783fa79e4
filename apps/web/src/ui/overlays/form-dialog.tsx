import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../actions/button.tsx';
import { FormProblem } from '../forms/form-problem.tsx';
import type { useForm } from '../forms/use-form.ts';
import { Dialog } from './dialog.tsx';

interface FormDialogProps {
  form: Pick<ReturnType<typeof useForm>, 'props' | 'problem' | 'busy' | 'send'>;
  title: ReactNode;
  description?: ReactNode;
  size?: 'small' | 'medium' | 'large';
  /** Word on the button that sends; "Save" by default. */
  action?: string;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog that is one form: what went wrong as a whole on top, Cancel and the sending button below. Enter sends too. */
export function FormDialog({ form, title, description, size, action, onClose, children }: FormDialogProps) {
  const t = useTranslations('ui');
  return (
    <Dialog
      open
      {...(size ? { size } : {})}
      onOpenChange={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button tone="primary" busy={form.busy} onClick={form.send}>
            {action ?? t('save')}
          </Button>
        </>
      }
    >
      <form {...form.props} className="flex flex-col gap-4">
        <FormProblem text={form.problem} />
        {children}
        {/* Without a button of its own a form with several fields ignores Enter. */}
        <button type="submit" hidden tabIndex={-1} aria-hidden />
      </form>
    </Dialog>
  );
}
