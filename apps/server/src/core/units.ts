export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const MEGABYTE = 1024 * 1024;
