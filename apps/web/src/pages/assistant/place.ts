import { Bot } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const assistant: Place = {
  group: 'run',
  icon: Bot,
  key: 'q',
};
