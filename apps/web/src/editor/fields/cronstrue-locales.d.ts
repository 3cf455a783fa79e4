/** Each of these files registers its words with the library when it is loaded. */
declare module 'cronstrue/locales/de.js';
