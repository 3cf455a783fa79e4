/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import type { Message } from '../conversation/message.ts';
import { Icon, type IconName } from '../icon.tsx';
import { t } from '../texts.ts';
import { DownloadMenu } from './message/download-menu.tsx';

interface HeaderProps {
  info: PortalInfo;
  messages: readonly Message[];
  username: string | undefined;
  /** Absent for a visitor who has not written yet. */
  onPast: (() => void) | undefined;
  /** Absent while an answer is under way. */
  onNew: (() => void) | undefined;
  onSignOut: () => void;
}

function Tool({
  icon,
  label,
  onClick,
}: {
  icon: IconName;
  label: string;
  onClick: (() => void) | undefined;
}) {
  return (
    <button type="button" class="tool" title={label} disabled={!onClick} onClick={onClick}>
      <Icon name={icon} />
      <span>{label}</span>
    </button>
  );
}

export function RoomHeader({ info, messages, username, onPast, onNew, onSignOut }: HeaderProps) {
  const title = info.workflow_name;
  const { logo } = info.appearance;
  return (
    <header class="head" aria-label={title}>
      {logo === null ? null : <img class="logo" src={logo} alt="" />}
      <h1 dir="auto">{title}</h1>
      {onPast ? <Tool icon="clock" label={t('past_chats')} onClick={onPast} /> : null}
      {messages.length > 0 ? (
        <>
          <DownloadMenu title={title} messages={messages} />
          <Tool icon="add" label={t('new_chat')} onClick={onNew} />
        </>
      ) : null}
      {username === undefined ? null : <Tool icon="sign_out" label={t('sign_out')} onClick={onSignOut} />}
    </header>
  );
}
