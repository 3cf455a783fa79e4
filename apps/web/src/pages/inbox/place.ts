import { Inbox } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const inbox: Place = {
  group: 'run',
  icon: Inbox,
  key: 'i',
};
