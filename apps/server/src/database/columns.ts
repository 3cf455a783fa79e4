import { type AnyPgColumn, customType, timestamp, uuid } from 'drizzle-orm/pg-core';

/**
 * JSON kept as text. `jsonb` refuses `\u0000`, reorders keys and rounds numbers; user data must come back as it went in.
 */
export const jsonText = customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (text) => JSON.parse(text) as unknown,
});

export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 });

export const primaryId = () => uuid('id').primaryKey().defaultRandom();
export const createdAt = () => instant('created_at').notNull().defaultNow();
export const updatedAt = () => instant('updated_at').notNull().defaultNow();

/** Column for the row that this one is part of, and goes with. */
export const belongsTo = <Name extends string>(name: Name, column: () => AnyPgColumn) =>
  uuid(name).notNull().references(column, { onDelete: 'cascade' });
