import { CalendarClock } from 'lucide-react';
import type { Place } from '../../shell/places/place.ts';

export const schedules: Place = {
  group: 'run',
  icon: CalendarClock,
  key: 'h',
};
