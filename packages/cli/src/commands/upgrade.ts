import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { UpgradePlan } from '@switchyard/rollup/internal';
import { Failure, usage } from '@switchyard/service/failure';
import { type Cli, leaf } from '../cli.ts';

/** `switchyard upgrade ...`: changes of a definition on a running chain. */
export function upgradeCommands(cli: Cli) {
  return [
    leaf(
      'check',
      'compare the definition of a running chain with the next one',
      '--from counter-1.json --to ./dist/counter.js --executed 1200',
    )
      .requiredOption('--from <definition>', 'the running one: a module, or its JSON as GET /v1/definition answers it')
      .requiredOption('--to <definition>', 'the next one')
      .option('--executed <block>', 'last block that the chain has executed', '0')
      .addHelpText('after', HELP)
      .action(async ({ from, to, executed }) => {
        if (!/^\d{1,18}$/.test(executed)) throw usage(`--executed: expected a block, got ${executed.slice(0, 80)}`);
        const { upgradePlan } = await import('@switchyard/rollup/internal');
        const [running, next] = [await documentIn(cli, '--from', from), await documentIn(cli, '--to', to)];
        const plan = upgradePlan(running, next, BigInt(executed));
        cli.print(plan, formatLines(plan));
        const refused = plan.changes.filter(({ kind }) => kind !== 'planned').length;
        if (refused > 0)
          throw new Failure(`${refused} of ${plan.changes.length} changes have no block, or cannot have one`);
      }),
  ];
}

const HELP = `
A change is planned where it has a block after the executed ones, open if it could have one, and refused if no running chain
can take it. Ends with status 1 unless all are planned. The fingerprint of a block is what announceUpgrade announces.`;

async function documentIn({ world }: Cli, option: string, path: string): Promise<unknown> {
  const { definitionIn } = await import('@switchyard/rollup/internal');
  const file = resolve(world.directory, path);
  try {
    if (path.endsWith('.json')) return JSON.parse(await readFile(file, 'utf8')) as unknown;
    return definitionIn((await import(pathToFileURL(file).href)) as object).document;
  } catch (error) {
    throw usage(`${option}: ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function formatLines({ changes, upgrades }: UpgradePlan): string[] {
  if (changes.length === 0) return ['the definitions have the same blocks and state'];
  return [
    ...changes.map(({ kind, change, advice }) => `${kind}: ${change}${advice === undefined ? '' : `; ${advice}`}`),
    ...upgrades.map(({ block, fingerprint }) => `from block ${block} on the definition is ${fingerprint}`),
  ];
}
