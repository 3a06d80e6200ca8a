import { type Cli, group } from '../../cli.ts';
import type { Listed } from '../../dev/snapshot/list.ts';
import type { Manifest } from '../../dev/snapshot/manifest.ts';
import { columns, sizeText } from '../../print.ts';
import { stopSignal } from '../../stop-signal.ts';
import { confirm } from './confirm.ts';
import { getPaths, instanceFlag, instanceLeaf } from './options.ts';

/** `switchyard dev snapshot ...`: the state of a network under a name. */
export function snapshotCommand(cli: Cli) {
  return group('snapshot', 'save the state of a network under a name, and put it back', [
    save(cli),
    restore(cli),
    list(cli),
    remove(cli),
  ]);
}

function save(cli: Cli) {
  return instanceLeaf('save', 'copy all state, keys and settings of an instance, running or not', 'before-upgrade')
    .argument('<snapshot>', 'name to give it: letters, digits, . _ -')
    .option('--force', 'replace a snapshot of this name')
    .option('--online', 'copy store by store while the services keep running')
    .option('--network <name>', 'which network of networks-config.toml, when nothing runs', 'local')
    .addHelpText('after', SAVE_HELP)
    .action(async (name, options) => {
      const { saveSnapshot } = await import('../../dev/snapshot/save.ts');
      const { connectControl } = await import('../../dev/control/client.ts');
      const { directory, manifest, pausedMs } = await saveSnapshot({
        paths: await getPaths(options, cli),
        name,
        network: options.network,
        env: cli.world.env,
        replace: options.force === true,
        online: options.online === true,
        connect: connectControl,
        // Ctrl+C must not leave the network down.
        signal: stopSignal(cli, (why) => `ended by ${why}: nothing was saved`),
        onNotice: cli.note,
      });
      const { files, directories: _directories, links: _links, ...facts } = manifest;
      cli.print({ ...facts, fileCount: files.length, directory, pausedMs }, [
        `saved snapshot ${name}: ${sizeText({ files: files.length, bytes: manifest.bytes })}, ${heightsText(manifest)}`,
        ...pausedLine(pausedMs),
        `Put it back with: switchyard dev snapshot restore ${name}${instanceFlag(options)}`,
      ]);
    });
}

const SAVE_HELP = `
A running network is stopped for the copy and started again; with --online it keeps running, and only networks whose state is all
ours can be saved so (not CometBFT's or geth's). Every store in the copy is verified. The snapshot holds data/, config/ and
networks-config.toml, so also the validator's key: the state is of no use without it. Keys keep mode 0600 and the
directory is readable by you alone; treat it as you treat the key.`;

function restore(cli: Cli) {
  return instanceLeaf('restore', 'put the state of a snapshot in place of the present one', 'before-upgrade')
    .argument('<snapshot>', 'which')
    .option('--settings', 'put back networks-config.toml and base-config.toml too; otherwise they stay unchanged')
    .option('--force', 'also when it is of another chain or rollup; implies --settings')
    .addHelpText('after', RESTORE_HELP)
    .action(async (name, options) => {
      const { restoreSnapshot } = await import('../../dev/snapshot/restore.ts');
      const { connectControl } = await import('../../dev/control/client.ts');
      const { manifest, pausedMs, settingsKept } = await restoreSnapshot({
        paths: await getPaths(options, cli),
        name,
        env: cli.world.env,
        force: options.force === true,
        settings: options.settings === true,
        connect: connectControl,
        signal: stopSignal(cli, (why) => `ended by ${why}: the present state stays`),
        onNotice: cli.note,
      });
      const { network, chainId, rollupName, createdAt, heights } = manifest;
      cli.print({ name, network, chainId, rollupName, createdAt, heights, pausedMs, settingsKept }, [
        `restored snapshot ${name} of ${createdAt}, ${heightsText(manifest)}`,
        ...pausedLine(pausedMs),
        ...settingsKept.map((path) => `${path} has changed since and stays unchanged; --settings puts it back too`),
      ]);
    });
}

const RESTORE_HELP = `
Everything is checked and copied first, while the network still runs; then it is stopped, files change places, and it
is started again. When any of this fails, the present state is back. Save it under a name first if you may want it.`;

function list(cli: Cli) {
  return instanceLeaf('list', 'show the snapshots of an instance', '').action(async (options) => {
    const { listSnapshots } = await import('../../dev/snapshot/list.ts');
    const paths = await getPaths(options, cli);
    const snapshots = listSnapshots(paths);
    const none = `no snapshots of instance ${paths.name}: make one with \`switchyard dev snapshot save NAME${instanceFlag(options)}\``;
    cli.print({ instance: paths.name, snapshots }, snapshots.length === 0 ? none : columns(snapshots.map(row)));
  });
}

function row({ name, manifest, problem }: Listed): string[] {
  if (manifest === undefined) return [name, problem ?? ''];
  const { createdAt, network, chainId, rollupName, bytes, fileCount } = manifest;
  return [
    name,
    createdAt,
    sizeText({ files: fileCount, bytes }),
    heightsText(manifest),
    `${network}: ${chainId}, ${rollupName}`,
  ];
}

function remove(cli: Cli) {
  return instanceLeaf('remove', 'remove a snapshot', 'before-upgrade --yes')
    .argument('<snapshot>', 'which')
    .option('-y, --yes', 'do not ask')
    .action(async (name, options) => {
      const { removeSnapshot } = await import('../../dev/snapshot/list.ts');
      const { requireSnapshot } = await import('../../dev/snapshot/restore.ts');
      const paths = await getPaths(options, cli);
      const directory = requireSnapshot(paths, name);
      const what = [`removes ${directory}`];
      await confirm(cli, { yes: options.yes, what, question: 'Remove this?', verb: 'remove' });
      removeSnapshot(paths, name);
      cli.print({ removed: directory }, `removed ${directory}`);
    });
}

function heightsText({ heights: { sequencer, rollup } }: Pick<Manifest, 'heights'>): string {
  if (sequencer === undefined && rollup === undefined) return 'saved while stopped';
  return `sequencer block ${sequencer ?? 'unknown'}, rollup block ${rollup ?? 'unknown'}`;
}

const pausedLine = (ms: number) => (ms === 0 ? [] : [`the services were down for ${ms} ms`]);
