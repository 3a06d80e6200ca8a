import { schema } from '@switchyard/service/contract';

/* A running network as `switchyard dev run` prints it after `ready` and as `/network.json` of its start page has it. */

const { integer, list, object, optional, text, words } = schema;

/** A description of values other than texts and numbers. */
const noted = <T>(description: string, item: schema.Schema<T>): schema.Schema<T> => ({
  ...item,
  json: { ...item.json, description },
});
const url = (description: string) => text(description, { pattern: '^(https?|wss?)://[^\\s]+$' });
const amount = (description: string) => integer(description, { min: 0 });
const height = (description: string) => optional(amount(description));
const time = (description: string) => amount(`${description}, in milliseconds since the Unix epoch`);
const pid = (description: string) => integer(description, { min: 2 });

const rollupHeights = {
  height: height('Of the newest block, which is soft'),
  firm: height('Of the newest firm block'),
  layerHeight: height('Of the data-availability layer at which that was found'),
};
/** Heights of a rollup; unknown ones are left out. */
export type RollupHeights = schema.TypeOf<typeof ofRollup>;
const ofRollup = object({ name: optional(text('Its name')), ...rollupHeights });

const layer = object({
  postedHeight: height('Of the sequencer: the newest block that is posted'),
  height: height('Of the layer that has the newest posted block'),
  lag: height('Blocks of the sequencer that are not posted yet'),
});
/** Progress of the relayer. */
export type LayerHeights = schema.TypeOf<typeof layer>;

const withdrawals = object({
  service: text('The withdrawer'),
  rollup: optional(text('Name of its rollup')),
  paid: amount('Withdrawals that are paid'),
  waiting: amount('Withdrawals that are read, and neither paid nor held'),
  held: amount('Withdrawals that cannot be paid now'),
  missing: optional(text("On the bridge account, in the asset's smallest unit; absent where it holds what it owes")),
});
/** Withdrawals of a rollup, and whether its bridge account covers its debts. */
export type Withdrawals = schema.TypeOf<typeof withdrawals>;

const evm = object({
  name: text('Name of the EVM rollup'),
  url: url('JSON-RPC over HTTP'),
  chainId: optional(schema.oneOf(integer('', { min: 1 }), text('Where a number cannot hold it'))),
  symbol: optional(text('Of its coin')),
  ws: optional(url('JSON-RPC over a websocket')),
  faucet: optional(url('Of its page')),
  ...rollupHeights,
});
/** Addresses to which users of the EVM rollup connect. */
export type EvmOverview = schema.TypeOf<typeof evm>;

const service = object({
  name: text('Name of the service'),
  version: text('Its version'),
  state: text('Of the process; `unhealthy`, on the start page: it runs, and does not answer that it is ready', {
    enum: [...['waiting', 'starting', 'ready', 'unhealthy', 'restarting', 'stopping', 'stopped', 'finished', 'failed']],
  }),
  listens: list(
    object({ use: text('For what'), url: url('Where'), port: integer('Its port', { min: 0, max: 65_535 }) }),
  ),
  pid: optional(pid('Of its process')),
  reason: optional(text('Why it is not ready')),
});
export type ServiceOverview = schema.TypeOf<typeof service>;

const overview = {
  instance: text('Name of the instance'),
  directory: text('Of the instance: configuration, state and logs'),
  network: text('Which network of networks-config.toml'),
  pid: pid('Of the tool that runs the services'),
  startPage: optional(url('Absent if it is turned off, or its usual port was taken')),
  sequencer: object({
    chainId: text('Its chain id'),
    rpc: url('CometBFT RPC'),
    grpc: url('gRPC'),
    height: height('Of its newest block'),
    halt: optional(text('Why it makes no blocks, while it makes none')),
  }),
  rollup: noted(
    "The messenger; without it the EVM rollup, or one of the user's",
    object({ name: text('Its name'), url: optional(url('Where it answers')), ...rollupHeights }),
  ),
  evm: optional(evm),
  layer: optional(noted('Heights of the data-availability layer; absent without a relayer that answers', layer)),
  withdrawals: optional(noted('Withdrawals of each rollup whose withdrawer answers', list(withdrawals))),
  services: list(service),
};
/** Overview of a running instance, from which the banner for people and the `ready` line for programs are made. */
export type Overview = schema.TypeOf<typeof ofOverview>;
const ofOverview = object(overview);

