import { afterAll, beforeAll, expect, test } from 'vitest';
import { fuzzHttp, getListeners } from '../support/http-fuzz.ts';
import { createNetwork, type Network, until } from '../support/network.ts';
import { SEED } from '../support/seed.ts';
import { ask } from '../support/submitting.ts';

/*
 * Raw bytes of HTTP/1 at every port of every process of a network with all services: no bytes of a connection end a process
 * or keep requests from being answered.
 *
 * SWITCHYARD_FUZZ_MINUTES: how long (0.3). SWITCHYARD_SEED: which bytes (1).
 */

const MINUTES = Number(process.env.SWITCHYARD_FUZZ_MINUTES ?? '0.3');

let network: Network;

interface Service {
  readonly name: string;
  readonly pid: number;
  readonly restarts?: number;
}

async function services(): Promise<readonly Service[]> {
  const { stdout } = await network.switchyard('dev', 'status', '--instance', network.instance, '--json');
  const status = JSON.parse(stdout) as { services: { name: string; pid?: number; restarts?: number }[] };
  return status.services.map(({ name, pid = 0, restarts }) => ({
    name,
    pid,
    ...(restarts !== undefined && { restarts }),
  }));
}

/** Every listener speaks HTTP/1, the gRPC ports too: the status of an ordinary request to each. */
const answers = (ports: readonly number[]) =>
  Promise.all(
    ports.map(async (port) => {
      const url = `http://127.0.0.1:${port}/healthz`;
      const { status } = await until(`port ${port} answers`, () => fetch(url, { signal: AbortSignal.timeout(10_000) }));
      return [port, status];
    }),
  );

beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'messenger,evm', '--data-availability', 'local'] });
  await network.switchyard('dev', 'setconfig', 'blockinterval', '200', '--instance', network.instance);
  await network.start();
});

afterAll(() => network?.dispose());

test(
  'raw HTTP/1 at every listener ends no process, and ordinary requests are answered afterwards',
  async () => {
    const before = await services();
    const ports = before.flatMap(({ pid }) => getListeners(pid));
    expect(ports.length).toBeGreaterThan(before.length);
    const answered = await answers(ports);
    const height = async () => Number((await ask(`${network.url('rollup')}/v1/status`)).body.soft.number);
    const was = await height();
    const connections = await fuzzHttp({ ports, seed: String(SEED), seconds: MINUTES * 60 });
    console.log(
      `raw HTTP/1: seed ${SEED}, ${connections} connections to ${ports.length} ports of ${before.length} processes`,
    );
    expect(await services(), network.output()).toEqual(before);
    expect(await answers(ports)).toEqual(answered);
    await until('blocks are executed', async () => ((await height()) > was ? true : undefined));
  },
  (MINUTES + 4) * 60_000,
);
