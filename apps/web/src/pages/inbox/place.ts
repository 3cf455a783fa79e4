import { Inbox } from 'lucide-react';
import type { Place } from '../../shell/places/place.ts';

export const inbox: Place = {
  group: 'run',
  icon: Inbox,
  key: 'i',
};
