import { nodePorts } from '@switchyard/stack/ports';
import { COMET_VERSION } from './binary.ts';

export interface Described {
  readonly name: string;
  readonly host: string;
  readonly isValidator: boolean;
  readonly nodeId: string;
  readonly listen: string;
}

/** Text of the README alongside the files of a node, for the person who has copied them to its machine. */
export function nodeReadme({ name, host, isValidator, nodeId, listen }: Described): string {
  const { p2p, rpc, abci, cometMetrics, grpc, metrics } = nodePorts(0, 0);
  const kind = isValidator ? 'a validator' : 'a full node, which follows and does not vote';
  return `# ${name}

This is ${kind}. Its machine is \`${host}\`, its node id \`${nodeId}\`.

Copy this directory to that machine, and to no other: two processes that sign with one key break the network. Needed there are
Node 20.19 or newer, Switchyard (built, in a directory that is called SWITCHYARD below), and cometbft ${COMET_VERSION}.

Two commands in this directory, each in a terminal of its own or as a service that is started again when it ends:

    node --env-file=sequencer.env SWITCHYARD/packages/sequencer/dist/main.js
    cometbft start --home cometbft

If Switchyard was installed by npm, the program is \`switchyard/node_modules/@switchyard/sequencer/dist/main.js\` below the path that \`npm root -g\`
prints. CometBFT ends when the sequencer ends, and has to be started again after it.

| port | on | what |
|---|---|---|
| ${p2p} | all interfaces | other nodes; has to be reachable from their machines |
| ${rpc} | ${listen} | CometBFT RPC: for the composer, the conductor and \`switchyard sequencer\` |
| ${grpc} | ${listen} | gRPC: for the composer and the conductor |
| ${abci} | 127.0.0.1 | between the two processes; not public |
| ${cometMetrics}, ${metrics} | 127.0.0.1 | metrics of CometBFT and of the sequencer |

Look at it with \`switchyard sequencer blockheight get\` and \`switchyard sequencer validators\`.

What the node stores is in \`cometbft/data\` and \`data\`. To start over and get everything from the other nodes, stop both processes
and remove both, but keep \`cometbft/data/priv_validator_state.json\`: it records the last signed height.
`;
}
