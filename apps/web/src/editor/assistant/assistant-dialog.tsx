import type { Workflow } from '@millrace/contracts';
import { Composer } from '../../features/conversation/composer.tsx';
import type { Decision, Part } from '../../features/conversation/message.ts';
import { Messages } from '../../features/conversation/messages.tsx';
import { WithModels } from '../../features/conversation/with-models.tsx';
import { Button } from '../../ui/actions/button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import type { Saving } from '../session/saving.ts';
import { ChatBar } from './chat-bar.tsx';
import { CredentialCard } from './credential-card.tsx';
import { ConversationEnd } from './proposal/conversation-end.tsx';
import { useAssistantTexts } from './texts/use-assistant-texts.ts';
import { useWorkflowChat, type WorkflowChat } from './use-workflow-chat.ts';

interface AssistantDialogProps {
  workflow: Workflow;
  saving: Saving;
  onClose: () => void;
}

/** A conversation about the workflow on the canvas, and proposals that change it when they are accepted. */
export function AssistantDialog({ workflow, saving, onClose }: AssistantDialogProps) {
  const t = useAssistantTexts();
  const chat = useWorkflowChat(workflow);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('title')}
      description={t('description')}
      size="wide"
      footer={chat.has_models ? <Question chat={chat} /> : null}
    >
      <WithModels>
        {(credentials) => (
          <div className="flex flex-col gap-3">
            <ChatBar chat={chat} workflow_id={workflow.id} credentials={credentials} />
            <Transcript chat={chat} saving={saving} />
            <ConversationEnd chat={chat} workflow={workflow} />
          </div>
        )}
      </WithModels>
    </Dialog>
  );
}

/** The next question, and how far the assistant may go. */
function Question({ chat }: { chat: WorkflowChat }) {
  const t = useAssistantTexts();
  const { conversation } = chat;
  return (
    <div className="flex grow flex-col gap-2">
      <Composer
        hint={t('message_hint')}
        ready={chat.is_ready}
        running={conversation.running}
        onStop={conversation.stop}
        onAsk={conversation.ask}
      />
      <div className="mx-auto w-full max-w-3xl">
        <Checkbox label={t('ask_mode')} checked={chat.ask_mode} onChange={chat.setAskMode} />
      </div>
    </div>
  );
}

interface TranscriptProps {
  chat: WorkflowChat;
  saving: Saving;
}

function Transcript({ chat, saving }: TranscriptProps) {
  const t = useAssistantTexts();
  const { conversation, list, is_ready } = chat;
  const { messages, running } = conversation;
  /** The draft is run as the server has it. */
  const confirm = async (part: Part<'confirmation'>, decision: Decision) => {
    if (decision === 'accept' && !(await saving.save())) toast.failed(t('not_saved'));
    else conversation.decide(part, decision);
  };
  return (
    <>
      {list.isLoadingError ? <LoadFailed error={list.error} onRetry={() => void list.refetch()} /> : null}
      {conversation.is_pending || list.isPending ? <SkeletonRows rows={4} /> : null}
      {conversation.error ? <LoadFailed error={conversation.error} onRetry={conversation.reload} /> : null}
      {messages.length > 0 ? (
        <div role="log" aria-label={t('conversation')}>
          <Messages
            messages={messages}
            canDecide={!running && is_ready && !chat.proposal}
            onDecide={(part, decision) => void confirm(part, decision)}
            drawConfirmation={(part, rest) =>
              part.asked.tool === 'ask_for_credential' ? <CredentialCard part={part} {...rest} /> : undefined
            }
          />
        </div>
      ) : null}
      {messages.length === 0 && is_ready ? (
        <Button className="mx-auto" onClick={() => conversation.ask({ text: t('example_repair') })}>
          {t('example_repair')}
        </Button>
      ) : null}
    </>
  );
}
