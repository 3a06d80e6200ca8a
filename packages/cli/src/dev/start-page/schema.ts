import { TRANSACTION_STATES } from './flow.ts';

type Properties = Readonly<Record<string, object>>;

/** An object without other members; most members have no description. */
const object = (required: Properties, optional: Properties = {}, description?: string) => ({
  type: 'object',
  description,
  required: Object.keys(required),
  properties: { ...required, ...optional },
  additionalProperties: false,
});
const array = (items: object, description?: string) => ({ type: 'array', description, items });
const text = (description?: string) => ({ type: 'string', description });
const amount = (description?: string) => ({ type: 'integer', minimum: 0, description });
const url = (description?: string) => ({ $ref: '#/$defs/url', description });
const height = (description?: string) => ({ $ref: '#/$defs/height', description });
const TIME = { $ref: '#/$defs/time' };
const PID = { type: 'integer', minimum: 2 };

const ROLLUP_HEIGHTS = {
  height: height('Of the newest block, which is soft.'),
  firm: height('Of the newest firm block.'),
  layerHeight: height('Of the data-availability layer, where that was found.'),
};

const SEQUENCER = object(
  { chainId: text(), rpc: url('CometBFT RPC.'), grpc: url() },
  { height: height(), halt: text('Why it makes no blocks, while it makes none.') },
);

const EVM = object(
  { name: text(), url: url('JSON-RPC over HTTP.') },
  {
    chainId: { type: 'integer', minimum: 1 },
    symbol: text('Of its coin.'),
    ws: url('JSON-RPC over a websocket.'),
    faucet: url(),
    ...ROLLUP_HEIGHTS,
  },
);

const LAYER = object(
  {},
  {
    postedHeight: height('Of the sequencer: the newest block that is posted.'),
    height: height('Of the layer, with the newest of it.'),
    lag: amount('Blocks of the sequencer that are not posted yet.'),
  },
  'What is in the data-availability layer; absent without a relayer that answers.',
);

const WITHDRAWALS = object(
  { service: text(), paid: amount(), waiting: amount(), held: amount('They cannot be paid now.') },
  { rollup: text(), missing: text('On the bridge account; absent where it holds what it owes.') },
);

const STATE = {
  ...text('Of the process; `unhealthy`, on the start page: it runs, and does not answer that it is ready.'),
  enum: [...['waiting', 'starting', 'ready', 'unhealthy', 'restarting', 'stopping', 'stopped', 'finished', 'failed']],
};

const LISTENS = object({ use: text(), url: url(), port: { type: 'integer', minimum: 0, maximum: 65535 } });

const SERVICE = object(
  { name: text(), version: text(), state: STATE, listens: array(LISTENS) },
  { pid: PID, reason: text('Why it is not ready.') },
);

const LINK = object({ kind: { enum: ['chat', 'api', 'faucet', 'explorer'] }, service: text(), url: url() });

const ACCOUNT = object(
  {
    on: { enum: ['sequencer', 'evm'] },
    address: text(),
    key: { type: 'string', pattern: '^(0x)?[0-9a-f]{64}$' },
    role: text(),
  },
  { name: text() },
);

const FLOW_ROLLUP = object(
  { name: text() },
  {
    id: text('On the sequencer.'),
    service: text('The one that executes it, where that is known.'),
    ...ROLLUP_HEIGHTS,
    lag: amount('Blocks of the sequencer that it has not executed.'),
  },
);

const LAST = object(
  {
    hash: text(),
    submission: text('The hash that the composer answered with.'),
    rollup: text('Its id on the sequencer.'),
    state: { enum: TRANSACTION_STATES },
    queuedAt: TIME,
  },
  {
    why: text('Why it is in no block.'),
    bundledAt: TIME,
    sequenced: object({ at: TIME, height: height() }),
    executed: object({}, { at: TIME, block: height() }, 'Without a time where that was not observed.'),
    posted: object({ at: TIME, layerHeight: height() }, {}, 'To the data-availability layer.'),
  },
  'The newest transaction of the composer.',
);

const FLOW = object(
  { rollups: array(FLOW_ROLLUP, 'All that a conductor drives.') },
  { queued: amount('Transactions that wait in the composer.'), last: LAST },
  'How blocks and transactions move; on the start page only.',
);

const STEP = object({
  kind: { enum: ['messenger', 'evm', 'sequencer', 'build', 'deploy'] },
  commands: array(text()),
});

const NETWORK = object(
  {
    instance: text(),
    directory: text('Of the instance: configuration, state and logs.'),
    network: text('Which network of networks-config.toml.'),
    pid: { ...PID, description: 'Of the tool that runs the services.' },
    sequencer: SEQUENCER,
    rollup: object(
      { name: text() },
      { url: url(), ...ROLLUP_HEIGHTS },
      "The messenger; without it the EVM rollup, or one of the user's.",
    ),
    services: array(SERVICE),
    links: array(LINK, 'Pages for people.'),
    notice: text('About the keys below.'),
    accounts: array(ACCOUNT, 'Development accounts. Their keys are published.'),
  },
  {
    startPage: url('Absent where it is turned off, or its usual port was taken.'),
    evm: EVM,
    layer: LAYER,
    withdrawals: array(WITHDRAWALS, 'Withdrawals of each rollup whose withdrawer answers.'),
    flow: FLOW,
    steps: array(STEP, 'Commands for what to do next, as they are typed here; on the start page only.'),
  },
  'What `switchyard dev run` prints after `ready` and serves as /network.json of its start page.',
);

/** JSON Schema of what `dev run` prints after `ready` and of `/network.json`. */
export const NETWORK_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A running local network',
  ...NETWORK,
  $defs: {
    time: { type: 'integer', minimum: 0, description: 'Milliseconds since the Unix epoch.' },
    url: { type: 'string', pattern: '^(https?|wss?)://[^\\s]+$' },
    height: { type: 'integer', minimum: 0 },
  },
};
