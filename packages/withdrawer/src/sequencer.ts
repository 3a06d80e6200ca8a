import { type BridgeAccount, QueryFailed, type SequencerClient, settledSearch, verdictOf } from '@switchyard/client';
import {
  type ActionOf,
  type Denom,
  encodeTransactionBody,
  formatAddress,
  fromHex,
  parseAnyAddress,
  parseDenom,
  type Signer,
  signTransaction,
  toHex,
  txHashFromHex,
  txHashOf,
} from '@switchyard/protocol';
import { getShare, type Terms } from './plan.ts';
import { Unusable } from './source.ts';
import { type Bundle, getDestination, type Withdrawal } from './withdrawal.ts';

/** Part of a sequencer client that payments need. */
export type PayingClient = Parameters<typeof settledSearch>[0] &
  Pick<SequencerClient, 'balances' | 'bridgeAccount' | 'broadcastSync' | 'fee' | 'genesisChainId' | 'withdrawalEvent'>;

export interface PayingOptions {
  readonly signer: Signer;
  /** Bech32m, of the bridge account. */
  readonly bridge: string;
  readonly prefix: string;
  readonly chainId: string;
  /** Undefined: the bridge account's own asset. */
  readonly feeAsset: Denom | undefined;
  /** Whether the key may be allowed to change the bridge account, on a local network. */
  readonly allowSudo: boolean;
}

type Payment = Pick<Withdrawal, 'to' | 'amount' | 'memo' | 'block' | 'eventId'>;

/** The CheckTx code of the reference. */
const INSUFFICIENT_FUNDS = 6;

/** The sequencer as the withdrawer uses it. Every call may fail at any moment and is repeated. */
export function payingAccount(client: PayingClient, options: PayingOptions) {
  const { signer, bridge, prefix, chainId, feeAsset, allowSudo } = options;
  const address = formatAddress(signer.account, prefix);
  const settled = settledSearch(client, address);
  const getFeeAsset = (asset: string) => feeAsset ?? parseDenom(asset);
  let hasQuery = true;
  /** Whether fees can be returned to our account: the bridge account pays its own, and no other one can be paid. */
  let canRefund = false;
  const balanceOf = async (item: string, { id }: Denom, signal: AbortSignal) => {
    const { height, balances } = await client.balances(item, signal);
    return { height, amount: balances.find(({ asset }) => parseDenom(asset).id === id)?.amount ?? 0n };
  };
  const unlock = ({ to, amount, memo, block, eventId }: Payment, paidIn: Denom): ActionOf<'bridgeUnlock'> => ({
    kind: 'bridgeUnlock',
    ...{ to: getDestination(to, bridge), amount, feeAsset: paidIn, memo, bridge: parseAnyAddress(bridge) },
    ...{ rollupBlockNumber: block, withdrawalEvent: eventId },
  });

  return {
    address,

    /**
     * Asset of the bridge account and id of its rollup; undefined while it is no bridge account.
     *
     * @throws {Unusable} if our key may not pay from it.
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
      canRefund = address !== bridge && (await client.bridgeAccount(address, signal)) === undefined;
      return found;
    },

    /** Balance of the bridge account in its asset, and the height of it. */
    async locked(asset: string, signal: AbortSignal): Promise<{ readonly locked: bigint; readonly height: bigint }> {
      const { height, amount: locked } = await balanceOf(bridge, parseDenom(asset), signal);
      return { height, locked };
    },

    /**
     * Each payment keeps its fee back from the amount, so that what the bridge account loses is the withdrawn amount. A fee in
     * another asset is paid by our account.
     *
     * @throws {Unusable} if our account cannot pay the fees of one.
     */
    async terms(asset: string, signal: AbortSignal): Promise<Terms> {
      const paidIn = getFeeAsset(asset);
      const one = unlock({ to: bridge, amount: 1n, memo: '', block: 1n, eventId: '-' }, paidIn);
      const [fees, own, { locked }] = await Promise.all([
        client.fee(encodeTransactionBody({ nonce: 0, chainId, actions: [one] }), signal),
        balanceOf(address, paidIn, signal),
        this.locked(asset, signal),
      ]);
      const price = fees.reduce((sum, { amount }) => sum + amount, 0n);
      const isKept = paidIn.id === parseDenom(asset).id;
      const terms = { fee: isKept ? price : 0n, isRefunded: isKept && canRefund && price > 0n, locked };
      if (price === 0n || (isKept && address === bridge)) return { ...terms, most: Number.POSITIVE_INFINITY };
      const most = Number(own.amount / price) - (terms.isRefunded ? 1 : 0);
      if (most > 0) return { ...terms, most };
      const least = `${terms.isRefunded ? price * 2n : price} ${paidIn.text}`;
      throw new Unusable(
        `${address} pays the fees of withdrawals: expected at least ${least}, got ${own.amount}: send it some`,
      );
    },

    /** Signs payments for the account's next nonce. @throws {Rejected} if a destination is no address. */
    async sign(withdrawals: readonly Withdrawal[], asset: string, terms: Terms, signal: AbortSignal): Promise<Bundle> {
      const { nonce } = await client.nonce(address, signal);
      const paidIn = getFeeAsset(asset);
      const fee = getShare(terms, withdrawals.length);
      const actions = withdrawals.map((each) => unlock({ ...each, amount: each.amount - fee }, paidIn));
      const [first] = withdrawals;
      if (terms.isRefunded && first !== undefined) {
        // Its event follows from a withdrawal that is paid once, and is no event of the rollup.
        const refund = { amount: fee * BigInt(withdrawals.length), memo: '', eventId: `${first.eventId}/fees` };
        actions.push(unlock({ ...refund, to: address, block: first.block }, paidIn));
      }
      const bytes = signTransaction({ nonce, chainId, actions }, signer);
      const numbers = withdrawals.map(({ number }) => number);
      return { nonce, hash: txHashOf(bytes), bytes: toHex(bytes), numbers, fee };
    },

    /** @returns why the transaction is refused; undefined if it is not. */
    async send({ bytes }: Bundle, signal: AbortSignal): Promise<string | undefined> {
      const { code, log } = await client.broadcastSync(fromHex(bytes), signal);
      const verdict = verdictOf(code);
      if (verdict === 'wrong-chain') throw new Unusable(`the sequencer is of another chain than ${chainId}`);
      // A transaction that waits for room is sent again. A bridge account with too little may stay so, and other payments must not wait for it.
      const waits = verdict === 'later' && code !== INSUFFICIENT_FUNDS;
      if (verdict === 'taken' || verdict === 'contested' || waits) return undefined;
      return log === '' ? `no reason given (code ${code})` : log.slice(0, 300);
    },

    /** The transaction that has spent the nonce of a signed one; undefined while that is under way. */
    async spender(
      { nonce, hash }: Bundle,
      signal: AbortSignal,
    ): Promise<'foreign' | { readonly height: bigint } | undefined> {
      const { spenders } = await settled([{ nonce, candidates: [{ hash: txHashFromHex(hash) }] }], signal);
      return spenders.get(nonce);
    },

    /** Whether an event is paid, by any transaction; undefined if the sequencer cannot answer that. */
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

    /** Whether an account is a bridge account, which it then remains, and which no withdrawal can be paid to. */
    async isBridge(to: string, signal: AbortSignal): Promise<boolean> {
      return (await client.bridgeAccount(to, signal)) !== undefined;
    },
  };
}

export type PayingAccount = ReturnType<typeof payingAccount>;
