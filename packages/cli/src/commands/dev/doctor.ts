import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { Finding } from '../../dev/doctor/finding.ts';
import { Failure } from '../../failure.ts';
import { columns, count, plain } from '../../print.ts';
import { type InstanceOptions, pathsOf, withInstance } from './options.ts';

/** `switchyard dev doctor` */
export function doctorCommand(cli: Cli): Command {
  return withInstance(leaf('doctor', 'find what keeps a network from running, with advice', '', '--instance chat'))
    .option('--network <name>', 'which network of networks-config.toml, when nothing runs', 'local')
    .addHelpText('after', '\nExit status 1 when something has to be corrected. Nothing is changed.')
    .action(async (options: InstanceOptions & { readonly network: string }) => {
      const [{ machineFindings }, { instanceFindings }] = await Promise.all([
        import('../../dev/doctor/machine.ts'),
        import('../../dev/doctor/instance.ts'),
      ]);
      const paths = await pathsOf(options, cli);
      const findings = [
        ...machineFindings(paths.directory),
        ...(await instanceFindings(paths, options.network, cli.world.env)),
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
