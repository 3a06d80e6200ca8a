import { type HttpApi, httpApi, Input, object, type Read, validItems } from '@switchyard/client/http-api';

/** Text or a number, for people. */
const word: Read<string> = ({ value }) => (value === undefined || value === null ? '' : String(value));
/** Only what a browser may be sent to. */
const link: Read<string> = ({ value }) => (typeof value === 'string' && /^https?:\/\//.test(value) ? value : '');

const network = object({
  instance: word,
  network: word,
  directory: word,
  notice: word,
  sequencer: object({ chainId: word, rpc: word, grpc: word, height: word }),
  rollup: object({ name: word, url: word, height: word, firm: word, layerHeight: word }),
  layer: (input) => (input.value === undefined ? undefined : layer(input)),
  withdrawals: validItems(
    object({ service: word, rollup: word, paid: word, waiting: word, held: word, missing: word }),
  ),
  evm: (input) => (input.value === undefined ? undefined : evm(input)),
  services: validItems(
    object({
      name: word,
      version: word,
      state: word,
      reason: word,
      listens: validItems(object({ use: word, url: word })),
    }),
  ),
  links: validItems(object({ kind: word, service: word, url: link })),
  accounts: validItems(object({ on: word, name: word, address: word, key: word, role: word })),
});
const evm = object({ name: word, chainId: word, url: word, ws: word, height: word, firm: word, layerHeight: word });
const layer = object({ postedHeight: word, height: word, lag: word });

/** The network as `/network.json` describes it. Every text in it is shown as text. */
export type Network = ReturnType<typeof network>;
export type Service = Network['services'][number];
export type Account = Network['accounts'][number];

export const networkFromJson = (value: unknown): Network => network(new Input(value, 'network'));

const api: HttpApi = (path, init) => httpApi('start page', { url: new URL('.', location.href).href })(path, init);

export async function askNetwork(): Promise<Network> {
  return network(await api('/network.json'));
}
