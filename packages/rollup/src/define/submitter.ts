import {
  type RollupClient,
  submitNext,
  type ToSign,
  type TransactionBlocks,
  type WaitOptions,
} from '@switchyard/client/rollup';
import { formatAddress, type TxHash, txHashOf } from '@switchyard/protocol';
import type { NamedEvent } from '../app/commits.ts';
import type { RollupAction, TransactionBody } from '../app/definition.ts';
import {
  type AnySigner,
  type OutcomeOf,
  SubmissionFailed,
  type SubmitOptions,
  TransactionRefused,
} from './submission.ts';

type Outcome = OutcomeOf<NamedEvent>;

export interface SubmitterDeps {
  readonly rollup: RollupClient;
  readonly validFor: number | undefined;
  sign(body: Omit<TransactionBody<RollupAction>, 'chainId'>, signer: AnySigner): Promise<Uint8Array>;
  /** @throws {TransactionRefused} */
  wait(hash: string, options: WaitOptions): Promise<Outcome | undefined>;
}

interface Signed {
  readonly bytes: Uint8Array;
  readonly hash: TxHash;
  readonly blocks: TransactionBlocks | undefined;
}

/** Submits signed transactions and follows them to their outcomes. Every failure after signing carries its hash and a retry. */
export function createSubmitter({ rollup, validFor: usualValidFor, sign, wait }: SubmitterDeps) {
  async function submit(
    actions: readonly RollupAction[],
    signer: AnySigner,
    { signal, validFor = usualValidFor }: SubmitOptions,
  ): Promise<Signed> {
    const account = formatAddress(signer.account);
    let signed: Signed | undefined;
    const node = {
      next: () => rollup.toSign(account, validFor, signal),
      submit: (bytes: Uint8Array) => rollup.submit(bytes, signal),
    };
    const signNext = async ({ body: { nonce, lastBlock }, blocks }: ToSign) => {
      const bytes = await sign({ nonce, actions, lastBlock }, signer);
      signed = { bytes, hash: txHashOf(bytes), blocks };
      return bytes;
    };
    try {
      await submitNext(node, signNext);
    } catch (error) {
      throw signed === undefined ? error : failed(signed, error);
    }
    if (signed === undefined) throw new Error('a transaction was submitted that was not signed');
    return signed;
  }

  const failed = (signed: Signed, cause: unknown) =>
    new SubmissionFailed(signed.hash, (again = {}) => retry(signed, again), cause);

  async function retry(signed: Signed, again: SubmitOptions): Promise<Outcome> {
    try {
      await rollup.submit(signed.bytes, again.signal);
    } catch (error) {
      // A node that has it in a block does not take it again.
      const { hash, blocks } = signed;
      const known = await rollup.waitForTransaction(hash, { timeoutMs: 0, blocks }).catch(() => undefined);
      if (known === undefined || known.state === 'unclear') throw failed(signed, error);
    }
    return follow(signed, again);
  }

  async function follow(signed: Signed, { until = 'executed', ...waiting }: SubmitOptions): Promise<Outcome> {
    const { hash, blocks } = signed;
    const accepted: Outcome = { hash, state: 'queued', events: [], ...(blocks && { blocks }) };
    if (until === 'accepted') return accepted;
    try {
      return (await wait(hash, { until, blocks, ...waiting })) ?? accepted;
    } catch (error) {
      throw error instanceof TransactionRefused ? error : failed(signed, error);
    }
  }

  return { submit, follow };
}
