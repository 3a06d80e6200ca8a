import { type RollupClient, RollupRefused } from '@switchyard/client/rollup';
import { account, sign } from '@switchyard/messenger/client';
import {
  DEFAULT_PREFIX,
  formatAddress,
  fromHex,
  parseAnyAddress,
  parseDenom,
  type Signer,
  toHex,
  txHashOf,
} from '@switchyard/protocol';
import type { Outcome, Payer, SignedPayment } from '../payer.ts';
import { parseSequencerAddress } from '../sequencer/address.ts';

/** Part of a messenger node that the payer needs. */
export type MessengerNode = Pick<RollupClient, 'get' | 'block' | 'status' | 'submit' | 'transaction'>;

/** Pays in an asset of the messenger, by transfers, which are free there. */
export function messengerPayer(signer: Signer, asset: string, node: MessengerNode): Payer {
  const own = formatAddress(signer.account);
  let chainId: string | undefined;

  return {
    account: own,
    close: () => undefined,
    recipient: (text) => formatAddress(parseSequencerAddress(text, DEFAULT_PREFIX)),

    async funds(signal) {
      const [status, genesis, { nonce, balances }] = await Promise.all([
        node.status(signal),
        node.block(0n, signal),
        account(node, own, signal),
      ]);
      chainId = status.chainId;
      return {
        // A chain that was begun anew may have the same id.
        chain: `${chainId} ${genesis.hash}`,
        chainId,
        rollup: status.rollup,
        nonce: BigInt(nonce),
        balance: balances.find((each) => each.asset === asset)?.amount ?? 0n,
        fee: 0n,
      };
    },

    async sign({ to, amount, nonce }, signal) {
      const chain = chainId ?? (await node.status(signal)).chainId;
      const denom = parseDenom(asset);
      const transfer = { to: parseAnyAddress(to), amount, asset: denom, feeAsset: denom };
      const body = { nonce: Number(nonce), chainId: chain, actions: [{ kind: 'transfer' as const, ...transfer }] };
      const bytes = sign(body, signer);
      return { nonce, hash: txHashOf(bytes), bytes: toHex(bytes), cost: amount };
    },

    async send({ bytes }, signal) {
      try {
        await node.submit(fromHex(bytes), signal);
        return { kind: 'held' };
      } catch (error) {
        if (!(error instanceof RollupRefused)) throw error;
        return { kind: 'later', reason: `the messenger refused: ${error.message.slice(0, 300)}` };
      }
    },

    outcome: (payments, signal) => outcomeOf(node, payments, signal),
  };
}

async function outcomeOf(
  node: MessengerNode,
  payments: readonly SignedPayment[],
  signal: AbortSignal,
): Promise<Outcome> {
  let isReplaced = false;
  for (const { hash } of payments) {
    const found = await node.transaction(hash, signal);
    const { state, block = 0n } = found ?? {};
    if (state === 'executed' || state === 'firm') return { kind: 'paid', hash, block };
    // It moved nothing, and its nonce is spent.
    isReplaced ||= state === 'refused';
  }
  return { kind: isReplaced ? 'replaced' : 'unknown' };
}
