import type { Statement, Superseded, Value } from './store.ts';

/* Requests to the thread that writes, and its answers. */

/** A batch for another thread: each text of SQL once, as most statements of a batch share a few. */
export interface PackedBatch {
  readonly sql: readonly string[];
  readonly statements: readonly (readonly [sql: number, params: readonly Value[], changes: number | undefined])[];
}

export type WriterRequest = PackedBatch | 'close';

/** Result of a batch; empty if it is on disk. */
export interface WriterAnswer {
  readonly superseded?: Pick<Superseded, 'sql' | 'expected' | 'got'>;
  readonly error?: { readonly message: string; readonly code: unknown };
}

export interface WriterOptions {
  readonly path: string;
  /** Inode of the file. If it was set aside in the meantime, the file with its path lacks the rows that batches build on. */
  readonly inode: bigint;
  readonly isDerived: boolean;
}

export function packed(batch: readonly Statement[]): PackedBatch {
  const numbers = new Map<string, number>();
  const statements = batch.map(({ sql, params, changes }) => {
    const number = numbers.get(sql) ?? numbers.size;
    numbers.set(sql, number);
    return [number, params, changes] as const;
  });
  return { sql: [...numbers.keys()], statements };
}

export function* unpacked({ sql, statements }: PackedBatch): Generator<Statement> {
  for (const [number, params, changes] of statements)
    yield { sql: sql[number] ?? '', params, ...(changes !== undefined && { changes }) };
}
