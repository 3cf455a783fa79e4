import { hash as hashFully, type Options, verify } from '@node-rs/argon2/index.js';

/** The password of the people that tests register, thousands of times. */
const TEST_PASSWORD = 'Passw0rd!';

/** Stands in for the library in tests: hashes their password with the least work, and any other as it is asked to. */
export const hash = (password: string, options: Options): Promise<string> =>
  hashFully(password, password === TEST_PASSWORD ? { ...options, memoryCost: 8, timeCost: 1 } : options);

export { verify };
