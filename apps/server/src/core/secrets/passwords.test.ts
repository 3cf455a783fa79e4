import { describe, expect, it } from 'vitest';
import { hashPassword, passwordFits } from './passwords.ts';

describe('passwords', () => {
  it('are kept as argon2id with a salt of their own', async () => {
    const [one, two] = await Promise.all([hashPassword('Corr3ct!'), hashPassword('Corr3ct!')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(two);
  });

  it('fit their hash and no other', async () => {
    const hash = await hashPassword('Passw0rd!');
    expect(await passwordFits(hash, 'Passw0rd!')).toBe(true);
    expect(await passwordFits(hash, 'passw0rd!')).toBe(false);
    expect(await passwordFits(hash, '')).toBe(false);
  });

  it('never fit where there is no hash', async () => {
    expect(await passwordFits(undefined, 'Passw0rd!')).toBe(false);
  });
});
