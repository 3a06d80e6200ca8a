import { QueryFailed, type SequencerClient, verdictOf } from '@switchyard/client';
import {
  type ActionOf,
  encodeTransactionBody,
  formatAddress,
  fromHex,
  parseDenom,
  type Signer,
  signTransaction,
  toHex,
  txHashFromHex,
  txHashOf,
} from '@switchyard/protocol';
import { type Outcome, type Payer, type Sent, type SignedPayment, Unusable } from '../payer.ts';
import { parseSequencerAddress } from './address.ts';

/** Part of a sequencer node that the payer needs. */
export type SequencerNode = Pick<
  SequencerClient,
  'genesisChainId' | 'balances' | 'nonce' | 'fee' | 'allowedFeeAssets' | 'broadcastSync' | 'tx' | 'nonceSpender'
>;

export interface SequencerAsset {
  /** Asset in the sequencer's own notation. Fees are paid in it too. */
  readonly asset: string;
  /** Prefix of addresses. */
  readonly prefix: string;
}

/** Pays in an asset of the sequencer, by transfers. */
export function sequencerPayer(
  signer: Signer,
  { asset, prefix }: SequencerAsset,
  node: SequencerNode,
  close: () => void = () => undefined,
): Payer {
  const denom = parseDenom(asset);
  const account = formatAddress(signer.account, prefix);
  let chainId: string | undefined;

  const transfer = (to: string, amount: bigint): ActionOf<'transfer'> => ({
    kind: 'transfer',
    to: { account: parseSequencerAddress(to, prefix), prefix },
    amount,
    asset: denom,
    feeAsset: denom,
  });

  return {
    account,
    close,
    recipient: (text) => formatAddress(parseSequencerAddress(text, prefix), prefix),

    async funds(signal) {
      const body = encodeTransactionBody({ nonce: 0, chainId: '', actions: [transfer(account, 1n)] });
      const [chain, { nonce }, { balances }, fees] = await Promise.all([
        node.genesisChainId(signal),
        node.nonce(account, signal),
        node.balances(account, signal),
        feesOf(node, body, asset, signal),
      ]);
      chainId = chain;
      const isOurs = (each: { readonly asset: string }): boolean => parseDenom(each.asset).id === denom.id;
      return {
        chain,
        chainId: chain,
        nonce: BigInt(nonce),
        balance: balances.find(isOurs)?.amount ?? 0n,
        fee: fees.filter(isOurs).reduce((sum, { amount }) => sum + amount, 0n),
      };
    },

    async sign({ to, amount, nonce }, signal) {
      const actions = [transfer(to, amount)];
      const body = { nonce: Number(nonce), chainId: chainId ?? (await node.genesisChainId(signal)), actions };
      const [fee] = await node.fee(encodeTransactionBody(body), signal);
      const bytes = signTransaction(body, signer);
      return { nonce, hash: txHashOf(bytes), bytes: toHex(bytes), cost: amount + (fee?.amount ?? 0n) };
    },

    async send({ bytes }, signal) {
      const { code, log } = await node.broadcastSync(fromHex(bytes), signal);
      return sentOf(code, log);
    },

    outcome: (payments, signal) => outcomeOf(node, account, payments, signal),
  };
}

/** @throws {Unusable} where the sequencer does not take the asset for fees. */
async function feesOf(node: SequencerNode, body: Uint8Array, asset: string, signal: AbortSignal) {
  try {
    return await node.fee(body, signal);
  } catch (error) {
    if (!(error instanceof QueryFailed)) throw error;
    const taken = await node.allowedFeeAssets(signal);
    if (taken.some((each) => parseDenom(each).id === parseDenom(asset).id)) throw error;
    throw new Unusable(
      `the sequencer takes ${taken.join(', ')} for fees, and not ${asset}; set SVC_FAUCET_ASSET to one that it takes`,
    );
  }
}

function sentOf(code: number, log: string): Sent {
  if (verdictOf(code) === 'taken') return { kind: 'held' };
  return {
    kind: 'later',
    reason: `the sequencer refused: ${log === '' ? 'no reason given' : log.slice(0, 300)} (code ${code})`,
  };
}

async function outcomeOf(
  node: SequencerNode,
  account: string,
  payments: readonly SignedPayment[],
  signal: AbortSignal,
): Promise<Outcome> {
  const [first] = payments;
  for (const { hash } of payments) {
    const result = await node.tx(txHashFromHex(hash), signal);
    if (result?.code === 0) return { kind: 'paid', hash, block: result.height };
    if (result !== undefined) return { kind: 'failed', hash, reason: result.log };
  }
  // Nodes other than ours do not offer this; then only time tells.
  const spenders = await node
    .nonceSpender(account, first === undefined ? [] : [Number(first.nonce)], signal)
    .then(({ spenders: known }) => known)
    .catch(() => []);
  const [spender] = spenders;
  if (spender === undefined) return { kind: 'unknown' };
  const ours = payments.find(({ hash }) => hash === spender.hash);
  return ours === undefined ? { kind: 'replaced' } : { kind: 'paid', hash: ours.hash, block: spender.height };
}
