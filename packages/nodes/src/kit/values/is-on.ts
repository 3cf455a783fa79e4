/** Whether a switch is on, as forms store it or as an expression or an older document writes it. */
export const isOn = (value: unknown): boolean => value === true || value === 'true';
