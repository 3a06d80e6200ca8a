/**
 * Posts blobs by the gRPC of a consensus node, in transactions that are signed here. So the id is known before anything is
 * sent, a retry is the same bytes, and a transaction has a height from which it is certain that it was not included.
 */
import type { Transport } from '@connectrpc/connect';
import { Rejected, txHashOf } from '@switchyard/protocol';
import {
  type CelestiaAccount,
  type CelestiaBlob,
  type CelestiaSigner,
  decodeBlobTx,
  decodePayment,
  encodeBlobTx,
  payForBlobs,
  payForBlobsGas,
  type SigningContext,
  signPayment,
  verifyPayment,
} from '@switchyard/protocol/celestia';
import { type Logger, silentLogger } from '@switchyard/service';
import { type BlobsOutcome, DaTooExpensive, DaUnavailable, type DaWriter, type PreparedBlobs } from '../layer.ts';
import { type ConsensusNode, consensusNode } from './consensus-node.ts';
import { feeFor, formatGasPrice, type GasPrice, priceFor } from './gas-price.ts';
import { afterSending, nextSequence, type Outgoing, type Taken, takenBy, toOutcome } from './outgoing.ts';
import { severalNodes } from './several-nodes.ts';

export interface CelestiaWriterOptions {
  /** Endpoint of the gRPC of a consensus node; for messages. */
  readonly url: string;
  readonly signer: CelestiaSigner;
  /** More is not paid for a unit of gas. */
  readonly maxGasPrice: GasPrice;
  /** Blocks for which a transaction can be included, from the head at which it is prepared. */
  readonly timeoutBlocks?: bigint;
}

/** About a minute at Celestia's pace: longer than a full mempool lasts, and short enough to wait for. */
const TIMEOUT_BLOCKS = 20n;
/** Transactions that are remembered; a relayer has a few under way. */
const MAX_OUTGOING = 1_000;

export interface CelestiaWriterDeps {
  readonly transport: Transport;
  /** Nodes that are asked where that one fails, in order of preference. */
  readonly others?: readonly { readonly url: string; readonly transport: Transport }[];
  readonly log?: Logger;
}

/**
 * One for each account and process: it numbers the transactions that are not in blocks yet. Another user of the account
 * makes transactions fail, and none be included twice.
 *
 * A transaction whose outcome stays `pending` may have been dropped from the mempool, or never have reached it: submit it
 * again now and then. After a restart, ask for the outcome of the stored one before anything else is prepared, so that its
 * sequence is known to be taken. The node has to have the blocks since it was prepared.
 */
