import { plain } from '@switchyard/protocol/hidden-characters';
import { object } from '@switchyard/service/input';
import { readJson, whole } from '@switchyard/service/lenient';
import { nodeUrl, type Urls } from '../target.ts';
import type { ClusterApi } from './api.ts';
import { type Reached, reach } from './reach.ts';
import { type Waiting, waitUntil } from './wait.ts';

/** After this long without a connection, the ingress is taken as unreachable from here. */
const UNREACHABLE_MS = 20_000;

/** Address of the ingress of a rollup; undefined while no controller has given it an address. */
export async function ingressAddress(api: ClusterApi, name: string, namespace: string): Promise<string | undefined> {
  const ingress = await api.read('Ingress', name, namespace);
  const [first] = ingress?.status?.loadBalancer?.ingress ?? [];
  return first?.ip ?? first?.hostname;
}

const softBlock = object({ soft: object({ number: whole }) });

/** Number of the newest block of a node; else why it is not known. */
export async function headAt({ executor, api }: Urls, address: string | undefined): Promise<number | Reached> {
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const reached = await (executor === undefined
    ? reach(new URL('/v1/status', api), address)
    : reach(new URL(executor), address, call));
  if (reached.kind !== 'answer' || reached.status !== 200) return reached;
  const [, digits] = /"result"\s*:\s*"0x([0-9a-f]{1,12})"/.exec(reached.text) ?? [];
  const head = digits === undefined ? readJson(reached.text, softBlock)?.soft.number : Number.parseInt(digits, 16);
  return head ?? reached;
}

/**
 * Waits until each URL answers through the ingress and a block has been executed. If the ingress cannot be reached from
 * here, that is noted and nothing is waited for.
 *
 * @throws {Failure} naming the silent parts when the time is over.
 */
export async function waitUntilFunctional(
  api: ClusterApi,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  urls: Urls,
  waiting: Waiting,
): Promise<void> {
  const patience = Math.min(performance.now() + UNREACHABLE_MS, waiting.deadline);
  await waitUntil(async () => {
    const address = await ingressAddress(api, name, namespace);
    const problems = await problemsAt(urls, address);
    if (problems.length === 0) return { done: true };
    const lines = problems.map(({ line }) => line);
    const where = address === undefined ? 'the ingress has no address yet' : `the ingress at ${plain(address)}`;
    if (performance.now() < patience || problems.some(({ isUnreachable }) => !isUnreachable))
      return { waiting: `${where}: ${lines.join('; ')}` };
    waiting.note(
      `${where}: it cannot be reached from here, so the URLs were not tried (${lines[0]}); is an ingress controller of its class running?`,
    );
    return { done: false };
  }, waiting);
}

export interface UrlProblem {
  readonly line: string;
  readonly isUnreachable: boolean;
}

/** Problems of the URLs that do not answer, requested at the address of an ingress or of this machine. */
export async function problemsAt(urls: Urls, address: string | undefined): Promise<UrlProblem[]> {
  const { blockscout, faucet } = urls;
  const node = nodeUrl(urls) ?? '';
  const pages = [blockscout, faucet].flatMap((url) => url ?? []);
  const wanted = pages.map(async (url) => findProblem(url, await reach(new URL(url), address)));
  const head = headAt(urls, address).then((found): UrlProblem | undefined => {
    if (typeof found !== 'number') return findProblem(node, found, 'no block number');
    return found > 0 ? undefined : { line: `${node}: no block executed yet`, isUnreachable: false };
  });
  return (await Promise.all([...wanted, head])).flatMap((problem) => problem ?? []);
}

function findProblem(url: string, reached: Reached, otherwise?: string): UrlProblem | undefined {
  if (reached.kind !== 'answer')
    return { line: `${url}: ${plain(reached.reason)}`, isUnreachable: reached.kind === 'unreachable' };
  if (reached.status !== 200) return { line: `${url}: answers ${reached.status}`, isUnreachable: false };
  return otherwise === undefined ? undefined : { line: `${url}: ${otherwise}`, isUnreachable: false };
}
