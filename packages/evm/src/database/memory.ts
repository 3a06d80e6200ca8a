import { inMemory } from '@switchyard/storage';
import type { Database } from './database.ts';
import { openDatabase } from './lmdb.ts';

/** Opens a database in memory, for tests and for data that is not kept. */
export const openMemoryDatabase = (): Database => inMemory((directory) => openDatabase(directory));
