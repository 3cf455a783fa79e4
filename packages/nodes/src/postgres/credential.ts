import { databaseCredential } from '../kit/database/credential.ts';

export const postgresCredential = databaseCredential({
  type: 'postgres',
  title: 'PostgreSQL',
  usual_port: 5432,
});
