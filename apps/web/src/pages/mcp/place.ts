import { Plug } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const mcp: Place = {
  group: 'connect',
  icon: Plug,
  key: 'p',
};
