import places from '../shell/places/messages/en.json';
import frame from './en.json';

export const messages = { ...frame, nav: { ...frame.nav, ...places } };
