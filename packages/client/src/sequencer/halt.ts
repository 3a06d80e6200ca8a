/** Why a sequencer makes no blocks, as far as its nodes show it. */
import { haltReason, SHORT_MS } from '@switchyard/protocol';
import { type Clock, jsonRpcClient, type Links, type Logger, sleep, type WallClock } from '@switchyard/service';
import { Input, ifValid, type Read, text, validItems } from '@switchyard/service/input';

/** A node of the sequencer, and the result of its RPC method `status`; undefined: it has not answered. */
export interface AskedNode {
  readonly rpc: string;
  readonly status: unknown;
}

/** Calls a method of a node's RPC. @returns its result; undefined if the node does not answer. */
export type AskNode = (
  rpc: string,
  method: 'status' | 'validators' | 'consensus_state',
  params?: Readonly<Record<string, string>>,
) => Promise<unknown>;

/**
 * Why the sequencer makes no blocks. More than the status is requested only if the newest block is old. If all its
 * validators are among the nodes, the answering ones are counted; otherwise the votes that the foremost node has.
 *
 * @returns `undefined` while there are blocks, and if no node answers.
 */
export async function findHalt(nodes: readonly AskedNode[], ask: AskNode, nowMs: number): Promise<string | undefined> {
  const answers = nodes.flatMap(({ rpc, status }) => {
    const found = read(status, nodeStatus);
    return found === undefined ? [] : [{ rpc, ...found }];
  });
  const [newest] = answers.toSorted((a, b) => b.height - a.height);
  if (newest === undefined || newest.height === 0) return undefined;
  const { rpc, height, timeMs, catchesUp } = newest;
  const ageMs = nowMs - timeMs;
  if (!(ageMs >= SHORT_MS)) return undefined;
  const set = read(await ask(rpc, 'validators', { per_page: '100' }), validatorsIn) ?? [];
  const answering = new Set(answers.map(({ address }) => address));
  if (set.length <= nodes.length && [...answering].every((each) => set.some(({ address }) => address === each))) {
    const validators = set.map(({ address, power }) => ({ power, isActive: answering.has(address) }));
    return haltReason({ height, ageMs, validators, activity: 'answer' });
  }
  // Newer blocks may be elsewhere.
  if (catchesUp) return undefined;
  const votes = read(await ask(rpc, 'consensus_state'), votesIn) ?? [];
  const validators =
    votes.length === set.length ? set.map(({ power }, at) => ({ power, isActive: votes[at] === true })) : [];
  return haltReason({ height, ageMs, validators, activity: 'vote' });
}

const read = <T>(value: unknown, reader: Read<T>): T | undefined => ifValid(reader)(new Input(value, ''));

function nodeStatus(result: Input) {
  const sync = result.at('sync_info');
  return {
    height: Number(sync.at('latest_block_height').big()),
    timeMs: Date.parse(sync.at('latest_block_time').text()),
    catchesUp: sync.at('catching_up').value === true,
    address: result.at('validator_info').at('address').text(),
  };
}

const validatorsIn = (result: Input) =>
  validItems((input: Input) => ({ address: text(input.at('address')), power: input.at('voting_power').big() }))(
    result.at('validators'),
  );

/** CometBFT's numbers of the steps in which a proposal is voted on for the first and for the second time. */
const [PREVOTE, PRECOMMIT] = [4, 6];

/** The votes that a node has in its round, in the order of the validators; none before there is something to vote on. */
function votesIn(result: Input): readonly boolean[] {
  const state = result.at('round_state');
  const [, round = Number.NaN, step = Number.NaN] = state.at('height/round/step').text().split('/').map(Number);
  if (!(step >= PREVOTE)) return [];
  const kind = step < PRECOMMIT ? 'prevotes_bit_array' : 'precommits_bit_array';
  const array = state.at('height_vote_set').list()[round]?.at(kind).text() ?? '';
  const [, bits = ''] = /^BA\{\d+:([x_]*)\}/.exec(array) ?? [];
  return [...bits].map((bit) => bit === 'x');
}

const LOOK_EVERY_MS = 10_000;
const TIMEOUT_MS = 5_000;
/** A round with the votes of all validators, and a page of validators. */
const MAX_ANSWER_BYTES = 4 * 1_048_576;

interface Deps {
  readonly clock: Clock;
  readonly wall: WallClock;
  readonly log: Logger;
  readonly links?: Links | undefined;
}

/** Whether the sequencer that a process needs produces blocks. Logs once per change. */
export class HaltWatch {
  readonly #deps: Deps;
  readonly #clients: ReadonlyMap<string, ReturnType<typeof jsonRpcClient>>;
  #reason: string | undefined;
  #isHalted = false;

  constructor(rpcs: readonly string[], deps: Deps) {
    const limits = { timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_ANSWER_BYTES, links: deps.links };
    this.#deps = deps;
    this.#clients = new Map(rpcs.map((rpc) => [rpc, jsonRpcClient(rpc, limits)]));
  }

  /** Why it makes none; undefined if it does, and if it does not answer. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** For people who ask whether the process is ready: it is, and cannot do anything about this. */
  get note(): string | undefined {
    return this.#reason && `sequencer: ${this.#reason}`;
  }

  /** Looks now and then, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(LOOK_EVERY_MS, signal, this.#deps.clock).catch(() => undefined);
      if (!signal.aborted) await this.#look(signal);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { wall, log } = this.#deps;
    const ask: AskNode = async (rpc, method, params = {}) =>
      this.#clients
        .get(rpc)
        ?.call(method, params, signal)
        .catch(() => undefined);
    const nodes = await Promise.all(
      [...this.#clients.keys()].map(async (rpc) => ({ rpc, status: await ask(rpc, 'status') })),
    );
    const reason = await findHalt(nodes, ask, wall.unixMs());
    this.#reason = reason;
    if (signal.aborted || nodes.every(({ status }) => status === undefined)) return;
    if (reason !== undefined && !this.#isHalted) log.warn({ reason }, 'the sequencer makes no blocks');
    if (reason === undefined && this.#isHalted) log.info('the sequencer produces blocks again');
    this.#isHalted = reason !== undefined;
  }
}
