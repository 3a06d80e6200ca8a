import {
  type BlockReader,
  QueryFailed,
  type SequencerClient,
  type Settled,
  settledSearch,
  verdictOf,
} from '@switchyard/client';
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
> &
  BlockReader;

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
  const settled = settledSearch(node, account);
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
        getFees(node, body, asset, signal),
      ]);
      chainId = chain;
      const isOurs = (each: { readonly asset: string }): boolean => parseDenom(each.asset).id === denom.id;
      return {
        chain,
        chainId: chain,
        nonce,
        balance: balances.find(isOurs)?.amount ?? 0n,
        fee: fees.filter(isOurs).reduce((sum, { amount }) => sum + amount, 0n),
      };
    },

    async sign({ to, amount, nonce }, signal) {
      const actions = [transfer(to, amount)];
      const body = { nonce, chainId: chainId ?? (await node.genesisChainId(signal)), actions };
      const [fee] = await node.fee(encodeTransactionBody(body), signal);
      const bytes = signTransaction(body, signer);
      return { hash: txHashOf(bytes), bytes: toHex(bytes), cost: amount + (fee?.amount ?? 0n) };
    },

    async send({ bytes }, signal) {
      const { code, log } = await node.broadcastSync(fromHex(bytes), signal);
      return getSent(code, log);
    },

    outcome: (payments, nonce, signal) => getOutcome(node, settled, { payments, nonce }, signal),
  };
}

/** @throws {Unusable} if the sequencer does not take the asset for fees. */
async function getFees(node: SequencerNode, body: Uint8Array, asset: string, signal: AbortSignal) {
  try {
    return await node.fee(body, signal);
  } catch (error) {
    if (!(error instanceof QueryFailed)) throw error;
    const taken = await node.allowedFeeAssets(signal);
    if (taken.some((each) => parseDenom(each).id === parseDenom(asset).id)) throw error;
    throw new Unusable(
      `the sequencer takes ${taken.join(', ')} for fees, and not ${asset}; set SVC_FAUCET_ASSET to an accepted one`,
    );
  }
}

function getSent(code: number, log: string): Sent {
  if (verdictOf(code) === 'taken') return { kind: 'held' };
  return {
    kind: 'later',
    reason: `the sequencer refused: ${log === '' ? 'no reason given' : log.slice(0, 300)} (code ${code})`,
  };
}

const NOTHING_KNOWN: Pick<Settled, 'spenders'> = { spenders: new Map() };

async function getOutcome(
  node: SequencerNode,
  settled: ReturnType<typeof settledSearch>,
  { payments, nonce }: { readonly payments: readonly SignedPayment[]; readonly nonce: number },
  signal: AbortSignal,
): Promise<Outcome> {
  const candidates = payments.map(({ hash }) => ({ hash: txHashFromHex(hash) }));
  // A node may have forgotten who spent an old nonce, and find the transaction itself.
  for (const { hash } of candidates) {
    const result = await node.tx(hash, signal);
    if (result?.code === 0) return { kind: 'paid', hash, block: result.height };
  }
  const { spenders } = await settled([{ nonce, candidates }], signal).catch(() => NOTHING_KNOWN);
  const spender = spenders.get(nonce);
  if (spender === undefined) return { kind: 'undecided' };
  if (spender === 'foreign') return { kind: 'replaced' };
  return { kind: 'paid', hash: spender.transaction, block: spender.height };
}
