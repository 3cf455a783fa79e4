import { CalendarClock } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const schedules: Place = {
  group: 'run',
  icon: CalendarClock,
  key: 'h',
};