const link = object({
  kind: words('What it is', ...(['chat', 'api', 'faucet', 'explorer'] as const)),
  service: text('Name of the service'),
  url: url('Address'),
});
/** A page, or an interface, that people open. */
export type Link = schema.TypeOf<typeof link>;

const account = object({
  on: words(
    'Where: with ed25519 on sequencer and messenger, with secp256k1 on the EVM rollup',
    ...(['sequencer', 'evm'] as const),
  ),
  name: optional(text('Its name')),
  address: text('Its address'),
  key: text('Hex; with 0x on the EVM rollup, as its tools take it', { pattern: '^(0x)?[0-9a-f]{64}$' }),
  role: text('What it is for'),
});
/** A development account. Its key is published. */
export type PublicAccount = schema.TypeOf<typeof account>;

const step = object({
  kind: words('What it is about', ...(['messenger', 'evm', 'sequencer', 'build', 'deploy', 'start'] as const)),
  commands: list(text('A command as typed here')),
});
/** Commands for one thing to do next. They work as they stand. */
export type Step = schema.TypeOf<typeof step>;

const problem = object({
  what: text('What does not work'),
  why: optional(text('Why, if that is known')),
  since: time('When it was first seen'),
  command: text('A command that shows more or ends it'),
});
/** A problem that a person has to look at. */
export type Problem = schema.TypeOf<typeof problem>;

/** States of a transaction, as the terminal UI names them. */
export const TRANSACTION_STATES = [
  ...(['queued', 'bundled', 'sequenced', 'executed', 'firm', 'reverted', 'refused', 'replaced', 'skipped'] as const),
];

const at = { at: time('When') };
const last = object({
  hash: text('The hash that its users know'),
  submission: text('The hash that the composer answered with'),
  rollup: text('Its id on the sequencer'),
  state: words('As the terminal UI names it', ...TRANSACTION_STATES),
  queuedAt: time('When it was queued'),
  why: optional(text('Why it is in no block')),
  bundledAt: optional(time('When it was bundled')),
  sequenced: optional(object({ ...at, height: amount('Of its block') })),
  executed: optional(
    noted(
      'Without a time if that was not observed',
      object({ at: optional(at.at), block: height('Of its rollup block') }),
    ),
  ),
  posted: optional(noted('To the data-availability layer', object({ ...at, layerHeight: amount('Of the layer') }))),
});

const flow = object({
  queued: height('Transactions that wait in the composer'),
  rollups: noted(
    'All that a conductor drives',
    list(
      object({
        name: text('Its name'),
        id: optional(text('On the sequencer')),
        service: optional(text('The one that executes it, if known')),
        ...rollupHeights,
        lag: height('Blocks of the sequencer that it has not executed'),
      }),
    ),
  ),
  last: optional(noted('The newest transaction of the composer', last)),
});

const network = object({
  ...overview,
  links: noted('Pages for people', list(link)),
  notice: text('About the keys of the accounts'),
  accounts: noted('Development accounts. Their keys are published', list(account)),
  flow: optional(noted('How blocks and transactions move; on the start page only', flow)),
  problems: optional(noted('What keeps the network from working; on the start page only', list(problem))),
  steps: optional(noted('Commands for what to do next; on the start page only', list(step))),
});

/** JSON Schema of the output of `dev run` after `ready` and of `/network.json`. */
export const NETWORK_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A running local network',
  description: 'What `switchyard dev run` prints after `ready` and serves as /network.json of its start page.',
  ...network.json,
};
