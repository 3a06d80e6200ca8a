import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { BlockMetadata } from '@switchyard/protocol';
import type { BlockInput } from '@switchyard/rollup/execution';
import type { Logger, Metrics } from '@switchyard/service';
import { sizeOfBlock, sizeOfWithdrawals } from '../blocks/block.ts';
import type { BlockMaker } from '../chain/staging.ts';
import type { NewBlock } from '../chain/store.ts';
import { type Parent, toEnvironment } from '../embedded/build-block.ts';
import {
  type Candidate,
  refusedDeposit,
  refusedTransaction,
  type SortedEntries,
  sortEntries,
} from '../embedded/entries.ts';
import type { BlockEnvironment } from '../embedded/environment.ts';
import { MissingSystemContract } from '../embedded/system-calls.ts';
import type { EvmGenesis } from '../genesis/genesis.ts';
import { bytesForTransactions, type Credited, depositsToWithdrawals, gasForTransactions } from '../rules/rules.ts';
import type { Senders } from '../senders/senders.ts';
import type { SenderAccounts } from './accounts.ts';
import type { GethContact } from './contact.ts';
import { type Decision, decide } from './decide.ts';
import { EvmProber } from './evm-prober.ts';
import { CannotBuild, type Geth, InvalidBlock } from './geth.ts';
import { type Payload, payloadToJson } from './payload.ts';
import { BlockProber } from './prober.ts';
import { receiptsFromRaw } from './receipts.ts';
import { toStateSource } from './remote-state.ts';

export interface GethMakerDeps {
  readonly genesis: EvmGenesis;
  readonly geth: Geth;
  readonly contact: GethContact;
  readonly accounts: SenderAccounts;
  readonly senders: Senders;
  /** Hash of the firm block, which geth gets as final. */
  readonly finalized: () => Hash;
  readonly safe: 'soft' | 'firm';
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
}

/** Two EVMs disagree. Going on would mean to guess which of them is right. */
export class Disagreement extends Error {
  override readonly name = 'Disagreement';
}

/** Has a geth make the blocks: the applicable ones are chosen here, and everything that follows from it there. */
export class GethMaker implements BlockMaker<undefined> {
  readonly #deps: GethMakerDeps;
  readonly #counted: ReturnType<typeof toCounters> | undefined;

  constructor(deps: GethMakerDeps) {
    this.#deps = deps;
    this.#counted = deps.metrics && toCounters(deps.metrics);
  }

