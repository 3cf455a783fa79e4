import places from '../shell/places/messages/de.json';
import frame from './de.json';

export const messages = { ...frame, nav: { ...frame.nav, ...places } };
