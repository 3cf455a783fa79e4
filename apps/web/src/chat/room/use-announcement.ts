import { useEffect, useRef, useState } from 'preact/hooks';
import { isWorking, type Message } from '../conversation/message.ts';
import { t } from '../texts.ts';

/**
 * What a screen reader says about the run: that it works, once, and when the answer is there, which the log then reads
 * out. A hidden tab says it in its title, too.
 */
export function useAnnouncement(last: Message | undefined, title: string): string {
  const [text, setText] = useState('');
  const worked = useRef(false);
  const works = isWorking(last);
  const isReconnecting = works && last.state === 'reconnecting';
  useEffect(() => {
    if (works) setText(isReconnecting ? t('reconnecting') : t('working'));
    else if (worked.current)
      setText(last?.role === 'assistant' && last.state === 'done' ? t('answer_ready') : '');
    if (worked.current && !works && document.hidden) document.title = `● ${title}`;
    worked.current = works;
  }, [works, isReconnecting]);
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
