import { alice } from '@switchyard/cli/dev';
import { ALREADY_PRESENT, type SequencerClient } from '@switchyard/client';
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
import type { Random } from '../../support/random.ts';
import type { Answer, Sender } from './lane.ts';

export const SEQUENCER_ASSET = 'ntia';
/** The sequencer remembers what it has seen; these say that the bytes are, or were, in its hands. */
const ALREADY_INCLUDED = 18;
const INVALID_NONCE = 4;
const INCLUDED_WITHIN_MS = 5_000;

export interface DepositLoad {
  readonly client: Pick<SequencerClient, 'broadcastSync' | 'tx'>;
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
  return {
    from: formatAddress(signer.account),
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
        send: () => submit(client, bytes, id),
      };
    },
  };
}

async function submit(client: DepositLoad['client'], bytes: Uint8Array, id: TxHash): Promise<Answer> {
  try {
    const { code, log } = await client.broadcastSync(bytes);
    const held = code === 0 || code === ALREADY_PRESENT || code === ALREADY_INCLUDED || code === INVALID_NONCE;
    if (!held) return { outcome: 'refused', follow: 'again', detail: `${code} ${log}` };
    for (const end = performance.now() + INCLUDED_WITHIN_MS; performance.now() < end; ) {
      const result = await client.tx(id);
      if (result?.code === 0) return { outcome: 'acknowledged', follow: 'next' };
      if (result !== undefined) return { outcome: 'refused', follow: 'next', detail: `${result.code} ${result.log}` };
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return { outcome: 'unknown', follow: 'again', detail: `${code} ${log}: in no block yet` };
  } catch (error) {
    return { outcome: 'unknown', follow: 'again', detail: error instanceof Error ? error.message : String(error) };
  }
}