export function createCelestiaWriter(
  options: CelestiaWriterOptions,
  { transport, others = [], log = silentLogger }: CelestiaWriterDeps,
): DaWriter {
  const { url, signer, maxGasPrice, timeoutBlocks = TIMEOUT_BLOCKS } = options;
  const nodes = [{ url, transport }, ...others].map((each) => consensusNode(each.transport, each.url));
  const call = severalNodes(nodes, log);
  /** Transactions that this process has prepared or sent, by id. */
  const outgoing = new Map<string, Outgoing>();
  /** Below it, everything is used, even if a node that is behind does not show it. */
  let leastSequence = 0n;
  /** Price that a node required above the stated one, and the height until which it counts. */
  let required = { price: 0n, until: 0n };
  /** Contexts by payer: another one if an earlier run of the process had another key. */
  const known = new Map<CelestiaAccount, SigningContext>();

  /** The signed values that do not change. */
  async function context(node: ConsensusNode, payer: CelestiaAccount, signal: AbortSignal) {
    const held = known.get(payer);
    if (held !== undefined) return held;
    const [chainId, { number }] = await Promise.all([node.chainId(signal), node.account(payer, signal)]);
    const found = { chainId, accountNumber: number };
    known.set(payer, found);
    return found;
  }

  async function gasPrice(node: ConsensusNode, head: bigint, signal: AbortSignal): Promise<GasPrice> {
    const [minimum, estimate = 0n] = await Promise.all([node.minimumGasPrice(signal), node.estimatedGasPrice(signal)]);
    const prices = [minimum, estimate, head <= required.until ? required.price : 0n];
    const price = prices.reduce((high, each) => (each > high ? each : high));
    if (price > maxGasPrice) throw new DaTooExpensive(formatGasPrice(price), formatGasPrice(maxGasPrice));
    return price;
  }

  /** Also of an earlier run of the process, regardless of its key. @throws {Error} if it is of another chain. */
  async function track(node: ConsensusNode, { id, bytes, lastHeight }: PreparedBlobs, signal: AbortSignal) {
    const tracked = outgoing.get(id);
    if (tracked !== undefined) return tracked;
    const { payment } = decodeBlobTx(bytes);
    const { sequence, timeoutHeight, message } = await verified(node, payment, id, signal);
    if (timeoutHeight !== lastHeight) throw new Error(`transaction ${id} ends at ${timeoutHeight}, not ${lastHeight}`);
    return remember(id, { payer: message.payer, sequence, lastHeight, mayBeOut: true });
  }

  async function verified(node: ConsensusNode, payment: Uint8Array, id: string, signal: AbortSignal) {
    const { chainId } = await context(node, signer.account, signal);
    if (txHashOf(payment) !== id) throw new Error(`the bytes of transaction ${id} are those of another`);
    try {
      return verifyPayment(payment, await context(node, decodePayment(payment).message.payer, signal));
    } catch (cause) {
      if (!(cause instanceof Rejected)) throw cause;
      throw new Error(`transaction ${id} was not prepared for ${chainId}`, { cause });
    }
  }

  function remember(id: string, given: Pick<Outgoing, 'payer' | 'sequence' | 'lastHeight' | 'mayBeOut'>): Outgoing {
    const made: Outgoing = { ...given, refusal: undefined, usedAt: undefined };
    outgoing.set(id, made);
    return made;
  }

  function forget(head: bigint): void {
    for (const [id, { lastHeight, sequence, payer }] of outgoing) {
      // A late transaction still keeps its sequence for a while: for its replacement.
      if (lastHeight + timeoutBlocks < head || (payer === signer.account && sequence < leastSequence))
        outgoing.delete(id);
    }
    if (outgoing.size >= MAX_OUTGOING) throw new DaUnavailable(`${outgoing.size} transactions are under way`);
  }

  async function prepare(node: ConsensusNode, given: Blobs, signal: AbortSignal): Promise<PreparedBlobs> {
    const blobs: CelestiaBlob[] = given.map((blob) => ({ ...blob, author: signer.account }));
    const message = payForBlobs(signer.account, blobs);
    const [signed, { sequence: committed }, head, terms] = await Promise.all([
      context(node, signer.account, signal),
      node.account(signer.account, signal),
      node.height(signal),
      node.gasTerms(signal),
    ]);
    const price = await gasPrice(node, head, signal);
    const gasLimit = payForBlobsGas(blobs, terms);
    // From here on without waiting, so that no two transactions get the same sequence.
    if (committed > leastSequence) leastSequence = committed;
    forget(head);
    const own = Array.from(outgoing.values()).filter(({ payer }) => payer === signer.account);
    const sequence = nextSequence(leastSequence, own);
    const [fee, lastHeight] = [feeFor(gasLimit, price), head + timeoutBlocks];
    const payment = signPayment(message, { sequence, gasLimit, fee, timeoutHeight: lastHeight }, signed, signer);
    const bytes = encodeBlobTx({ payment: payment.bytes, blobs });
    remember(payment.hash, { payer: signer.account, sequence, lastHeight, mayBeOut: false });
    return { id: payment.hash, bytes, lastHeight, fee };
  }

  async function submit(node: ConsensusNode, prepared: PreparedBlobs, signal: AbortSignal): Promise<void> {
    const sent = await track(node, prepared, signal);
    let taken: Taken | undefined;
    try {
      taken = takenBy(await node.broadcast(prepared.bytes, signal));
    } finally {
      afterSending(sent, taken);
    }
    if (taken.kind === 'busy') throw new DaUnavailable(`the consensus node at ${node.url}: ${taken.reason}`);
    if (taken.kind === 'refused' && taken.requiredFee !== undefined) {
      const { gasLimit } = await verified(node, decodeBlobTx(prepared.bytes).payment, prepared.id, signal);
      required = { price: priceFor(taken.requiredFee, gasLimit), until: prepared.lastHeight };
    }
  }

  async function findOutcome(node: ConsensusNode, prepared: PreparedBlobs, signal: AbortSignal): Promise<BlobsOutcome> {
    const sent = await track(node, prepared, signal);
    // In this order: the first answer must show in the second.
    const { sequence } = await node.account(sent.payer, signal);
    const head = await node.height(signal);
    const status = await node.status(prepared.id, signal);
    const outcome = toOutcome(sent, { sequence, head, status });
    if (outcome.kind === 'included' && sent.sequence >= leastSequence) leastSequence = sent.sequence + 1n;
    if (outcome.kind !== 'pending') outgoing.delete(prepared.id);
    return outcome;
  }

  return {
    chainId: (signal) => call((node) => node.chainId(signal), signal),
    balance: (signal) => call((node) => node.balance(signer.account, signal), signal),
    prepare: (blobs, signal) => call((node) => prepare(node, blobs, signal), signal),
    getBlobs: ({ bytes }) => decodeBlobTx(bytes).blobs,
    submit: (prepared, signal) => call((node) => submit(node, prepared, signal), signal),
    outcome: (prepared, signal) => call((node) => findOutcome(node, prepared, signal), signal),
  };
}

type Blobs = Parameters<DaWriter['prepare']>[0];
