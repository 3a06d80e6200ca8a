import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cometbft, cometIsThere } from '../support/comet.ts';
import { createMachines, type Machines, machinesCanBeMade } from '../support/machines.ts';
import { root, run, until } from '../support/network.ts';

/**
 * Four validators, each on a machine of its own: the files that `network testnet` writes, started with the two commands
 * of their own README, as they stand there.
 */
describe.runIf(cometIsThere() && machinesCanBeMade())('a network on four machines', () => {
  const MACHINES = [0, 1, 2, 3];
  let work: string;
  let output: string;
  let machines: Machines;

  const getDirectory = (machine: number) => join(output, `node-${machine}`);

  function getCommands(machine: number): string[][] {
    const readme = readFileSync(join(getDirectory(machine), 'README.md'), 'utf8');
    return [...readme.matchAll(/^ {4}(\S.*)$/gm)].map(([, line = '']) =>
      line
        .replace('SWITCHYARD', root)
        .replace(/^cometbft /, `${cometbft} `)
        .split(' '),
    );
  }

  async function getHeight(machine: number): Promise<number> {
    const { stdout, stderr } = await machines.switchyard(machine, 'sequencer', 'blockheight', 'get', '--json');
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout).blockheight;
  }

  async function blocksContinue(machine: number, more: number): Promise<void> {
    const before = await getHeight(machine);
    await until(`${more} more blocks`, async () => ((await getHeight(machine)) >= before + more ? true : undefined));
  }

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'switchyard-machines-'));
    output = join(work, 'net');
    machines = createMachines(MACHINES.length);
    const bin = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
    const args = ['network', 'testnet', '--validators', '4', '--hosts', machines.hosts.join(), '--output', output];
    expect(await run(process.execPath, [bin, ...args])).toMatchObject({ status: 0, stderr: '' });
    for (const machine of MACHINES) {
      const commands = getCommands(machine);
      expect(commands).toHaveLength(2);
      for (const command of commands) machines.start(machine, command, getDirectory(machine));
    }
    await until('there is a first block', async () => ((await getHeight(0)) > 0 ? true : undefined), 60_000);
  });

  afterAll(async () => {
    await machines?.dispose();
    rmSync(work, { recursive: true, force: true });
  });

  test('what is sent to one machine is known on another', async () => {
    const { stdout } = await machines.switchyard(0, 'sequencer', 'account', 'create', '--json');
    const { address } = JSON.parse(stdout);
    const key = join(output, 'genesis_account_key');
    const sent = await machines.switchyard(
      0,
      'sequencer',
      'transfer',
      address,
      '--amount',
      '5',
      '--private-key-file',
      key,
    );
    expect(sent).toMatchObject({ status: 0, stderr: '' });
    await blocksContinue(3, 1);
    const held = await machines.switchyard(3, 'sequencer', 'balance', 'get', address, '--json');
    expect(JSON.parse(held.stdout)).toEqual([{ denom: 'ntia', balance: '5' }]);
  });

  test('cut in halves, neither makes a block; healed, all continue with one state', async () => {
    machines.cut([2, 3]);
    let last = [-1, -1];
    await until('both halves stand still', async () => {
      const before = last;
      last = await Promise.all([getHeight(0), getHeight(2)]);
      // That nothing happens can only be seen by waiting; there is a block every second or two otherwise.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      return before.join() === last.join() ? true : undefined;
    });
    machines.heal();
    await until('blocks are made again', async () => ((await getHeight(0)) > Math.max(...last) + 1 ? true : undefined));
    const height = Math.max(...last) + 1;
    const roots = await Promise.all(
      MACHINES.map(async (machine) => {
        await until('the block is there', async () => ((await getHeight(machine)) >= height ? true : undefined));
        const { stdout } = await machines.switchyard(machine, 'sequencer', 'block', 'get', String(height));
        return JSON.parse(stdout).block.header.app_hash;
      }),
    );
    expect(new Set(roots).size).toBe(1);
  });
});
