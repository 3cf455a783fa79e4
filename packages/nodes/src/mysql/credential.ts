import { databaseCredential } from '../kit/database/credential.ts';

export const mysqlCredential = databaseCredential({ type: 'mysql', title: 'MySQL', usual_port: 3306 });
