import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectAbci, type TestConnection } from '@switchyard/sequencer/comet-testing';
import { createCometNetwork } from '../support/comet.ts';
import { until } from '../support/network.ts';
import { type Options, type Row, repeated } from './measure.ts';

const BLOCK_BYTES = 1_048_576;
/** Blocks before the measured ones: a node runs for long. */
const WARM_UP = 4;
const PROPOSER = new Uint8Array(20);
const GENESIS_SECONDS = 1_700_000_000n;

type FirstAnswer = Awaited<ReturnType<TestConnection['ask']>>[number];

function expectCase<K extends FirstAnswer['case']>(answer: FirstAnswer | undefined, name: K) {
  if (answer?.case !== name) throw new Error(`${name}: ${JSON.stringify(answer?.value)}`);
  // The case decides the type, which a generic name does not narrow.
  return answer as Extract<FirstAnswer, { case: K }>;
}

const FIGURES = { took: ['FinalizeBlock + Commit of 1 MiB, validated as a proposal before', 'ms', '<= 150'] } as const;

/** The application alone, in a process of its own, called over its socket like by CometBFT. */
export async function fullBlock(
  options: Options,
  first: { readonly appState: unknown; readonly consensusParams: object },
  next: (index: number) => Uint8Array,
): Promise<Row[]> {
  const network = await createCometNetwork(first);
  const [node] = network.nodes;
  if (node === undefined) throw new Error('no node');
  try {
    node.app.start();
    const socket = `unix://${join(node.home, 'app.sock')}`;
    const app = await until('the application listens', () => connectAbci(socket));
    await begin(app, node.home);
    let height = 0n;
    const once = async () => {
      height += 1n;
      const txs = await propose(app, { height, next });
      const time = { seconds: GENESIS_SECONDS + height * 10n + 1n, nanos: 0 };
      const hash = new Uint8Array(createHash('sha256').update(String(height)).digest());
      const block = { height, time, proposerAddress: PROPOSER, txs, hash };
      const [answer] = await app.ask({ case: 'processProposal', value: block });
      if (expectCase(answer, 'processProposal').value.status !== 1) throw new Error('a good block was rejected');
      const start = performance.now();
      const [finalized] = await app.ask({ case: 'finalizeBlock', value: block });
      const [committed] = await app.ask({ case: 'commit', value: {} });
      const took = performance.now() - start;
      expectCase(committed, 'commit');
      const failed = expectCase(finalized, 'finalizeBlock').value.txResults.filter(({ code }) => code !== 0);
      if (failed.length > 0) throw new Error(`${failed.length} transactions of the full block failed`);
      return { took };
    };
    for (let warm = 0; warm < WARM_UP; warm += 1) await once();
    const rows = await repeated(options, 'full block', FIGURES, once);
    app.socket.destroy();
    return rows;
  } finally {
    await network.dispose();
  }
}

async function begin(app: TestConnection, home: string): Promise<void> {
  const genesis = JSON.parse(readFileSync(join(home, 'comet', 'config', 'genesis.json'), 'utf8'));
  const [validator] = genesis.validators;
  const [answer] = await app.ask({
    case: 'initChain',
    value: {
      chainId: genesis.chain_id,
      time: { seconds: GENESIS_SECONDS, nanos: 0 },
      initialHeight: 1n,
      consensusParams: {
        block: { maxBytes: BigInt(genesis.consensus_params.block.max_bytes), maxGas: -1n },
        evidence: { maxAgeNumBlocks: 100_000n, maxAgeDuration: { seconds: 172_800n, nanos: 0 }, maxBytes: 1_048_576n },
        validator: { pubKeyTypes: ['ed25519'] },
        version: { app: 1n },
        abci: { voteExtensionsEnableHeight: 0n },
      },
      validators: [
        { pubKey: { sum: { case: 'ed25519', value: Buffer.from(validator.pub_key.value, 'base64') } }, power: 10n },
      ],
      appStateBytes: Buffer.from(JSON.stringify(genesis.app_state)),
    },
  });
  expectCase(answer, 'initChain');
}

/** Transactions that the application puts into a block of 1 MiB when more than that waits. */
async function propose(
  app: TestConnection,
  { height, next }: { height: bigint; next: (index: number) => Uint8Array },
): Promise<Uint8Array[]> {
  let bytes = 0;
  for (let index = 0; bytes < BLOCK_BYTES; index += 1) {
    const tx = next(index);
    bytes += tx.length;
    const [answer] = await app.ask({ case: 'checkTx', value: { tx } });
    const { code, log } = expectCase(answer, 'checkTx').value;
    if (code !== 0) throw new Error(`refused: ${log}`);
  }
  const [answer] = await app.ask({
    case: 'prepareProposal',
    value: {
      height,
      time: { seconds: GENESIS_SECONDS + height * 10n, nanos: 0 },
      proposerAddress: PROPOSER,
      maxTxBytes: BigInt(BLOCK_BYTES),
    },
  });
  return expectCase(answer, 'prepareProposal').value.txs;
}
