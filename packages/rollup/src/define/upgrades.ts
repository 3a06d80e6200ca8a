import { Rejected } from '@switchyard/protocol';
import type { Activation } from '../app/activations.ts';
import type { RollupDefinition, TransactionFormat } from '../app/definition.ts';
import type { Contract } from './contract.ts';
import { contractOfDocument } from './contract-from.ts';
import type { AnyRollup } from './definition.ts';
import { plain } from './document.ts';
import { blocksIn, partsAt } from './eras.ts';
import { laterMembers } from './schemas.ts';
import { BOUNDS, countedFor } from './steps.ts';
import { hashOfTypedData, toTypedData } from './typed-data.ts';

interface Era {
  readonly from: bigint;
  readonly contract: Contract;
}

/**
 * Parts of transactions and migrations that a running chain gets at blocks of their own. In the blocks before, the bytes of a
 * later part are invalid, like for the programs before it.
 */
export function toUpgrades(
  defined: AnyRollup,
  genesis: never,
): Pick<RollupDefinition, 'transactionsAt' | 'activations'> {
  const activations = [...getMigrations(defined, genesis), ...getValues(defined, genesis)];
  const eras = getEras(defined);
  const formats = eras.map(({ from }) => ({ from, format: toFormat(defined, eras, from) }));
  const [first] = formats;
  if (first === undefined || formats.length === 1) return activations.length === 0 ? {} : { activations };
  const transactionsAt = (number: bigint) => (formats.findLast(({ from }) => from <= number) ?? first).format;
  return { activations, transactionsAt };
}

/** Contracts of transactions, oldest first: each of the definition without the parts that begin later. */
function getEras({ document }: AnyRollup): readonly Era[] {
  return [0n, ...blocksIn(document.actions)].map((from) => ({
    from,
    contract: contractOfDocument(partsAt(document, from, true)),
  }));
}

function toFormat({ typeUrl }: AnyRollup, eras: readonly Era[], from: bigint): TransactionFormat {
  const [now, ...later] = eras.filter((era) => era.from >= from);
  if (now === undefined) throw new Error(`no contract of block ${from}`);
  return {
    typeUrl,
    maxBytes: now.contract.maxTransactionBytes,
    walletDigest: (envelope, body) => hashOfTypedData(toTypedData(now.contract, envelope, body)),
    decodeBody(bytes) {
      try {
        return now.contract.body.decode(bytes);
      } catch (error) {
        const begins = later.find(({ contract }) => isBody(contract, bytes));
        if (begins === undefined) throw error;
        throw new Rejected('malformed', {
          field: 'actions',
          expected: 'parts of the definition that have begun',
          got: `a part that begins at block ${begins.from}`,
        });
      }
    },
  };
}

function isBody(contract: Contract, bytes: Uint8Array): boolean {
  try {
    contract.body.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function getMigrations({ migrations = [] }: AnyRollup, genesis: never): readonly Activation[] {
  return migrations.map(
    ({ at, run }): Activation => ({
      name: `migration at block ${at}`,
      at,
      run: (state) => run(countedFor(`migration at block ${at}`, BOUNDS.whole, state), genesis),
    }),
  );
}

/** Values of later members of the genesis: its digest lacks them, and they hold from their blocks on. */
function getValues(
  { document, genesis: members }: AnyRollup,
  genesis: Readonly<Record<string, unknown>>,
): readonly Activation[] {
  return laterMembers(document).map(({ name, from }) => {
    const value = members[name].type.toJson(genesis[name]);
    return { name: `genesis member ${name} is ${JSON.stringify(plain(value))}`, at: BigInt(String(from)) };
  });
}
