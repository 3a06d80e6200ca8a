import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';
import type { Cli } from '../../cli.ts';
import { COMET_NETWORK } from '../../dev/comet/layout.ts';
import type { Finding } from '../../dev/doctor/finding.ts';
import { columns, count } from '../../print.ts';
import { getPaths, instanceLeaf } from './options.ts';
import { getPrograms, withPaths } from './run.ts';

export function doctorCommand(cli: Cli) {
  const command = instanceLeaf(
    'doctor',
    'find what keeps a network from running, with advice',
    '',
    '--instance chat',
  ).option('--network <name>', 'which network of networks-config.toml, when nothing runs (default: local)');
  return withPaths(command)
    .addHelpText(
      'after',
      '\nThe paths are the ones for `dev run`; while a network runs, its services are checked.\nExit status 1 when something has to be corrected. Nothing is changed.',
    )
    .action(async (options) => {
      const { machineFindings } = await import('../../dev/doctor/machine.ts');
      const { instanceFindings } = await import('../../dev/doctor/instance.ts');
      const paths = await getPaths(options, cli);
      const network = options.network ?? (options.cometbftPath === undefined ? 'local' : COMET_NETWORK);
      const flags = { programs: Object.fromEntries(getPrograms(options)), directory: cli.world.directory };
      const findings = [
        ...machineFindings(paths.directory),
        ...(await instanceFindings(paths, network, cli.world.env, flags)),
      ];
      const failed = findings.filter(({ level }) => level === 'fail').length;
      const warned = findings.filter(({ level }) => level === 'warn').length;
      cli.print({ ok: failed === 0, failed, warned, findings }, columns(findings.flatMap(rows)));
      if (failed > 0) throw new Failure(`${count(failed, 'problem')}, ${count(warned, 'warning')}`);
      if (!cli.json) cli.print(undefined, `no problems found, ${count(warned, 'warning')}`);
    });
}

function rows({ level, check, text, advice }: Finding): string[][] {
  const row = [level, check, plain(text)];
  return advice === undefined ? [row] : [row, ['', '', `-> ${advice}`]];
}
