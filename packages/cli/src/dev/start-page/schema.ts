import { TRANSACTION_STATES } from './flow.ts';

const ROLLUP_HEIGHTS = {
  height: { $ref: '#/$defs/height', description: 'Of the newest block, which is soft.' },
  firm: { $ref: '#/$defs/height', description: 'Of the newest firm block.' },
  layerHeight: { $ref: '#/$defs/height', description: 'Of the data-availability layer, where that was found.' },
};

/** JSON Schema of what `dev run` prints after `ready` and of `/network.json`. */
export const NETWORK_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A running local network',
  description: 'What `switchyard dev run` prints after `ready` and serves as /network.json of its start page.',
  type: 'object',
  required: [
    'instance',
    'directory',
    'network',
    'pid',
    'sequencer',
    'rollup',
    'services',
    'links',
    'accounts',
    'notice',
  ],
  properties: {
    instance: { type: 'string' },
    directory: { type: 'string', description: 'Of the instance: configuration, state and logs.' },
    network: { type: 'string', description: 'Which network of networks-config.toml.' },
    pid: { type: 'integer', minimum: 2, description: 'Of the tool that runs the services.' },
    startPage: { $ref: '#/$defs/url', description: 'Absent where it is turned off, or its usual port was taken.' },
    sequencer: {
      type: 'object',
      required: ['chainId', 'rpc', 'grpc'],
      properties: {
        chainId: { type: 'string' },
        rpc: { $ref: '#/$defs/url', description: 'CometBFT RPC.' },
        grpc: { $ref: '#/$defs/url' },
        height: { $ref: '#/$defs/height' },
        halt: { type: 'string', description: 'Why it makes no blocks, while it makes none.' },
      },
      additionalProperties: false,
    },
    rollup: {
      type: 'object',
      description: "The messenger; without it the EVM rollup, or one of the user's.",
      required: ['name'],
      properties: {
        name: { type: 'string' },
        url: { $ref: '#/$defs/url' },
        ...ROLLUP_HEIGHTS,
      },
      additionalProperties: false,
    },
    evm: {
      type: 'object',
      required: ['name', 'url'],
      properties: {
        name: { type: 'string' },
        chainId: { type: 'integer', minimum: 1 },
        symbol: { type: 'string', description: 'Of its coin.' },
        url: { $ref: '#/$defs/url', description: 'JSON-RPC over HTTP.' },
        ws: { $ref: '#/$defs/url', description: 'JSON-RPC over a websocket.' },
        faucet: { $ref: '#/$defs/url' },
        ...ROLLUP_HEIGHTS,
      },
      additionalProperties: false,
    },
    layer: {
      type: 'object',
      description: 'What is in the data-availability layer; absent without a relayer that answers.',
      properties: {
        postedHeight: { $ref: '#/$defs/height', description: 'Of the sequencer: the newest block that is posted.' },
        height: { $ref: '#/$defs/height', description: 'Of the layer, with the newest of it.' },
        lag: { type: 'integer', minimum: 0, description: 'Blocks of the sequencer that are not posted yet.' },
      },
      additionalProperties: false,
    },
    withdrawals: {
      type: 'array',
      description: 'Withdrawals of each rollup whose withdrawer answers.',
      items: {
        type: 'object',
        required: ['service', 'paid', 'waiting', 'held'],
        properties: {
          service: { type: 'string' },
          rollup: { type: 'string' },
          paid: { type: 'integer', minimum: 0 },
          waiting: { type: 'integer', minimum: 0 },
          held: { type: 'integer', minimum: 0, description: 'They cannot be paid now.' },
          missing: { type: 'string', description: 'On the bridge account; absent where it holds what it owes.' },
        },
        additionalProperties: false,
      },
    },
    services: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'version', 'state', 'listens'],
        properties: {
          name: { type: 'string' },
          version: { type: 'string' },
          pid: { type: 'integer', minimum: 2 },
          state: {
            type: 'string',
            description:
              'Of the process; `unhealthy`, on the start page: it runs, and does not answer that it is ready.',
            enum: [
              ...[
                'waiting',
                'starting',
                'ready',
                'unhealthy',
                'restarting',
                'stopping',
                'stopped',
                'finished',
                'failed',
              ],
            ],
          },
          reason: { type: 'string', description: 'Why it is not ready.' },
          listens: {
            type: 'array',
            items: {
              type: 'object',
              required: ['use', 'url', 'port'],
              properties: {
                use: { type: 'string' },
                url: { $ref: '#/$defs/url' },
                port: { type: 'integer', minimum: 0, maximum: 65535 },
              },
              additionalProperties: false,
            },
          },
        },
        additionalProperties: false,
      },
    },
    links: {
      type: 'array',
      description: 'Pages for people.',
      items: {
        type: 'object',
        required: ['kind', 'service', 'url'],
        properties: {
          kind: { enum: ['chat', 'api', 'faucet', 'explorer'] },
          service: { type: 'string' },
          url: { $ref: '#/$defs/url' },
        },
        additionalProperties: false,
      },
    },
    notice: { type: 'string', description: 'About the keys below.' },
    accounts: {
      type: 'array',
      description: 'Development accounts. Their keys are published.',
      items: {
        type: 'object',
        required: ['on', 'address', 'key', 'role'],
        properties: {
          on: { enum: ['sequencer', 'evm'] },
          name: { type: 'string' },
          address: { type: 'string' },
          key: { type: 'string', pattern: '^(0x)?[0-9a-f]{64}$' },
          role: { type: 'string' },
        },
        additionalProperties: false,
      },
    },
    flow: {
      type: 'object',
      description: 'How blocks and transactions move; on the start page only.',
      required: ['rollups'],
      properties: {
        queued: { type: 'integer', minimum: 0, description: 'Transactions that wait in the composer.' },
        rollups: {
          type: 'array',
          description: 'All that a conductor drives.',
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              id: { type: 'string', description: 'On the sequencer.' },
              name: { type: 'string' },
              service: { type: 'string', description: 'The one that executes it, where that is known.' },
              ...ROLLUP_HEIGHTS,
              lag: { type: 'integer', minimum: 0, description: 'Blocks of the sequencer that it has not executed.' },
            },
            additionalProperties: false,
          },
        },
        last: {
          type: 'object',
          description: 'The newest transaction of the composer.',
          required: ['hash', 'submission', 'rollup', 'state', 'queuedAt'],
          properties: {
            hash: { type: 'string' },
            submission: { type: 'string', description: 'The hash that the composer answered with.' },
            rollup: { type: 'string', description: 'Its id on the sequencer.' },
            state: { enum: TRANSACTION_STATES },
            why: { type: 'string', description: 'Why it is in no block.' },
            queuedAt: { $ref: '#/$defs/time' },
            bundledAt: { $ref: '#/$defs/time' },
            sequenced: {
              type: 'object',
              required: ['at', 'height'],
              properties: { at: { $ref: '#/$defs/time' }, height: { $ref: '#/$defs/height' } },
              additionalProperties: false,
            },
            executed: {
              type: 'object',
              description: 'Without a time where that was not observed.',
              properties: { at: { $ref: '#/$defs/time' }, block: { $ref: '#/$defs/height' } },
              additionalProperties: false,
            },
            posted: {
              type: 'object',
              description: 'To the data-availability layer.',
              required: ['at', 'layerHeight'],
              properties: { at: { $ref: '#/$defs/time' }, layerHeight: { $ref: '#/$defs/height' } },
              additionalProperties: false,
            },
          },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    steps: {
      type: 'array',
      description: 'Commands for what to do next, as they are typed here; on the start page only.',
      items: {
        type: 'object',
        required: ['kind', 'commands'],
        properties: {
          kind: { enum: ['messenger', 'evm', 'sequencer', 'build', 'deploy'] },
          commands: { type: 'array', items: { type: 'string' } },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
  $defs: {
    time: { type: 'integer', minimum: 0, description: 'Milliseconds since the Unix epoch.' },
    url: { type: 'string', pattern: '^(https?|wss?)://[^\\s]+$' },
    height: { type: 'integer', minimum: 0 },
  },
} as const;
