import type { Command } from 'commander';
import { type Cli, leaf } from '../cli.ts';
import { Failure, usage } from '../failure.ts';
import { heightAndHash } from '../rebuild/anchor.ts';
import { type InstanceOptions, pathsOf, withInstance } from './dev/options.ts';

/** `switchyard archive ...`: what the layer holds, kept for longer than light nodes do. */
export function archiveCommands(cli: Cli): Command[] {
  return [run(cli), verify(cli)];
}

interface RunOptions extends InstanceOptions {
  readonly fromDa?: string;
  readonly daChainId?: string;
  readonly daTrusted?: string;
  readonly daTokenFile?: string;
  readonly sequencerChainId?: string;
  readonly rollup: readonly string[];
  readonly from: string;
  readonly once?: true;
  readonly network: string;
}

function run(cli: Cli): Command {
  return withInstance(
    leaf(
      'run',
      'copy height after height into an archive, until Ctrl+C; run again, it resumes',
      '/var/lib/switchyard/archive --from-da http://127.0.0.1:26658 --da-chain-id mocha-5 --da-trusted 123:5D0C... --sequencer-chain-id my-chain --rollup my-rollup --from 100',
      '/tmp/archive --instance default --once',
    ),
  )
    .argument('<directory>', 'the archive; made if it is not there')
    .option('--from-da <url>', 'the light node (default with an instance: its layer, which has to run)')
    .option('--da-chain-id <id>', 'chain id of the layer')
    .option(
      '--da-trusted <height:hash>',
      'a block of the layer that is known to be right; not needed for one on this machine',
    )
    .option('--da-token-file <file>', 'token of the light node, mode 600')
    .option('--sequencer-chain-id <id>', 'chain whose blocks are kept')
    .option(
      '--rollup <name>',
      'a rollup whose data is kept, by its name; can be repeated',
      (name, all: string[]) => [...all, name],
      [],
    )
    .option('--from <height>', 'height of the layer where a new archive begins', '1')
    .option('--network <name>', 'which network of networks-config.toml', 'local')
    .option('--once', 'end with the newest height')
    .addHelpText('after', HELP)
    .action(async (directory: string, options: RunOptions) => {
      const [{ resolve }, { archiveRun }] = await Promise.all([import('node:path'), import('../rebuild/archive.ts')]);
      if (!/^[1-9]\d{0,17}$/.test(options.from))
        throw usage(`--from: expected a height, got ${options.from.slice(0, 80)}`);
      const at = (path: string) => resolve(cli.world.directory, path);
      const stop = new AbortController();
      cli.world.onStop(() => stop.abort(new Failure('stopped')));
      const last = await archiveRun({
        directory: at(directory),
        given: {
          url: options.fromDa,
          chainId: options.daChainId,
          trusted: options.daTrusted === undefined ? undefined : heightAndHash('--da-trusted', options.daTrusted),
          tokenFile: options.daTokenFile && at(options.daTokenFile),
          sequencerChainId: options.sequencerChainId,
          rollups: options.rollup,
        },
        instance:
          options.fromDa === undefined ? { paths: await pathsOf(options, cli), network: options.network } : undefined,
        ...{ from: BigInt(options.from), once: options.once === true, env: cli.world.env },
        ...{ signal: stop.signal, note: cli.note },
      });
      cli.print(
        { directory: at(directory), last },
        last === undefined ? 'stopped; nothing was added' : `the archive has all heights up to ${last}`,
      );
    });
}

const HELP = `
Each height is proven before it is written: its header, and all that the namespaces of the sequencer and of the rollups have, or
that they have nothing. Light nodes keep about seven days of Celestia: start it in time, and read from it with
\`switchyard rebuild --from-archive\`, or SVC_CONDUCTOR_CELESTIA_ARCHIVE.`;

function verify(cli: Cli): Command {
  return leaf(
    'verify',
    'check hashes, headers and proofs of an archive; nothing is changed',
    '/var/lib/switchyard/archive --da-chain-id mocha-5 --da-trusted 456:5D0C...',
  )
    .argument('<directory>', 'the archive')
    .requiredOption('--da-chain-id <id>', 'chain id of the layer')
    .requiredOption(
      '--da-trusted <height:hash>',
      'a block of the layer that is known to be right, best the last one of the archive',
    )
    .action(
      async (
        directory: string,
        { daChainId, daTrusted }: { readonly daChainId: string; readonly daTrusted: string },
      ) => {
        const { height, hash } = heightAndHash('--da-trusted', daTrusted);
        const [{ resolve }, { directoryStore, verifyArchive }, { fromHex }] = await Promise.all([
          import('node:path'),
          import('@switchyard/da'),
          import('@switchyard/protocol'),
        ]);
        const place = resolve(cli.world.directory, directory);
        const stop = new AbortController();
        cli.world.onStop(() => stop.abort(new Failure('stopped')));
        const root = { chainId: daChainId, height: BigInt(height), hash: fromHex(hash) };
        const found = await verifyArchive(directoryStore(place), root, stop.signal).catch((error: unknown) => {
          throw error instanceof Failure ? error : new Failure(error instanceof Error ? error.message : String(error));
        });
        const torn =
          found.torn === 0
            ? []
            : [`  ${found.torn} bytes at its end were not written to their end; \`archive run\` replaces them`];
        cli.print({ directory: place, ...found }, [
          `ok  ${place}: heights ${found.first} to ${found.last} of ${found.chainId} in ${found.segments} segments, ${found.blobs} blobs, all proven`,
          ...torn,
        ]);
      },
    );
}
