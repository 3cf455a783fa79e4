export const PASSWORD_RULES = ['length', 'upper', 'lower', 'digit'] as const;
export type PasswordRule = (typeof PASSWORD_RULES)[number];

const SAMPLES: Record<PasswordRule, RegExp> = {
  length: /^.{8,}$/su,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  digit: /[0-9]/,
};

/** Which rules of §5.4 a password meets so far. */
export function metRules(text: string): Record<PasswordRule, boolean> {
  return {
    length: SAMPLES.length.test(text),
    upper: SAMPLES.upper.test(text),
    lower: SAMPLES.lower.test(text),
    digit: SAMPLES.digit.test(text),
  };
}
