import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure, usage } from '@switchyard/service/failure';
import {
  addressArgument,
  denomArgument,
  hashArgument,
  integerReader,
  u64Reader,
  urlArgument,
} from '../../arguments.ts';
import { type Cli, leaf, repeated } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import type { CheckedBalance, CheckWith } from '../../verified-balance.ts';
import { askedRollup, withRollup } from './options.ts';
import { shownOutcome } from './outcome.ts';

export function textsCommand(cli: Cli, connect: Connections) {
  return withRollup(
    leaf(
      'texts',
      'show texts, the oldest first; without --after and --limit the newest 1,000',
      '',
      '--after 41 --limit 20',
    ),
  )
    .option('--after <id>', 'only texts with a larger id', u64Reader('--after'))
    .option('--limit <n>', 'at most so many', integerReader('--limit', 1, 1_000_000))
    .action(async ({ after, limit, ...options }) => {
      const texts = await (await askedRollup(options, cli, connect)).texts({ after, limit });
      // A stranger wrote these, so nothing in them may reach the terminal as a command.
      const height = (value: bigint | undefined) => (value === undefined ? undefined : Number(value));
      cli.print(
        texts.map(({ id, block, ...text }) => ({ id: height(id), ...text, block: height(block) })),
        texts.map(({ sender, message }) => `Sender: ${plain(sender)}, Message: ${plain(message)}`),
      );
    });
}

export function balanceCommand(cli: Cli, connect: Connections) {
  return withRollup(
    leaf(
      'balance',
      'show how much of an asset an account of the rollup holds',
      'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2',
      'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2 --verify --sequencer-rpc http://127.0.0.1:26657 --sequencer-grpc http://127.0.0.1:8080',
    ),
  )
    .argument('<address>', 'whose')
    .option('--asset <asset>', 'asset of the balance', 'nria')
    .option('--verify', 'check the answer against a header that the validators of the sequencer have signed')
    .option('--sequencer-rpc <url>', 'with --verify: RPC of a sequencer node')
    .option('--sequencer-grpc <url>', 'with --verify: gRPC of that node')
    .option('--validators-hash <hash>', 'with --verify: hash of the only validator set that is trusted')
    .option('--compare-with <url>', 'with --verify: another node of the rollup; can be repeated', repeated, [])
    .action(async (address, options) => {
      addressArgument('address', address);
      const { text: asset } = denomArgument('--asset', options.asset);
      const checkWith = toCheckOptions(options);
      const rollup = await askedRollup(options, cli, connect);
      if (checkWith === undefined) {
        const balance = await rollup.balance(address, asset);
        cli.print({ address, asset, balance }, `Balance: ${balance} ${asset}`);
        return;
      }
      const { balance, ...checked } = await rollup.verifiedBalance(address, asset, checkWith);
      cli.print({ address, asset, balance, ...checked }, [
        `Balance: ${balance} ${asset}`,
        ...formatLines(checked, checkWith),
      ]);
    });
}

interface CheckOptions {
  readonly verify?: true | undefined;
  readonly sequencerRpc?: string | undefined;
  readonly sequencerGrpc?: string | undefined;
  readonly validatorsHash?: string | undefined;
  readonly compareWith: readonly string[];
}

/** @throws {Failure} */
function toCheckOptions({ verify, sequencerRpc, sequencerGrpc, validatorsHash, compareWith }: CheckOptions) {
  if (verify === undefined) {
    const given = [sequencerRpc, sequencerGrpc, validatorsHash, ...compareWith].some((each) => each !== undefined);
    if (given) throw usage('--sequencer-rpc, --sequencer-grpc, --validators-hash and --compare-with need --verify');
    return undefined;
  }
  if (sequencerRpc === undefined || sequencerGrpc === undefined)
    throw usage('--verify: expected --sequencer-rpc and --sequencer-grpc, the addresses of a sequencer node');
  if (validatorsHash !== undefined && !/^[0-9a-fA-F]{64}$/.test(validatorsHash))
    throw usage(`--validators-hash: expected 64 hex digits, got ${JSON.stringify(validatorsHash.slice(0, 80))}`);
  return {
    rpcUrl: urlArgument('--sequencer-rpc', sequencerRpc),
    grpcUrl: urlArgument('--sequencer-grpc', sequencerGrpc),
    validatorsHash: validatorsHash?.toLowerCase(),
    otherUrls: compareWith.map((url) => urlArgument('--compare-with', url)),
  };
}

function formatLines({ block, header, agreeing }: Omit<CheckedBalance, 'balance'>, { otherUrls }: CheckWith): string[] {
  const others = otherUrls.length === 0 ? '' : `; ${agreeing} of ${otherUrls.length} other nodes have the same block`;
  return [
    `  in the state of rollup block ${block.number} with hash ${block.hash}${others}`,
    `  made from sequencer block ${header.height} with hash ${header.hash}`,
    `  which validators with hash ${header.validatorsHash} have signed`,
  ];
}

export function nonceCommand(cli: Cli, connect: Connections) {
  return withRollup(
    leaf(
      'nonce',
      'show the next nonce of an account, counting transactions under way',
      'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2',
    ),
  )
    .argument('<address>', 'whose')
    .action(async (address, options) => {
      addressArgument('address', address);
      const nonce = await (await askedRollup(options, cli, connect)).nonce(address);
      cli.print({ address, nonce }, `Nonce: ${nonce}`);
    });
}

export function transactionCommand(cli: Cli, connect: Connections) {
  return withRollup(leaf('transaction', 'show what became of a transaction', '5f3a61…'))
    .argument('<hash>', '64 hex digits')
    .action(async (text, options) => {
      const hash = hashArgument('hash', text);
      const outcome = await (await askedRollup(options, cli, connect)).transaction(hash);
      if (outcome === undefined) throw new Failure(`no transaction ${hash} is known to this rollup`);
      const { state, block, sequencerHeight, reason } = outcome;
      cli.print({ hash, ...shownOutcome(outcome) }, [
        `Transaction hash: ${hash}`,
        `State: ${state}${reason === undefined ? '' : `, ${reason}`}`,
        ...(block === undefined ? [] : [`Block: ${block}`]),
        ...(sequencerHeight === undefined ? [] : [`Sequencer block: ${sequencerHeight}`]),
      ]);
    });
}

export function statusCommand(cli: Cli, connect: Connections) {
  return withRollup(
    leaf('status', "show the rollup's name, chain id and heights", '', '--instance chat --json'),
  ).action(async (options) => {
    const { name, chainId, height, firm, all } = await (await askedRollup(options, cli, connect)).status();
    cli.print(all, [
      `Rollup: ${name}`,
      `Chain id: ${chainId}`,
      `Block: ${height}`,
      `Firm block: ${firm ?? 'none yet'}`,
    ]);
  });
}
