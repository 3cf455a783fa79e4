import type { SkillFile } from '@millrace/contracts';
import { Check } from 'lucide-react';
import { useStore } from 'zustand';
import { useModelCredentials } from '../../../data/credentials.ts';
import { useMe } from '../../../data/session.ts';
import { Composer } from '../../../features/conversation/composer.tsx';
import { Messages } from '../../../features/conversation/messages.tsx';
import { canAnswer, ModelChoiceFields } from '../../../features/conversation/model-choice.tsx';
import { getChoiceStore } from '../../../features/conversation/model-choice-store.ts';
import { useConversationTexts } from '../../../features/conversation/texts/use-conversation-texts.ts';
import { WithModels } from '../../../features/conversation/with-models.tsx';
import { Button } from '../../../ui/actions/button.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useSkillsTexts } from './texts/use-skills-texts.ts';
import { useBuilder } from './use-builder.ts';

interface SkillBuilderDialogProps {
  name: string;
  /** SKILL.md first. */
  files: readonly SkillFile[];
  onUse: (files: readonly SkillFile[]) => void;
  onClose: () => void;
}

/** A conversation that writes a skill, and its files as they are now; nothing is changed before they are used. */
export function SkillBuilderDialog({ name, files: first, onUse, onClose }: SkillBuilderDialogProps) {
  const t = useSkillsTexts();
  const assistant = useConversationTexts();
  const credentials = useModelCredentials();
  const { choice, choose } = useStore(getChoiceStore(useMe().id));
  const { messages, files, running, ask, stop } = useBuilder({ name, files: first });
  const hasModels = credentials.data !== undefined && credentials.data.length > 0;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('title')}
      description={t('description')}
      size="wide"
      footer={
        hasModels ? (
          <div className="grow">
            <Composer
              hint={t('message_hint')}
              ready={canAnswer(choice, credentials.data ?? [])}
              running={running}
              onStop={stop}
              onAsk={({ text }) => {
                if (choice) void ask(choice, text);
              }}
            />
          </div>
        ) : null
      }
    >
      <WithModels>
        {(models) => (
          <div className="flex flex-col gap-3">
            <div className="flex flex-wrap items-center gap-2">
              <ModelChoiceFields credentials={models} choice={choice} onChoose={choose} />
            </div>
            {messages.length > 0 ? (
              <div role="log" aria-label={assistant('conversation')}>
                <Messages messages={messages} />
              </div>
            ) : null}
            {files === first ? null : (
              <section
                aria-label={t('files')}
                className="flex flex-col gap-2 rounded-l border border-line-strong p-3"
              >
                {files.map(({ path, content }) => (
                  <div key={path}>
                    <h3 className="font-mono text-sm font-medium">{path}</h3>
                    <pre
                      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
                      tabIndex={0}
                      role="region"
                      aria-label={path}
                      className="mt-1 max-h-72 overflow-auto rounded-m bg-sunken p-2 font-mono text-sm whitespace-pre-wrap"
                    >
                      {content}
                    </pre>
                  </div>
                ))}
                <Button
                  tone="primary"
                  className="self-start"
                  disabled={running}
                  onClick={() => {
                    onUse(files);
                    onClose();
                  }}
                >
                  <Check aria-hidden />
                  {t('use')}
                </Button>
              </section>
            )}
          </div>
        )}
      </WithModels>
    </Dialog>
  );
}
