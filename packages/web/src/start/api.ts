import { httpApi, ifValid, object, type Read, validItems } from '@switchyard/client/http-api';
import { shown } from '../ui/shown.ts';

/** Text or a number, for people. */
const word: Read<string> = ({ value }) => (value === undefined || value === null ? '' : shown(String(value)));
/** Text that is copied, so it stays unchanged. */
const exact: Read<string> = ({ value }) => (typeof value === 'string' ? value : '');
/** Only URLs that a browser may open. */
const link: Read<string> = ({ value }) => (typeof value === 'string' && /^https?:\/\//.test(value) ? value : '');
const LATEST_DATE = 8.64e15;
/** Milliseconds since the Unix epoch. */
const time: Read<number | undefined> = ({ value }) =>
  typeof value === 'number' && value > 0 && value <= LATEST_DATE ? value : undefined;

const last = object({
  ...{ hash: word, submission: word, rollup: word, state: word, why: word, queuedAt: time },
  sequenced: ifValid(object({ at: time, height: word })),
  executed: ifValid(object({ at: time, block: word })),
  posted: ifValid(object({ at: time, layerHeight: word })),
});

export const readNetwork = object({
  instance: word,
  network: word,
  directory: word,
  notice: word,
  sequencer: object({ chainId: word, rpc: word, grpc: word, height: word, halt: word }),
  rollup: object({ name: word, url: word }),
  layer: ifValid(object({ postedHeight: word, height: word, lag: word })),
  withdrawals: validItems(
    object({ service: word, rollup: word, paid: word, waiting: word, held: word, missing: word }),
  ),
  evm: ifValid(object({ name: word, chainId: word, symbol: word, url: link, ws: word })),
  services: validItems(
    object({ name: word, version: word, state: word, listens: validItems(object({ use: word, url: word })) }),
  ),
  links: validItems(object({ kind: word, service: word, url: link })),
  accounts: validItems(object({ on: word, name: word, address: word, key: word, role: word })),
  flow: ifValid(
    object({
      queued: word,
      rollups: validItems(object({ id: word, name: word, lag: word, height: word, firm: word })),
      last: ifValid(last),
    }),
  ),
  problems: validItems(object({ what: word, why: word, since: time, command: exact })),
  steps: validItems(object({ kind: word, commands: validItems(exact) })),
});

/** The network as `/network.json` describes it. Every text in it is shown as text. */
export type Network = ReturnType<typeof readNetwork>;
export type Service = Network['services'][number];
export type Account = Network['accounts'][number];
export type LastTransaction = ReturnType<typeof last>;

export const askNetwork = async (): Promise<Network> =>
  readNetwork(await httpApi('start page', { url: new URL('.', location.href).href })('/network.json'));
