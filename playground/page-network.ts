import { definedRollup, type LocalNetwork, localNetwork } from '@switchyard/network';
import { createSigner, parseSeed } from '@switchyard/protocol';
import { findChoices, getParameters, isNeeded, readValues, toWord } from '@switchyard/rollup/arguments';
import type { UntypedClient } from '@switchyard/rollup/client';
import type { AnyRollup, Contract } from '@switchyard/rollup/internal';
import { useTime as replaceTime } from '@switchyard/service';
import { type Command, type Submission, USERS, type User } from './messages.ts';
import { writeFileSync } from './node/fs.ts';

/** Transactions whose states are shown, and log lines of each part. */
const MOST_SENT = 12;
const MOST_LINES = 8;
const DELAY_MS = 1_500;

/** A transaction, and what became of it so far. */
interface Sent extends Submission {
  readonly key: number;
  readonly state: string;
}

interface Head {
  readonly height: bigint;
  /** Hash of the sequencer's block. */
  readonly hash: string;
  readonly block: bigint;
  readonly blockHash: string;
  /** Answers of the queries of each user, as JSON. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const NONE: Head = { height: 0n, hash: '', block: 0n, blockHash: '', answers: {} };

/** Has packages find their version, and no threads. @param module URL of the calling module. */
export function prepare(version: string, module: string): void {
  writeFileSync(new globalThis.URL('../../package.json', module).pathname, JSON.stringify({ version }));
  replaceTime((present) => ({ ...present, hasThreads: false }));
}

/** A whole network of this thread with one rollup, in which blocks are made by `mine`. */
export class PageNetwork {
  readonly network: LocalNetwork;
  readonly #rollup: string;
  readonly #contract: Contract;
  readonly #client: UntypedClient;
  #head = NONE;
  #sent: readonly Sent[] = [];
  #count = 0;

  private constructor(network: LocalNetwork, rollup: string, definition: AnyRollup) {
    this.network = network;
    this.#rollup = rollup;
    // Names of the definition are looked up when they are used.
    this.#contract = definition as unknown as Contract;
    this.#client = network.client(rollup) as unknown as UntypedClient;
  }

  /** @param seed All hashes follow from it, and from what is in the blocks. */
  static async begin(definition: AnyRollup, genesis: string, seed: string): Promise<PageNetwork> {
    const rollup = definedRollup(definition, genesis);
    const network = await localNetwork({ rollups: [rollup], blocks: 'manual', seed, note: () => undefined });
    return new PageNetwork(network, rollup.name, definition);
  }

  /** Names of the actions, with their fields for a form. */
  get actions() {
    return Array.from(this.#contract.fields, ([name, fields]) => ({
      name,
      fields: Object.entries(getParameters(fields)).map(([field, { type }]) => ({
        ...{ name: field, choices: findChoices(type) ?? [], hint: toWord(type) },
      })),
    }));
  }

  /** Makes a block with all that waits. Does nothing while the sequencer does not run. */
  async mine(): Promise<void> {
    if (this.network.isRunning('sequencer')) await this.network.mine(1);
  }

  async run(command: Command): Promise<void> {
    if (command.kind === 'submit') this.#submit(command);
    else if ('part' in command) await this.network[command.kind](command.part);
    else this.network.link(...command.link)[command.kind](DELAY_MS);
  }

  #submit(submission: Submission): void {
    this.#count += 1;
    const key = this.#count;
    const show = (state: string) => {
      const others = this.#sent.filter((each) => each.key !== key);
      this.#sent = [{ ...submission, key, state }, ...others].sort((a, b) => b.key - a.key).slice(0, MOST_SENT);
    };
    show('waiting');
    this.#submitted(submission).then(show, (error: unknown) =>
      show(error instanceof Error ? error.message : String(error)),
    );
  }

  async #submitted({ user, action, fields }: Submission): Promise<string> {
    const texts = Object.entries(fields).filter(([, text]) => text !== '');
    const values = readValues(getParameters(this.#contract.fields.get(action) ?? {}), new Map(texts));
    const signer = createSigner(parseSeed(this.network.accounts[user].key));
    const outcome = await this.#client.submit[action]?.(values, signer);
    return `executed in block ${outcome?.block}`;
  }

  /** The network now. Values of nodes that do not run stay as they were before. */
  async show() {
    const { network } = this;
    const parts = Object.fromEntries(network.parts.map((part) => [part, network.isRunning(part)]));
    if (parts.sequencer === true) this.#head = { ...this.#head, ...(await network.newestBlock()) };
    if (parts[this.#rollup] === true) {
      const { rollup } = this.#client;
      const { soft: block } = await rollup.status();
      const blockHash = block === 0n ? '' : (await rollup.block(block)).hash;
      const answers = await Promise.all(USERS.map(async (user) => [user, await this.#answers(user)] as const));
      this.#head = { ...this.#head, block, blockHash, answers: Object.fromEntries(answers) };
    }
    const lines = network.parts.flatMap((part) => network.logs(part).slice(-MOST_LINES));
    return { ...this.#head, parts, lines, sent: this.#sent };
  }

  /** Answers of all queries that need nothing, or the address of an account. */
  async #answers(user: User): Promise<Readonly<Record<string, string>>> {
    const { address } = this.network.accounts[user];
    const asked = Array.from(this.#contract.calls.values(), async ({ name, url, parameters }) => {
      const needed = Object.entries(parameters).filter(([, parameter]) => isNeeded(parameter));
      if (needed.some(([, { type }]) => type.description.type !== 'address')) return [];
      const query = needed.map(([parameter]) => `${parameter}=${address}`).join('&');
      const answer = await this.network.fetch(this.#rollup, `${url}?${query}`);
      return [[name, await answer.text()] as const];
    });
    return Object.fromEntries((await Promise.all(asked)).flat());
  }
}
