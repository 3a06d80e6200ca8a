import { evmGenesisFile } from '@switchyard/evm/client';
import { ipcLink } from '@switchyard/evm/geth-testing';
import { ATTACKS, type Attack, runAttack, WARM_UP_GAS } from '@switchyard/evm/testing';
import { columns } from '../support/columns.ts';
import { createGeth, gethIsThere } from '../support/geth.ts';
import { usage } from '../support/usage.ts';
import { attackParams } from './evm-hostile-calls.ts';
import type { Options } from './measure.ts';

interface AttackRow {
  readonly name: string;
  /** CPU seconds for each million gas. */
  readonly ours: number;
  readonly geth: number | undefined;
}

/** Nothing that costs gas may take longer. */
const LONGEST_MS = 120_000;

/** Every attack with our interpreter and with geth's, by `eth_call`; the dearest first. */
export async function attackTable(
  { gas: wanted, progress }: Options,
  only: readonly string[],
): Promise<{ readonly json: object; readonly text: string }> {
  const gas = BigInt(wanted);
  const chosen = ATTACKS.filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)));
  const geth = gethIsThere() ? await startGeth(gas) : undefined;
  const rows: AttackRow[] = [];
  try {
    for (const attack of chosen) {
      const row = { name: attack.name, ours: await awaitOwn(attack, gas), geth: await geth?.seconds(attack) };
      progress(`${row.name}: ${shown(row.ours)} ${shown(row.geth)}`);
      rows.push(row);
    }
  } finally {
    await geth?.dispose();
  }
  rows.sort((left, right) => right.ours - left.ours);
  const head = ['CPU seconds for each million gas', 'ours', 'geth', 'ours/geth'];
  const lines = rows.map((row) => [row.name, shown(row.ours), shown(row.geth), ratio(row)]);
  return { json: { gas: wanted, rows }, text: columns([head, ...lines]) };
}

async function awaitOwn(attack: Attack, gas: bigint): Promise<number> {
  // The first run compiles the code.
  await runAttack(attack, WARM_UP_GAS, LONGEST_MS);
  const { cpuSeconds, gas: used } = await runAttack(attack, gas, LONGEST_MS);
  return cpuSeconds / (Number(used) / 1e6);
}

interface Geth {
  seconds(attack: Attack): Promise<number | undefined>;
  dispose(): Promise<void>;
}

async function startGeth(gas: bigint): Promise<Geth> {
  const genesis = evmGenesisFile({ rollupName: 'attacks', sequencerChainId: 'attacks', startHeight: 1 });
  const args = ['--rpc.gascap', '0', '--rpc.evmtimeout', '0'];
  const geth = await createGeth({ genesis, gasLimit: gas, args });
  await geth.start();
  const link = ipcLink(geth.ipc);
  const call = async (attack: Attack): Promise<void> => {
    // That its gas is gone is an error.
    await link.call('eth_call', attackParams(attack, gas), { timeoutMs: LONGEST_MS }).catch(() => undefined);
  };
  return {
    async seconds(attack) {
      const { pid } = geth;
      if (pid === undefined) return undefined;
      const before = usage(pid).cpuSeconds;
      await call(attack);
      return (usage(pid).cpuSeconds - before) / (Number(gas) / 1e6);
    },
    async dispose() {
      link.close();
      await geth.dispose();
    },
  };
}

const shown = (seconds: number | undefined): string => (seconds === undefined ? '' : seconds.toFixed(4));
const ratio = ({ ours: mine, geth }: AttackRow): string =>
  geth === undefined || geth === 0 ? '' : (mine / geth).toFixed(0);
