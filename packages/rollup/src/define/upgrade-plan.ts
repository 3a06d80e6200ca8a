import { fingerprintAt } from './announce.ts';
import { contractOfDocument } from './contract-from.ts';
import { compareDefinitions, type Difference, differenceLine } from './differences.ts';
import { blocksIn } from './eras.ts';
import { adviceOn } from './schemas.ts';

/** Changes that turn the definition of a running chain into another one. */
export interface UpgradePlan {
  readonly changes: readonly (Pick<Difference, 'kind'> & { readonly change: string; readonly advice?: string })[];
  /** Blocks at which it changes, with the fingerprints that are announced for them. */
  readonly upgrades: readonly { readonly block: bigint; readonly fingerprint: string }[];
}

/**
 * Compares the definition of a running chain with its next one.
 *
 * @param from The document of the chain's definition, and `to` that of the next one.
 * @param soft The last block that is executed.
 * @throws {InvalidData} naming the invalid part of a document.
 */
export function upgradePlan(from: unknown, to: unknown, soft: bigint): UpgradePlan {
  const [running, next] = [from, to].map((each) => contractOfDocument(each).document);
  if (running === undefined || next === undefined) throw new Error('expected two documents');
  const { differences } = compareDefinitions(running, next, soft);
  const upgrades = blocksIn(next).filter((block) => block > soft);
  return {
    changes: differences.map((difference) => {
      const advice = adviceOn(difference, soft);
      return { kind: difference.kind, change: differenceLine(difference), ...(advice !== undefined && { advice }) };
    }),
    upgrades: upgrades.map((block) => ({ block, fingerprint: fingerprintAt(next, block) })),
  };
}
