/**
 * Number of the block that is being executed. Blocks are executed synchronously, so there is one at a time in a process.
 *
 * Tables are constants of their modules, which handlers call with nothing but a state; rows of a block have the types of that
 * block all the same.
 */
let inWork: { readonly number: bigint; readonly tables: ReadonlySet<symbol> | undefined } | undefined;

/** @param work Synchronous. @param tables Those of the definition, which are all that the work may use; any, if undefined. */
export function withBlock<T>(number: bigint, work: () => T, tables?: ReadonlySet<symbol>): T {
  const outer = inWork;
  inWork = { number, tables };
  try {
    return work();
  } finally {
    inWork = outer;
  }
}

/** Undefined outside the execution of a block, as for queries. */
export function blockInWork(): bigint | undefined {
  return inWork?.number;
}

/** Whether the work on a block may use a table. */
export function isListed(table: symbol): boolean {
  return inWork?.tables?.has(table) ?? true;
}
