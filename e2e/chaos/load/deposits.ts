import { alice } from '@switchyard/cli/dev';
import { findInBlocks, type SequencerClient, verdictOf } from '@switchyard/client';
import {
  createSigner,
  formatAddress,
  fromHex,
  parseAnyAddress,
  parseDenom,
  signTransaction,
  type TxHash,
  txHashOf,
} from '@switchyard/protocol';
import type { Random } from '@switchyard/service/testing';
import type { Answer, Sender } from './lane.ts';

export const SEQUENCER_ASSET = 'ntia';
/** If the bytes have used the nonce themselves, the sequencer had them as well. */
const INVALID_NONCE = 4;
const INCLUDED_WITHIN_MS = 5_000;

export interface DepositLoad {
  readonly client: Pick<SequencerClient, 'broadcastSync' | 'tx' | 'nonce' | 'block' | 'blockResults'>;
  readonly chainId: string;
  /** The bridge account of the rollup. */
  readonly bridge: string;
  /** Accounts of the rollup. */
  readonly recipients: readonly string[];
  readonly random: Random;
}

/** Deposits from alice's account of the sequencer, one after another. Acknowledged means: in a block, and successful. */
export function depositSender({ client, chainId, bridge, recipients, random }: DepositLoad): Sender {
  const signer = createSigner(fromHex(alice.key));
  const asset = parseDenom(SEQUENCER_ASSET);
  const from = formatAddress(signer.account);
  return {
    from,
    sign(nonce) {
      const destination = random.pick(recipients);
      const amount = BigInt(random.between(1, 1_000));
      const lock = {
        kind: 'bridgeLock',
        to: parseAnyAddress(bridge),
        amount,
        asset,
        feeAsset: asset,
        destination,
      } as const;
      const bytes = signTransaction({ nonce, chainId, actions: [lock] }, signer);
      const id = txHashOf(bytes);
      return {
        id,
        intent: { kind: 'deposit', to: destination, asset: SEQUENCER_ASSET, amount: String(amount) },
        send: submitter(client, { bytes, id, from, nonce }),
      };
    },
  };
}

interface Deposit {
  readonly bytes: Uint8Array;
  readonly id: TxHash;
  readonly from: string;
  readonly nonce: number;
}

/** @returns a function that sends the deposit once more. */
function submitter(client: DepositLoad['client'], { bytes, id, from, nonce }: Deposit): () => Promise<Answer> {
  /** No block up to this height can hold the deposit. */
  let unspentAt: bigint | undefined;
  const result = async () => {
    const indexed = await client.tx(id);
    if (indexed !== undefined) return indexed;
    const account = await client.nonce(from);
    if (account.nonce <= nonce || unspentAt === undefined) return undefined;
    return findInBlocks(client, id, { from: unspentAt + 1n, to: account.height });
  };
  return async () => {
    try {
      unspentAt ??= (await client.nonce(from)).height;
      const { code, log } = await client.broadcastSync(bytes);
      const held = verdictOf(code) === 'taken' || code === INVALID_NONCE;
      if (!held) return { outcome: 'refused', follow: 'again', detail: `${code} ${log}` };
      for (const end = performance.now() + INCLUDED_WITHIN_MS; performance.now() < end; ) {
        const found = await result();
        if (found?.code === 0) return { outcome: 'acknowledged', follow: 'next' };
        if (found !== undefined) return { outcome: 'refused', follow: 'next', detail: `${found.code} ${found.log}` };
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return { outcome: 'unknown', follow: 'again', detail: `${code} ${log}: in no block yet` };
    } catch (error) {
      return { outcome: 'unknown', follow: 'again', detail: error instanceof Error ? error.message : String(error) };
    }
  };
}
