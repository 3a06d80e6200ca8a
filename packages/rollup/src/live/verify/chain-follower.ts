import { BlockVerifier } from '@switchyard/client/block-verifier';
import { ApiRefused } from '@switchyard/client/http-api';
import type { RollupClient } from '@switchyard/client/rollup';
import type { SignedSource } from '@switchyard/client/signed-blocks';
import { fromHex } from '@switchyard/protocol';
import { isTransportFailure, wallClock } from '@switchyard/service/browser';
import { blockInput } from '../../app/block-input.ts';
import type { Rules } from '../../app/definition.ts';
import type { Announcements } from './announcements.ts';
import type { ExecutedChain } from './executed-chain.ts';
import { PlatformSignatures } from './known-transactions.ts';
import { Decided, messageOf, unproven, type Verdict } from './verdict.ts';

const BLOCKS_AT_ONCE = 100;
/** Blocks by which a node, or an explorer, may be behind the other one. */
const MOST_LAG = 64n;
const TRUSTING_PERIOD_MS = 14 * 86_400_000;

export interface FollowerDeps {
  readonly rules: Rules;
  readonly chain: ExecutedChain;
  readonly announcements: Announcements;
  readonly node: RollupClient;
  readonly source: SignedSource;
  /** Names in verdicts. */
  readonly names: { readonly node: string; readonly explorer: string };
  readonly checkpoint: { readonly height: bigint; readonly hash: string } | undefined;
  tell(verdict: Verdict): void;
  save(): void;
  /** Resolves when it is time to look for new blocks. */
  pause(): Promise<void>;
}

/** Executes the blocks of a rollup from signed data, and compares the node with them. */
export class ChainFollower {
  readonly #deps: FollowerDeps;
  readonly #signatures = new PlatformSignatures();

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
  }

  /** @throws {Decided} with the first false statement. */
  async run(signal: AbortSignal): Promise<void> {
    const { rules, chain, source, checkpoint, tell, pause } = this.#deps;
    const { sequencerChainId: chainId } = rules.genesis;
    const blocks = new BlockVerifier({
      chainId,
      lastBlockHash: chain.head.sequencerHash === '' ? undefined : chain.head.sequencerHash,
      checkpoint: checkpoint && { height: checkpoint.height, hash: fromHex(checkpoint.hash) },
      checkpointSettings: 'checkpoint',
      trustingPeriodMs: TRUSTING_PERIOD_MS,
      now: () => wallClock.unixMs(),
      source: () => source,
    });
    for (;;) {
      try {
        if (await this.#batch(blocks, signal)) continue;
        await this.#compare(signal);
        tell({ kind: 'verified', block: chain.head.number });
      } catch (error) {
        if (!isNoAnswer(error)) throw error;
        tell(unproven(messageOf(error)));
      }
      await pause();
    }
  }

  /** @returns whether there are more blocks. */
  async #batch(verifier: BlockVerifier, signal: AbortSignal): Promise<boolean> {
    const { rules, chain, source, announcements, names, save } = this.#deps;
    const { rollup, sequencerGenesisBlockHeight: before } = rules.genesis;
    const found = await source
      .blocks(before + chain.head.number + 1n, BLOCKS_AT_ONCE, signal)
      .catch(blaming(names.explorer));
    for (const { block, signed } of found.blocks) {
      const number = chain.head.number + 1n;
      await verifier.verify(before + number, block, signed, [rollup], signal).catch(blaming(names.explorer));
      const input = blockInput(block, rollup);
      const changed = await chain.execute(input, await this.#signatures.known(rules, input, number));
      const problem = announcements.executed(chain.head, changed);
      if (problem !== undefined) throw falseBy(names.node, problem);
    }
    if (found.blocks.length > 0) save();
    const next = before + chain.head.number + 1n;
    if (found.newest < next) return false;
    if (found.blocks.length > 0) return true;
    throw falseBy(names.explorer, `it withholds block ${next}: expected it below block ${found.newest}, got none`);
  }

  /** Compares the newest block that the node serves, whose hash covers all before it. @throws {Decided} */
  async #compare(signal: AbortSignal): Promise<void> {
    const { chain, names, announcements } = this.#deps;
    const { node, explorer } = names;
    const { number: executed } = chain.head;
    const get = this.#deps.node;
    const { items } = await get.blocks({ limit: 1 }, signal).catch(blaming(node));
    const newest = items[0]?.number ?? 0n;
    const both = newest < executed ? newest : executed;
    const { hash } = await get.block(both, signal).catch(blaming(node));
    const problem = announcements.announced(both, hash, []);
    if (problem !== undefined) throw falseBy(node, problem);
    if (executed - newest >= MOST_LAG)
      throw falseBy(
        node,
        `it withholds blocks: expected block ${executed}, whose data is signed, got ${newest} as the newest`,
      );
    if (newest - executed >= MOST_LAG)
      throw falseBy(
        explorer,
        `it withholds blocks: expected data of block ${newest}, which the node has, got ${executed}`,
      );
  }
}

const falseBy = (who: string, problem: string): Decided => new Decided({ kind: 'false', by: who, problem });

/** Whether nothing was stated: the other side is away, busy, or no longer has the block. */
const isNoAnswer = (error: unknown): boolean => isTransportFailure(error) || error instanceof ApiRefused;

/** For a rejected promise: an answer that does not hold is a false statement. */
export const blaming =
  (who: string) =>
  (error: unknown): Promise<never> =>
    Promise.reject(isNoAnswer(error) || error instanceof Decided ? error : falseBy(who, messageOf(error)));
