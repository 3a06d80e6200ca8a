import { type BridgeAccount, QueryFailed, type SequencerClient, settledSearch, verdictOf } from '@switchyard/client';
import {
  type Action,
  type Denom,
  encodeTransactionBody,
  formatAddress,
  fromHex,
  parseAnyAddress,
  parseDenom,
  Rejected,
  type Signer,
  signTransaction,
  toHex,
  txHashFromHex,
  txHashOf,
} from '@switchyard/protocol';
import { Unusable } from './source.ts';
import type { Bundle, Withdrawal } from './withdrawal.ts';

export interface PayingOptions {
  readonly signer: Signer;
  /** Bech32m, of the bridge account. */
  readonly bridge: string;
  readonly prefix: string;
  readonly chainId: string;
  /** Undefined: the bridge account's own asset. */
  readonly feeAsset: Denom | undefined;
  /** Whether the key may be the one that can change the bridge account, on a local network. */
  readonly allowSudo: boolean;
}

/** Outcome of the transaction under way, as far as it is known. */
export type Progress =
  | { readonly kind: 'paid'; readonly height: bigint }
  | { readonly kind: 'under-way' }
  /** Another transaction has spent its nonce. */
  | { readonly kind: 'replaced' };

/** The sequencer's answer to a broadcast. */
export type Sent = { readonly kind: 'taken' } | { readonly kind: 'refused'; readonly reason: string };

export interface BridgeFacts {
  readonly asset: string;
  /** Balance of the bridge account in that asset, and the height of it. */
  readonly locked: bigint;
  readonly height: bigint;
}

/** The CheckTx code of the reference. */
const INSUFFICIENT_FUNDS = 6;

