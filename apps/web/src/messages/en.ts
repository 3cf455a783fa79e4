import places from '../shell/messages/en.json';
import frame from './en.json';

export const messages = { ...frame, nav: { ...frame.nav, ...places } };
