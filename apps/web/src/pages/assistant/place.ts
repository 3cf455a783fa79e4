import { Bot } from 'lucide-react';
import type { Place } from '../../shell/place.ts';

export const assistant: Place = {
  group: 'run',
  icon: Bot,
  key: 'q',
};
