import { addressOf, denomOf, urlOf } from '../../arguments.ts';
import { type Cli, leaf, repeated } from '../../cli.ts';
import type { CheckedBalance, CheckWith, Connections } from '../../connections.ts';
import { usage } from '../../failure.ts';
import { askedRollup, withRollup } from './options.ts';

/** `rollup-cli query balance ADDRESS` */
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
      addressOf('address', address);
      const { text: asset } = denomOf('--asset', options.asset);
      const checkWith = checkWithOf(options);
      const rollup = await askedRollup(options, cli, connect);
      if (checkWith === undefined) {
        const balance = await rollup.balance(address, asset);
        cli.print({ address, asset, balance }, `Balance: ${balance} ${asset}`);
        return;
      }
      const { balance, ...checked } = await rollup.verifiedBalance(address, asset, checkWith);
      cli.print({ address, asset, balance, ...checked }, [
        `Balance: ${balance} ${asset}`,
        ...linesOf(checked, checkWith),
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
function checkWithOf({ verify, sequencerRpc, sequencerGrpc, validatorsHash, compareWith }: CheckOptions) {
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
    rpcUrl: urlOf('--sequencer-rpc', sequencerRpc),
    grpcUrl: urlOf('--sequencer-grpc', sequencerGrpc),
    validatorsHash: validatorsHash?.toLowerCase(),
    otherUrls: compareWith.map((url) => urlOf('--compare-with', url)),
  };
}

function linesOf({ block, header, agreeing }: Omit<CheckedBalance, 'balance'>, { otherUrls }: CheckWith): string[] {
  const others = otherUrls.length === 0 ? '' : `; ${agreeing} of ${otherUrls.length} other nodes have the same block`;
  return [
    `  in the state of rollup block ${block.number} with hash ${block.hash}${others}`,
    `  made from sequencer block ${header.height} with hash ${header.hash}`,
    `  which validators with hash ${header.validatorsHash} have signed`,
  ];
}
