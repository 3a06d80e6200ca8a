import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { seededRandom } from '@switchyard/service/testing';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ask, fund, getTexts, newSigner, writeTexts } from '../support/submitting.ts';
import { mountSmallDisk, type SmallDisk } from './faults/disk.ts';

export interface FullDiskOptions {
  readonly rounds: number;
  readonly seed: string;
}

const INSTANCE = 'chaos';
const SIZE = 256 * 2 ** 20;
const WRITERS = 6;
const RECOVERED_WITHIN_MS = 60_000;

/**
 * A detached network of one process, whose whole home is on a disk that is full again and again. @returns the violations, or
 * the reason why this machine cannot do it.
 */
export async function runFullDisk(
  options: FullDiskOptions,
  progress: (line: string) => void,
): Promise<string | readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-full-'));
  const disk = mountSmallDisk(directory, SIZE);
  if (typeof disk === 'string') {
    rmSync(directory, { recursive: true });
    return disk;
  }
  // The home of the network is made there.
  process.env.TMPDIR = directory;
  const network = await createNetwork({
    instance: INSTANCE,
    init: ['--template', 'messenger,evm'],
    hasProcesses: false,
  });
  try {
    const started = await network.switchyard('dev', 'run', '--detach', '--instance', INSTANCE);
    if (started.status !== 0) throw new Error(started.stderr);
    return await attack(network, disk, options, progress);
  } finally {
    await disk.free();
    await network.switchyard('dev', 'stop', '--instance', INSTANCE);
    await network.dispose();
    disk.unmount();
    rmSync(directory, { recursive: true });
  }
}

async function attack(
  network: Network,
  disk: SmallDisk,
  { rounds, seed }: FullDiskOptions,
  progress: (line: string) => void,
): Promise<readonly string[]> {
  const random = seededRandom(`full disk/${seed}`);
  const files = join(network.home, INSTANCE);
  const url = network.url('rollup');
  // The tool wrote the file.
  const pid = (): number =>
    (JSON.parse(readFileSync(join(files, 'run.json'), 'utf8')) as { tool: { pid: number } }).tool.pid;
  const first = pid();
  const { chainId } = (await ask(`${url}/v1/status`)).body;
  const signers = Array.from({ length: WRITERS }, newSigner);
  await fund(url, chainId, signers);
  let stopped = false;
  const writing = Promise.all(
    signers.map((signer, at) => writeTexts(url, signer, { chainId, name: `writer ${at}`, until: () => stopped })),
  );
  writing.catch(() => undefined);
  const shown = async (): Promise<number> => Number((await ask(`${url}/v1/status`)).body.texts);
  const logs = join(files, 'logs');
  const logged = (): number => readdirSync(logs).reduce((sum, name) => sum + statSync(join(logs, name)).size, 0);
  const later = async (what: string): Promise<void> => {
    const before = await until(what, shown, RECOVERED_WITHIN_MS, 100);
    await until(
      what,
      async () => ((await shown()) > before + 2 * WRITERS ? true : undefined),
      RECOVERED_WITHIN_MS,
      100,
    );
    await until(
      `${what}, and all services are ready`,
      async () => (await allReady(network)) || undefined,
      RECOVERED_WITHIN_MS,
      250,
    );
  };
  for (let round = 1; round <= rounds; round += 1) {
    await later(`texts are executed before round ${round}`);
    const before = logged();
    await disk.fill();
    await rest(random.between(1_000, 6_000));
    await disk.free();
    const began = performance.now();
    await later(`texts are executed after round ${round}`);
    await until('the logs grow', () => logged() > before || undefined, RECOVERED_WITHIN_MS);
    progress(`round ${round}: served again after ${Math.round(performance.now() - began)} ms`);
  }
  stopped = true;
  const texts = (await writing).flat().map(({ text }) => text);
  const executed = await until(
    'all that was acknowledged is executed',
    async () => ((await shown()) >= texts.length ? await getTexts(url) : undefined),
    RECOVERED_WITHIN_MS,
  );
  const output = readFileSync(join(logs, 'run.out'), 'utf8');
  return [
    ...(pid() === first ? [] : [`the process ${first} ended, and ${pid()} took its place`]),
    ...(JSON.stringify(executed) === JSON.stringify(texts.sort()) ? [] : ['texts were lost, doubled or invented']),
    ...(output.includes('Write error') ? ['a commit met the full disk'] : []),
  ];
}

async function allReady(network: Network): Promise<boolean> {
  const { stdout } = await network.switchyard('dev', 'status', '--instance', INSTANCE, '--json');
  const { services } = JSON.parse(stdout) as { services: readonly { state: string }[] };
  return services.every(({ state }) => state === 'ready');
}