  async make(parent: Parent, input: BlockInput): Promise<{ readonly block: NewBlock; readonly made: undefined }> {
    const { genesis, contact, senders } = this.#deps;
    const env = toEnvironment(parent, input, genesis);
    const sorted = await sortEntries(input.entries, { ...genesis, fork: env.fork }, senders);
    const { nextWithdrawalIndex: firstIndex } = parent;
    const getRemainder = (recipient: Address) => parent.getRemainder(recipient);
    const credited = depositsToWithdrawals(sorted.deposits, { bridges: genesis.bridges, getRemainder, firstIndex });
    const job: Job = { parent, input, env, sorted, credited };
    return { block: await contact.during((signal) => this.#build(job, signal)), made: undefined };
  }

  /** geth's own pointers go first: commits here are never ahead of them. */
  async beforeCommit({ soft, firm }: { readonly soft: BlockMetadata; readonly firm: BlockMetadata }): Promise<void> {
    const { geth, contact, safe } = this.#deps;
    await contact.during(async (signal) => {
      const [head, final] = [getHash(soft), getHash(firm)];
      await geth.forkchoice({ head, safe: safe === 'soft' ? head : final, finalized: final }, signal);
      contact.headIs({ number: soft.number, hash: head });
    });
  }

  async #build(job: Job, signal: AbortSignal): Promise<NewBlock> {
    const { geth, contact, accounts, finalized, log } = this.#deps;
    const { parent, sorted } = job;
    await contact.moveHead({ number: parent.header.number, hash: parent.hash }, finalized());
    let made: Made;
    try {
      made = await this.#decide(job, signal);
    } catch (error) {
      if (!(error instanceof CannotBuild)) throw error;
      if (error.message.includes('empty system contract'))
        throw new MissingSystemContract(parent.header.number + 1n, error.message, { cause: error });
      log.warn(
        { block: parent.header.number + 1n, error: error.message },
        'geth built no block from the chosen transactions; choosing again',
      );
      accounts.forget();
      contact.headIs(undefined);
      await contact.moveHead({ number: parent.header.number, hash: parent.hash }, finalized());
      made = await this.#decide(job, signal).catch((again: unknown) => {
        if (!(again instanceof CannotBuild)) throw again;
        throw new Disagreement(
          `geth refuses what the rules of block ${parent.header.number + 1n} allow: ${again.message}`,
          { cause: again },
        );
      });
    }
    const { decision, payload } = made;
    await this.#check(payload, signal);
    const raw = sorted.candidates.length === 0 ? [] : await geth.rawReceipts(payload.hash, signal);
    const receipts = receiptsFromRaw(raw, {
      baseFee: payload.header.baseFeePerGas ?? 0n,
      transactions: decision.included,
    });
    accounts.applied({ hash: payload.hash, included: decision.included, receipts, withdrawals: payload.withdrawals });
    return toBlock(job, decision, payload, receipts);
  }

  async #check(payload: Payload, signal: AbortSignal): Promise<void> {
    try {
      await this.#deps.geth.newPayload(payload, signal);
    } catch (error) {
      if (!(error instanceof InvalidBlock)) throw error;
      this.#deps.log.error(
        { payload: payloadToJson(payload), error: error.message },
        'geth rejected a block that it had built; stopping',
      );
      throw new Disagreement(`geth refuses the block that it has built: ${error.message}`, { cause: error });
    }
  }

  async #decide({ parent, env, sorted, credited }: Job, signal: AbortSignal): Promise<Made> {
    const { genesis, geth, accounts } = this.#deps;
    const bytes = bytesForTransactions(env.fork, sizeOfWithdrawals(credited.withdrawals));
    const attributes = {
      fork: env.fork,
      timestamp: env.timestamp,
      feeRecipient: env.coinbase,
      withdrawals: credited.withdrawals,
      parentBeaconBlockRoot: env.parentBeaconBlockRoot,
      extraData: genesis.extraData,
      gasLimit: env.gasLimit,
      slotNumber: env.slotNumber,
    };
    const prober = new BlockProber({
      build: (included) =>
        geth.build(
          parent.hash,
          attributes,
          included.map(({ tx }) => tx.raw),
          signal,
        ),
      evm: () => new EvmProber(genesis.chainId, env, toStateSource(geth, parent.hash, signal)),
    });
    const known = await accounts.at(parent.hash, sorted.candidates);
    const { fork, baseFeePerGas: baseFee, gasLimit, coinbase: feeRecipient } = env;
    const most = gasForTransactions(fork, gasLimit, credited.withdrawals);
    const limits = { fork, baseFee, gasLimit: most, bytes, feeRecipient };
    const decision = await decide(sorted.candidates, { ...known, ...limits, prober });
    const payload = await prober.payload(decision.included);
    this.#counted?.builds.add(prober.builds);
    if (prober.executed) this.#counted?.executed.add(1);
    if (payload.header.gasLimit !== gasLimit)
      throw new Disagreement(
        `geth produces blocks with gas limit ${payload.header.gasLimit}, expected ${gasLimit}; start it with --miner.gaslimit ${gasLimit}`,
      );
    if (payload.header.baseFeePerGas !== baseFee)
      throw new Disagreement(`geth makes a block with base fee ${payload.header.baseFeePerGas}, expected ${baseFee}`);
    return { decision, payload };
  }
}

function toCounters(metrics: Metrics) {
  return {
    builds: metrics.counter(
      'stock_builds_total',
      'blocks that the execution client built, also to learn how much gas a part uses',
    ),
    executed: metrics.counter(
      'stock_blocks_executed_here_total',
      'blocks that had to be executed here to learn what applies',
    ),
  };
}

interface Job {
  readonly parent: Parent;
  readonly input: BlockInput;
  readonly env: BlockEnvironment;
  readonly sorted: SortedEntries;
  readonly credited: Credited;
}

interface Made {
  readonly decision: Decision;
  readonly payload: Payload;
}

function toBlock(
  { parent, input, sorted, credited }: Job,
  { included, refused }: Decision,
  payload: Payload,
  receipts: NewBlock['receipts'],
): NewBlock {
  const { hash, header, withdrawals } = payload;
  const all = [
    ...sorted.refused,
    ...refused.map(({ entry, tx, from, refusal }) => refusedTransaction(entry, tx.hash, from, refusal)),
    ...credited.refused.map(refusedDeposit),
  ];
  return {
    block: {
      hash,
      header,
      transactions: included.map(({ tx, from }: Candidate) => ({ hash: tx.hash, from, raw: tx.raw })),
      withdrawals,
      size: sizeOfBlock(header, payload.transactions, withdrawals),
    },
    receipts,
    // Found by executing once more; clients that want them ask geth for a trace.
    internal: receipts.map(() => undefined),
    refused: all.sort((left, right) => left.entry - right.entry),
    origin: { sequencerBlockHash: input.sequencerBlockHash, timestamp: input.timestamp },
    remainders: credited.remainders,
    deposits: credited.sums,
    requests: payload.requests,
    ...(payload.accessList === undefined ? {} : { accessList: payload.accessList }),
    nextWithdrawalIndex: parent.nextWithdrawalIndex + BigInt(withdrawals.length),
  };
}

function getHash({ hash }: BlockMetadata): Hash {
  // Block hashes of this rollup are ours: hex with 0x.
  return hash as Hash;
}
