import { openLmdbStore } from '@switchyard/machine';
import { type RunningChain, runningChain } from '../app/definition-origin.ts';
import { contractOfDocument } from './contract-from.ts';
import type { AnyRollup } from './definition.ts';
import { compareDefinitions, type Difference, differenceLine } from './differences.ts';

/**
 * The definition as the chain of a database can take it: changes without a block begin at the next one.
 *
 * @param report Takes a line about these changes.
 * @returns the definition unchanged, if the database is empty or there are changes that no running chain can take.
 */
export async function adopted(
  defined: AnyRollup,
  directory: string,
  report: (line: string) => void,
): Promise<AnyRollup> {
  const store = openLmdbStore(directory);
  try {
    const running = runningChain(store.snapshot());
    if (running === undefined) return defined;
    const { definition, refused } = adoptedBy(defined, running, report);
    return refused.length > 0 ? defined : definition;
  } finally {
    await store.close();
  }
}

/** The definition with which a chain continues, and changes that it cannot take, in words. */
export function adoptedBy(
  defined: AnyRollup,
  { document: running, soft }: RunningChain,
  report: (line: string) => void = () => undefined,
): { readonly definition: AnyRollup; readonly refused: readonly string[] } {
  const { differences, document } = compareDefinitions(JSON.parse(running), defined.document, soft);
  const find = (kind: Difference['kind']) => differences.filter((each) => each.kind === kind).map(differenceLine);
  const [open, refused] = [find('open'), find('refused')];
  if (refused.length > 0) return { definition: defined, refused };
  if (open.length > 0) report(`from block ${soft + 1n} on: ${open.join('; ')}`);
  return { definition: { ...defined, ...contractOfDocument(document) }, refused };
}
