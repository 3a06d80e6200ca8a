import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { Failure } from '@switchyard/service/failure';
import { type Cli, group } from '../../cli.ts';
import type { Finding } from '../../dev/config/check/finding.ts';
import type { EffectiveSetting } from '../../dev/config/effective.ts';
import { columns, count } from '../../print.ts';
import { getPaths, instanceLeaf } from './options.ts';

/** `switchyard dev config ...`: effective settings, and whether they are consistent. */
export function configCommand(cli: Cli) {
  return group('config', 'show effective settings, and check them', [showCommand(cli), checkCommand(cli)]);
}

function showCommand(cli: Cli) {
  return instanceLeaf(
    'show',
    'show every setting with its value and where that comes from; secrets are hidden',
    '',
    'composer',
  )
    .argument('[service]', 'only the settings of this service')
    .option('--network <name>', 'which network of networks-config.toml', 'local')
    .action(async (service, options, command) => {
      const { effectiveSettings } = await import('../../dev/config/effective.ts');
      const { readInstance } = await import('../../dev/instance/instance.ts');
      const paths = await getPaths(options, cli);
      const instance = readInstance(paths, options.network, cli.world.env);
      const settings = effectiveSettings(instance, service);
      const tool =
        service === undefined
          ? ofTool(command, cli, { home: paths.home, instance: paths.name, network: options.network })
          : [];
      const all = [...tool, ...settings];
      cli.print({ instance: paths.name, network: options.network, settings: all }, lines(all));
    });
}

/** Settings of the command itself, from flags and the environment. */
function ofTool(command: CommandUnknownOpts, cli: Cli, values: Readonly<Record<string, string>>): EffectiveSetting[] {
  const variables: Readonly<Record<string, readonly string[]>> = {
    home: ['SWITCHYARD_HOME'],
    instance: ['SWITCHYARD_INSTANCE_NAME', 'ASTRIA_GO_INSTANCE'],
  };
  return Object.entries(values).map(([key, value]) => {
    if (command.getOptionValueSource(key) === 'cli') return { key, value, from: 'flag', place: `--${key}` };
    const variable = variables[key]?.find((name) => (cli.world.env[name] ?? '') !== '');
    if (variable !== undefined) return { key, value, from: 'environment', place: variable };
    if (key === 'instance' && value !== 'default') {
      return { key, value, from: 'tui-config.toml', place: 'override_instance_name' };
    }
    return { key, value, from: 'default' };
  });
}

function lines(settings: readonly EffectiveSetting[]): string[] {
  const groups = new Map<string, EffectiveSetting[]>();
  for (const setting of settings) {
    const title = setting.service ?? (setting.place?.startsWith('networks.') === true ? 'network' : 'switchyard');
    groups.set(title, [...(groups.get(title) ?? []), setting]);
  }
  const rows = [...groups].flatMap(([title, members]) => [
    [`[${title}]`],
    ...members.map(({ key, value, from, place }) => [
      `  ${key}`,
      value === '' ? '""' : value,
      origin(from, key, place),
    ]),
  ]);
  // A title stands alone: it must not make the first column wider.
  const table = columns(rows.filter(([, value]) => value !== undefined));
  return rows.map(([title = '', value]) => (value === undefined ? title : (table.shift() ?? '')));
}

function origin(from: string, key: string, place: string | undefined): string {
  return place === undefined || place === key ? from : `${from} ${place}`;
}

function checkCommand(cli: Cli) {
  return instanceLeaf(
    'check',
    'check the files as the next start reads them, and that ports, names and settings are consistent; status 1 on an error',
    '',
    '--instance chat --json',
  ).action(async (options) => {
    const { checkInstance } = await import('../../dev/config/check/check.ts');
    const paths = await getPaths(options, cli);
    const findings = checkInstance(paths, { env: cli.world.env });
    const errors = findings.filter(({ severity }) => severity === 'error').length;
    const summary = `${count(errors, 'error')}, ${count(findings.length - errors, 'warning')}`;
    cli.print(
      { instance: paths.name, ok: errors === 0, findings },
      findings.length === 0 ? `instance ${paths.name}: configuration OK` : findings.flatMap(findingLines),
    );
    if (errors > 0) throw new Failure(`instance ${paths.name}: ${summary}`);
  });
}

function findingLines({ severity, problem, places, fix }: Finding): string[] {
  return [
    `${severity}: ${problem}`,
    ...places.map(
      ({ file, line, key, value }) =>
        `    ${file}${line === undefined ? '' : `:${line}`}: ${key} = ${value === '' ? '""' : value}`,
    ),
    `    fix: ${fix}`,
  ];
}
