import { usage } from '@switchyard/service/failure';
import { type Cli, group, leaf } from '../../cli.ts';
import { stopSignal } from '../../stop-signal.ts';
import { getPaths, homeOption, instanceFlag, instanceLeaf } from './options.ts';

/** `switchyard dev install ...`: programs that are not ours. */
export function installCommand(cli: Cli) {
  return group('install', 'build or download programs that do not come with Switchyard', [
    cometbftCommand(cli),
    celestiaCommand(cli),
  ]);
}

function celestiaCommand(cli: Cli) {
  return leaf('celestia', "Celestia's programs for --da celestia, built with Go for all instances; safe to repeat", '')
    .addOption(homeOption())
    .action(async ({ home }) => {
      const { CELESTIA_PROGRAMS, installCelestia } = await import('../../dev/celestia/install.ts');
      const { celestiaBin } = await import('../../dev/celestia/binary.ts');
      const { homeDirectory } = await import('../../dev/instance/home.ts');
      const bin = celestiaBin({ home: homeDirectory(home, cli.world.env) });
      const signal = stopSignal(cli, 'stopped: run it again to continue');
      const programs = await installCelestia(bin, { env: cli.world.env, say: cli.note, signal });
      cli.print({ programs, versions: CELESTIA_PROGRAMS }, [
        ...Object.entries(CELESTIA_PROGRAMS).map(([name, version]) => `${name} ${version} is in ${bin}`),
        `Run a network with: switchyard dev run --da celestia${instanceFlag({ ...(home && { home }) })}`,
      ]);
    });
}

function cometbftCommand(cli: Cli) {
  return instanceLeaf(
    'cometbft',
    'the consensus for --engine cometbft, in the version that we are tried with',
    '',
    '--from-release --sha256 …',
  )
    .option('--from-release', 'download the archive of the release, instead of building it with Go')
    .option('--sha256 <hash>', "with --from-release: what the release's list of checksums has for that archive")
    .action(async (options) => {
      const { installCometbft, releaseHash, releaseUrl } = await import('../../dev/comet/install.ts');
      const { requireInstance } = await import('../../dev/instance/instance.ts');
      const { COMET_VERSION } = await import('../../dev/comet/binary.ts');
      if (options.sha256 !== undefined && options.fromRelease !== true)
        throw usage('--sha256: only with --from-release');
      const paths = await getPaths(options, cli);
      requireInstance(paths);
      const url = options.fromRelease === true ? releaseUrl(process.platform, process.arch) : undefined;
      const signal = stopSignal(cli, 'stopped: run it again to continue');
      const { program } = await installCometbft(paths, {
        env: cli.world.env,
        say: cli.note,
        signal,
        ...(url === undefined ? {} : { release: { url, sha256: releaseHash(options.sha256, url) } }),
      });
      cli.print({ instance: paths.name, program, version: COMET_VERSION }, [
        `cometbft ${COMET_VERSION} is ${program}`,
        `Run four validators with: switchyard dev run --engine cometbft --validators 4${instanceFlag(options)}`,
      ]);
    });
}
