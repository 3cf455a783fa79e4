import { useEffect, useRef, useState } from 'preact/hooks';
import { isWorking, type Message } from '../conversation/message.ts';
import { t } from '../texts.ts';

/**
 * The announcement of the run for screen readers: that it works, once, and when the answer is there, which the log then
 * reads out. A hidden tab says it in its title, too.
 */
export function useAnnouncement(last: Message | undefined, title: string): string {
  const [text, setText] = useState('');
  const workedRef = useRef(false);
  const works = isWorking(last);
  const isReconnecting = works && last.state === 'reconnecting';
  const isDone = last?.role === 'assistant' && last.state === 'done';
  useEffect(() => {
    if (works) setText(isReconnecting ? t('reconnecting') : t('working'));
    else if (workedRef.current) setText(isDone ? t('answer_ready') : '');
    if (workedRef.current && !works && document.hidden) document.title = `● ${title}`;
    workedRef.current = works;
  }, [works, isReconnecting, isDone, title]);
  useEffect(() => {
    document.title = title;
    const onShow = () => {
      if (!document.hidden) document.title = title;
    };
    document.addEventListener('visibilitychange', onShow);
    return () => document.removeEventListener('visibilitychange', onShow);
  }, [title]);
  return text;
}