/** The sequencer as the withdrawer uses it. Every call may fail at any moment and is repeated. */
export function payingAccount(client: SequencerClient, options: PayingOptions) {
  const { signer, bridge, prefix, chainId, feeAsset, allowSudo } = options;
  const address = formatAddress(signer.account, prefix);
  const settled = settledSearch(client, address);
  let hasQuery = true;
  const balanceOf = async (of: string, { id }: Denom, signal: AbortSignal): Promise<bigint> => {
    const { balances } = await client.balances(of, signal);
    return balances.find(({ asset }) => parseDenom(asset).id === id)?.amount ?? 0n;
  };

  return {
    address,

    /**
     * Asset of the bridge account and id of its rollup; undefined while the account is none.
     *
     * @throws {Unusable} where our key may not pay from it.
     */
    async bridgeAccount(signal: AbortSignal): Promise<Pick<BridgeAccount, 'asset' | 'rollup'> | undefined> {
      const status = await client.genesisChainId(signal);
      if (status !== chainId) throw new Unusable(`the sequencer is of chain ${status}, expected ${chainId}`);
      const found = await client.bridgeAccount(bridge, signal);
      if (found === undefined) return undefined;
      if (found.withdrawer !== address) {
        throw new Unusable(
          `the withdrawer of the bridge account is ${found.withdrawer}, and this key is ${address}: use its key, or change it with \`switchyard sequencer bridge-sudo-change\``,
        );
      }
      if (found.sudo === address && !allowSudo) {
        throw new Unusable(
          `this key can also change the bridge account: give that power to a key that is kept elsewhere, with \`switchyard sequencer bridge-sudo-change --new-sudo-address\``,
        );
      }
      return found;
    },

    async locked(asset: string, signal: AbortSignal): Promise<Omit<BridgeFacts, 'asset'>> {
      const { height, balances } = await client.balances(bridge, signal);
      const { id } = parseDenom(asset);
      const held = balances.find((each) => parseDenom(each.asset).id === id);
      return { height, locked: held?.amount ?? 0n };
    },

    /**
     * Balance that these payments can be made of: that of the bridge account, less the fees where it pays them itself.
     *
     * @throws {Unusable} where our account cannot pay the fees.
     */
    async spendable(withdrawals: readonly Withdrawal[], asset: string, signal: AbortSignal): Promise<bigint> {
      const fee = feeAsset ?? parseDenom(asset);
      const actions = withdrawals.map((each) => unlock(each, bridge, fee));
      const [fees, own, { locked }] = await Promise.all([
        client.fee(encodeTransactionBody({ nonce: 0, chainId, actions }), signal),
        balanceOf(address, fee, signal),
        this.locked(asset, signal),
      ]);
      const due = fees.reduce((sum, { amount }) => sum + amount, 0n);
      if (own < due) {
        throw new Unusable(
          `${address} pays the fees of withdrawals: expected at least ${due} ${fee.text}, got ${own}: send it some`,
        );
      }
      return address === bridge && fee.id === parseDenom(asset).id ? locked - due : locked;
    },

    /** Signs payments for the account's next nonce. @throws {Rejected} where a destination is no address. */
    async sign(withdrawals: readonly Withdrawal[], asset: string, signal: AbortSignal): Promise<Bundle> {
      const { nonce } = await client.nonce(address, signal);
      const fee = feeAsset ?? parseDenom(asset);
      const actions = withdrawals.map((each) => unlock(each, bridge, fee));
      const bytes = signTransaction({ nonce, chainId, actions }, signer);
      return { nonce, hash: txHashOf(bytes), bytes: toHex(bytes), numbers: withdrawals.map(({ number }) => number) };
    },

    async send({ bytes }: Bundle, signal: AbortSignal): Promise<Sent> {
      const { code, log } = await client.broadcastSync(fromHex(bytes), signal);
      const verdict = verdictOf(code);
      if (verdict === 'wrong-chain') throw new Unusable(`the sequencer is of another chain than ${chainId}`);
      // One that waits for room is sent again. A bridge account with too little may stay so, and other payments must not wait for it.
      const waits = verdict === 'later' && code !== INSUFFICIENT_FUNDS;
      if (verdict === 'taken' || verdict === 'contested' || waits) return { kind: 'taken' };
      return { kind: 'refused', reason: log === '' ? `no reason given (code ${code})` : log.slice(0, 300) };
    },

    async progress({ nonce, hash }: Bundle, signal: AbortSignal): Promise<Progress> {
      const candidate = txHashFromHex(hash);
      const { spenders } = await settled([{ nonce, candidates: [{ hash: candidate }] }], signal);
      const spender = spenders.get(nonce);
      if (spender === undefined) return { kind: 'under-way' };
      return spender === 'foreign' ? { kind: 'replaced' } : { kind: 'paid', height: spender.height };
    },

    /** Whether an event is paid, by whatever transaction; undefined where the sequencer cannot answer that. */
    async isPaid(eventId: string, signal: AbortSignal): Promise<boolean | undefined> {
      if (!hasQuery) return undefined;
      try {
        return (await client.withdrawalEvent(bridge, eventId, signal)) !== undefined;
      } catch (error) {
        if (!(error instanceof QueryFailed)) throw error;
        hasQuery = false;
        return undefined;
      }
    },
  };
}

export type PayingAccount = ReturnType<typeof payingAccount>;

/** @throws {Rejected} where the destination is no address of the bridge's chain. */
function unlock({ to, amount, memo, block, eventId }: Withdrawal, bridge: string, feeAsset: Denom): Action {
  return {
    kind: 'bridgeUnlock',
    ...{ to: destinationOf(to, bridge), amount, feeAsset, memo, bridge: parseAnyAddress(bridge) },
    ...{ rollupBlockNumber: block, withdrawalEvent: eventId },
  };
}

/** @throws {Rejected} */
export function destinationOf(to: string, bridge: string) {
  const address = parseAnyAddress(to);
  const { prefix } = parseAnyAddress(bridge);
  if (address.prefix !== prefix) {
    throw new Rejected('malformed', { field: 'to', expected: `prefix ${prefix}`, got: `prefix ${address.prefix}` });
  }
  return address;
}
