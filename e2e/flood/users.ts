import { randomBytes } from 'node:crypto';
import { collectorClient, sequencerClient } from '@switchyard/client';
import {
  createSigner,
  parseDenom,
  rollupIdFromName,
  type Signer,
  signTransaction,
  txHashOf,
} from '@switchyard/protocol';
import { seededRandom } from '@switchyard/service/testing';
import { evmSenders } from '../chaos/load/evm.ts';
import type { Sender } from '../chaos/load/lane.ts';
import { messengerSenders } from '../chaos/load/messenger.ts';
import { HttpClient } from '../support/http-client.ts';
import type { Network } from '../support/network.ts';
import { ALICE, getAddress, newSigner } from '../support/submitting.ts';
import type { Service } from './attack.ts';

/** Actions of an honest user. Each resolves when the user's goal is reached, and rejects if that failed. */
export interface Users {
  read(): Promise<void>;
  submit(): Promise<void>;
}

/** Honest users, and for comparison the same load on a server that is not attacked. */
export interface TimedUsers extends Users {
  floor(): Promise<void>;
}

const ACCOUNTS = 60;
const SEQUENCER_ACCOUNTS = 40;
const NOT_LOGGED = { write: () => undefined };
const NATIVE = parseDenom('ntia');

/** Accounts that take turns, so that a slow answer to one does not hold up the next user. */
class Turns<T> {
  readonly #free: T[];
  readonly #waiting: ((item: T) => void)[] = [];

  constructor(items: readonly T[]) {
    this.#free = [...items];
  }

  async use(work: (item: T) => Promise<void>): Promise<void> {
    const item = this.#free.shift() ?? (await new Promise<T>((resolve) => this.#waiting.push(resolve)));
    try {
      await work(item);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(item);
      else next(item);
    }
  }
}

/**
 * Honest users of every service. Those over HTTP have a new connection for each request, as people who come by have; those
 * over gRPC are programs, which keep theirs and make a new one when it ends.
 */
export async function createUsers(network: Network): Promise<Readonly<Record<Service, Users>>> {
  const seed = randomBytes(8).toString('hex');
  const random = seededRandom(seed);
  const fresh = (service: Parameters<Network['url']>[0]) => new HttpClient(network.url(service), { fresh: true });
  const load = { seed, lanes: ACCOUNTS, log: NOT_LOGGED, random };
  const [rollup, evm, rpc, faucet] = [fresh('rollup'), fresh('evm'), fresh('rpc'), fresh('faucet')];
  const texts = getSubmitter(await messengerSenders({ ...load, http: rollup }));
  const transfers = getSubmitter(await evmSenders({ ...load, http: evm }));
  const sequenced = await sequencerSubmitter(network.url('rpc'));
  const node = sequencerClient({ rpcUrl: network.url('rpc'), grpcUrl: network.url('grpc') });
  const address = getAddress(ALICE);

  const messengerUsers: Users = {
    read: async () => void (await rollup.json(`/get_account_nonce/${address}`)),
    submit: texts,
  };
  const evmUsers: Users = { read: async () => void (await evm.rpc('eth_blockNumber')), submit: transfers };
  const path = `"accounts/nonce/${address}"`;
  return {
    messenger: messengerUsers,
    execution: messengerUsers,
    evm: evmUsers,
    evmWs: evmUsers,
    faucet: { read: async () => void (await faucet.json('/api/info')), submit: transfers },
    rpc: { read: async () => void (await rpc.json(`/abci_query?path=${encodeURIComponent(path)}`)), submit: sequenced },
    grpc: { read: async () => void (await node.pendingNonce(address)), submit: sequenced },
    collector: collectorUsers(network.url('collector')),
  };
}

/** Texts or transfers of funded accounts. */
function getSubmitter(senders: readonly Sender[]): () => Promise<void> {
  const turns = new Turns(senders.map((sender) => ({ sender, nonce: 0 })));
  return () =>
    turns.use(async (account) => {
      const { outcome, follow, detail } = await account.sender.sign(account.nonce).send({ cut: false });
      if (follow === 'next') account.nonce += 1;
      if (outcome !== 'acknowledged') throw new Error(detail);
    });
}

/** Transfers on the sequencer, of accounts that are given some first. */
async function sequencerSubmitter(rpcUrl: string): Promise<() => Promise<void>> {
  const client = sequencerClient({ rpcUrl });
  const chainId = await client.genesisChainId();
  const signers = Array.from({ length: SEQUENCER_ACCOUNTS }, newSigner);
  const transfer = (to: Signer, amount: bigint) =>
    ({
      kind: 'transfer',
      to: { account: to.account, prefix: 'astria' },
      amount,
      asset: NATIVE,
      feeAsset: NATIVE,
    }) as const;
  const { nonce } = await client.nonce(getAddress(ALICE));
  const actions = signers.map((signer) => transfer(signer, 1_000_000_000n));
  const funding = signTransaction({ nonce, chainId, actions }, ALICE);
  const { code, log } = await client.broadcastSync(funding);
  if (code !== 0) throw new Error(`funding on the sequencer: ${log}`);
  for (const end = performance.now() + 20_000; (await client.tx(txHashOf(funding))) === undefined; await rest(100)) {
    if (performance.now() > end) throw new Error('funding on the sequencer: in no block after 20 s');
  }
  const turns = new Turns(signers.map((signer) => ({ signer, nonce: 0 })));
  return () =>
    turns.use(async (account) => {
      const to = createSigner(new Uint8Array(randomBytes(32)));
      const terms = { nonce: account.nonce, chainId, actions: [transfer(to, 1n)] };
      const answer = await client.broadcastSync(signTransaction(terms, account.signer));
      if (answer.code !== 0) throw new Error(answer.log);
      account.nonce += 1;
    });
}

function collectorUsers(url: string): Users {
  const rollup = rollupIdFromName('flood');
  const client = collectorClient({ url });
  return {
    read: async () => void (await client.submission(rollup, txHashOf(randomBytes(32)))),
    submit: () => client.submit(rollup, randomBytes(200)),
  };
}

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
