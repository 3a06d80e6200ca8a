import { InvalidConfig } from '@switchyard/service';
import type { Database } from './database.ts';

const OWNER = Buffer.from('backend');

/**
 * Remembers which back end keeps a database: each leaves out rows that the other one needs.
 *
 * @throws {InvalidConfig} if it is the other one's.
 */
export function claimDatabase(database: Database, backend: 'embedded' | 'stock'): void {
  const table = database.table('owner');
  const found = table.get(OWNER);
  if (found === undefined) {
    database.write((writer) => writer.put(table, OWNER, Buffer.from(backend)));
    return;
  }
  const owner = Buffer.from(found).toString();
  if (owner === backend) return;
  throw new InvalidConfig({
    variable: 'SVC_EVM_BACKEND',
    expected: `${owner}, which the database was begun with`,
    got: backend,
    advice: 'set it back, or start over with another SVC_EVM_DB_FILEPATH: all blocks are executed again',
  });
}
