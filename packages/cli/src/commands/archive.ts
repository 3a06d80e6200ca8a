import { resolve } from 'node:path';
import { fromHex } from '@switchyard/protocol/values';
import { Failure } from '@switchyard/service/failure';
import { integerReader } from '../arguments.ts';
import { type Cli, leaf, repeated } from '../cli.ts';
import { heightAndHash } from '../rebuild/anchor.ts';
import { openArchivePlace, withS3 } from '../rebuild/archive-place.ts';
import { stopSignal } from '../stop-signal.ts';
import { getPaths, instanceLeaf } from './dev/options.ts';

/** `switchyard archive ...`: blobs of the layer, kept for longer than light nodes do. */
export function archiveCommands(cli: Cli) {
  return [run(cli), verify(cli)];
}

function run(cli: Cli) {
  return withS3(
    instanceLeaf(
      'run',
      'copy height after height into an archive, until Ctrl+C; run again, it resumes',
      '/var/lib/switchyard/archive --from-da http://127.0.0.1:26658 --da-chain-id mocha-5 --da-trusted 123:5D0C... --sequencer-chain-id my-chain --rollup my-rollup --from 100',
      '/tmp/archive --instance default --once',
      's3://my-bucket/archive --s3-endpoint https://s3.example --s3-region eu-1 --instance default',
    ),
  )
    .argument('<place>', 'the archive: a directory, made if it is not there, or s3://BUCKET/PREFIX')
    .option('--from-da <url>', 'the light node (default with an instance: its layer, which has to run)')
    .option('--da-chain-id <id>', 'chain id of the layer')
    .option(
      '--da-trusted <height:hash>',
      'a block of the layer that is known to be right; not needed for one on this machine',
    )
    .option('--da-token-file <file>', 'token of the light node, mode 600')
    .option('--sequencer-chain-id <id>', 'chain whose blocks are kept')
    .option('--rollup <name>', 'a rollup whose data is kept, by its name; can be repeated', repeated, [])
    .option(
      '--from <height>',
      'height of the layer where a new archive begins',
      integerReader('--from', 1, Number.MAX_SAFE_INTEGER),
      1,
    )
    .option('--network <name>', 'which network of networks-config.toml', 'local')
    .option('--once', 'end with the newest height')
    .option(
      '--s3-every <seconds>',
      'in S3: put the gathered blocks as an object after this many seconds, or at 16 MB (default: 300)',
      integerReader('--s3-every', 1, 99_999),
    )
    .addHelpText('after', HELP)
    .action(async (place, options) => {
      const { archiveRun } = await import('../rebuild/archive.ts');
      const { s3Every } = options;
      const at = (path: string) => resolve(cli.world.directory, path);
      const archive = await openArchivePlace(place, cli.world.directory, options);
      const last = await archiveRun({
        place: archive,
        given: {
          url: options.fromDa,
          chainId: options.daChainId,
          trusted: options.daTrusted === undefined ? undefined : heightAndHash('--da-trusted', options.daTrusted),
          tokenFile: options.daTokenFile && at(options.daTokenFile),
          sequencerChainId: options.sequencerChainId,
          rollups: options.rollup,
        },
        instance:
          options.fromDa === undefined ? { paths: await getPaths(options, cli), network: options.network } : undefined,
        ...{ from: BigInt(options.from), once: options.once === true, env: cli.world.env },
        flushMs: s3Every && 1_000 * s3Every,
        ...{ signal: stopSignal(cli, 'stopped'), note: cli.note },
      });
      cli.print(
        { place: archive.at, last },
        last === undefined ? 'stopped; nothing was added' : `the archive has all heights up to ${last}`,
      );
    });
}

const HELP = `
Each height is proven before it is written: its header, and all that the namespaces of the sequencer and of the rollups have, or
that they have nothing. Light nodes keep about seven days of Celestia: start it in time, and read from it with
\`switchyard rebuild --from-archive\`, or SVC_CONDUCTOR_CELESTIA_ARCHIVE.`;

function verify(cli: Cli) {
  return withS3(
    leaf(
      'verify',
      'check hashes, headers and proofs of an archive; nothing is changed',
      '/var/lib/switchyard/archive --da-chain-id mocha-5 --da-trusted 456:5D0C...',
    ),
  )
    .argument('<place>', 'the archive: a directory, or s3://BUCKET/PREFIX')
    .requiredOption('--da-chain-id <id>', 'chain id of the layer')
    .requiredOption(
      '--da-trusted <height:hash>',
      'a block of the layer that is known to be right, best the last one of the archive',
    )
    .action(async (given, options) => {
      const { daChainId, daTrusted } = options;
      const { height, hash } = heightAndHash('--da-trusted', daTrusted);
      const archive = await openArchivePlace(given, cli.world.directory, options);
      const { openArchiveStore, verifyArchive } = await import('@switchyard/da');
      const place = archive.at;
      const signal = stopSignal(cli, 'stopped');
      const root = { chainId: daChainId, height: BigInt(height), hash: fromHex(hash) };
      const found = await verifyArchive(await openArchiveStore(archive), root, signal).catch((error: unknown) => {
        throw error instanceof Failure ? error : new Failure(error instanceof Error ? error.message : String(error));
      });
      const torn =
        found.torn === 0
          ? []
          : [`  ${found.torn} bytes at its end were not written to their end; \`archive run\` replaces them`];
      cli.print({ place, ...found }, [
        `ok  ${place}: heights ${found.first} to ${found.last} of ${found.chainId} in ${found.segments} segments, ${found.blobs} blobs, all proven`,
        ...torn,
      ]);
    });
}
