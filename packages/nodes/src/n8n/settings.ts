import { type ImportWarning, isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { textOf } from './source.ts';

/** Settings of the workflow that are set elsewhere here. */
const SETTINGS: Readonly<Record<string, string>> = {
  errorWorkflow:
    'Errors are handled by an error handler in the workflow here; the error workflow was left out',
  executionTimeout: 'Set the time limit in the settings of the workflow',
};

export function reportSettings(json: JsonObject, warnings: ImportWarning[]): void {
  const settings = isJsonObject(json['settings']) ? json['settings'] : {};
  for (const [key, message] of Object.entries(SETTINGS)) {
    const value = settings[key];
    if (value !== undefined && value !== '' && value !== -1)
      warnings.push({ field: `settings.${key}`, message });
  }
  const timeZone = timeZoneOf(json);
  if (timeZone !== '') {
    warnings.push({
      field: 'settings.timezone',
      message: `The time zone ${timeZone} was set in the schedules; dates in expressions use that of the service`,
    });
  }
}

/** Empty when the workflow has that of the service. */
export function timeZoneOf({ settings }: JsonObject): string {
  const written = isJsonObject(settings) ? textOf(settings['timezone']) : '';
  return written === 'DEFAULT' ? '' : written;
}

/** The same nodes run after an error. */
export const continuesOn = (stored: JsonObject): boolean =>
  stored['continueOnFail'] === true ||
  ['continueRegularOutput', 'continueErrorOutput'].includes(textOf(stored['onError']));

/** n8n counts in milliseconds and up to five tries. */
export function retryOf(stored: JsonObject): JsonObject {
  const within = (value: Json | undefined, usual: number, most: number): number =>
    Math.min(Math.max(Math.round(typeof value === 'number' ? value : usual), 1), most);
  const wait = stored['waitBetweenTries'];
  return {
    retryEnabled: true,
    retryMaxAttempts: within(stored['maxTries'], 3, 10),
    retryWaitSeconds: within(typeof wait === 'number' ? wait / 1000 : 1, 1, 60),
  };
}
