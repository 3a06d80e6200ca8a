import { RollupRefused, rollupClient, VALID_FOR } from '@switchyard/client/rollup';
import { formatAddress, txHashOf } from '@switchyard/protocol';
import { isTransportFailure, systemRandom } from '@switchyard/service/browser';
import type { RollupGenesis } from '../app/genesis.ts';
import type { QueryCall } from '../define/contract.ts';
import { contractFrom } from '../define/contract-from.ts';
import type { AnyRollup } from '../define/definition.ts';
import { lacking } from '../define/differences.ts';
import { getGenesis } from '../define/rules-of.ts';
import type { AnySigner } from '../define/submission.ts';
import { signTransaction } from '../define/transaction.ts';
import { openJson } from '../schema/type.ts';
import type { SignedAction } from './outbox.ts';
import { type Entry, NotSigned } from './sent.ts';

/* Calls of a node by HTTP. They are loaded when a live client makes the first of them. */

/** The chain of a node. */
export interface Chain {
  readonly chainId: string;
  readonly genesis: RollupGenesis;
  /** The genesis file as the node states it. */
  readonly text: string;
  /** Parts of the client's definition that the node's lacks, in words. */
  readonly differences: readonly string[];
}

/** Answer to signed bytes: `again` is no answer of the node, and `outrun` one after which other bytes may be accepted. */
export type Submitted =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'again' | 'outrun'; readonly reason: string }
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string };

/** Blocks by which the last blocks of transactions differ. */
const SPREAD = 1_024;
const OUTRUN = ['nonce-too-low', 'nonce-too-high', 'nonce-taken', 'expired'];

export type Node = ReturnType<typeof nodeOf>;

export function nodeOf(defined: AnyRollup, options: Parameters<typeof rollupClient>[0]) {
  const rollup = rollupClient(options);
  return {
    async identify(signal: AbortSignal): Promise<Chain> {
      const [answer, file] = await Promise.all([
        rollup.get('/v1/definition', signal),
        rollup.get('/v1/genesis', signal),
      ]);
      const chainId = answer.at('chainId').text();
      const isEqual = answer.at('fingerprint').value === defined.fingerprint;
      const differences = isEqual ? [] : lacking(defined.document, contractFrom(answer).document);
      const text = JSON.stringify(file.value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
      return {
        chainId,
        ...{ differences, text },
        genesis: { ...getGenesis(defined, text, `the genesis of ${options.url}`), chainId },
      };
    },

    /** The bytes of an action with the next nonce of its account. */
    async sign(
      { actions, stored }: Entry,
      signer: AnySigner,
      validFor: number | undefined,
      signal: AbortSignal,
    ): Promise<Omit<SignedAction, 'cursor'>> {
      // Devices of one account that do the same at once sign different bytes, each of which is executed.
      const blocks = validFor ?? VALID_FOR + Math.floor(systemRandom() * SPREAD);
      const { body } = await rollup.toSign(formatAddress(signer.account), blocks, signal);
      const lastBlock = stored.lastBlock === undefined ? body.lastBlock : BigInt(stored.lastBlock);
      const bytes = await signTransaction(defined, { ...body, lastBlock, actions }, signer).catch((error: unknown) => {
        throw new NotSigned(`it was not signed: ${error instanceof Error ? error.message : String(error)}`);
      });
      return {
        ...{ bytes, hash: txHashOf(bytes), nonce: body.nonce },
        ...(lastBlock !== undefined && { lastBlock: String(lastBlock) }),
      };
    },

    async submit(bytes: Uint8Array, signal: AbortSignal): Promise<Submitted> {
      try {
        await rollup.submit(bytes, signal);
        return { kind: 'accepted' };
      } catch (error) {
        const isRefused = error instanceof RollupRefused;
        if (!isRefused && !isTransportFailure(error)) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        if (!isRefused || error.status === 429 || error.status >= 500) return { kind: 'again', reason };
        const { code } = error;
        return OUTRUN.includes(code) ? { kind: 'outrun', reason } : { kind: 'refused', code, reason };
      }
    },

    ask: async ({ answer }: QueryCall, path: string, signal: AbortSignal): Promise<unknown> =>
      openJson(answer)(await rollup.get(path, signal)),
  };
}
