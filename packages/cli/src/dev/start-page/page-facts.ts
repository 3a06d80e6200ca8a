import { alice } from '@switchyard/network/accounts';
import { evmAccounts } from '@switchyard/network/evm-accounts';
import { BEFORE_FIRST_POLL, poll } from '../../tui/poll.ts';
import { commandsByRollup, type Programs } from '../run/banner.ts';
import type { RunningInstance } from '../run/running.ts';
import type { PlannedService } from '../services/planned.ts';
import { type Ask, fetchJson } from '../status/heights.ts';
import type { Overview, ServiceOverview, Step } from '../status/network.ts';
import { urlsOf } from '../status/urls.ts';
import { probeAgain } from '../supervisor/probe.ts';
import { describeNetwork } from './descriptor.ts';
import { flowOf } from './flow.ts';

/** All that the start page shows. */
export type PageFacts = Awaited<ReturnType<ReturnType<typeof createPageFacts>>>;

/** Asks the services when it is called, and never else; transactions are followed from one call to the next. */
export function createPageFacts(running: RunningInstance, programs: Programs) {
  let polled = BEFORE_FIRST_POLL;
  return async () => {
    const ask = onceEach(fetchJson);
    const [network, now] = await Promise.all([
      describeNetwork(running, ask),
      poll(urlsOf(running.instance.network, running.services), polled, ask, () => performance.now()),
    ]);
    polled = now;
    const services = await withHealth(network.services, running.services);
    return { ...network, services, flow: flowOf(now.facts), steps: stepsFor(network, programs) };
  };
}

/** Asks each URL once, however many want its answer. */
function onceEach(ask: Ask): Ask {
  const answers = new Map<string, Promise<unknown>>();
  return (url) => {
    const known = answers.get(url) ?? ask(url);
    answers.set(url, known);
    return known;
  };
}

const DEPLOYED = 'cosmic';
const NETWORK_ID = 90_210;
/** Genesis balance of the first account, in wei. */
const BALANCE = 100n * 10n ** 18n;

function stepsFor(overview: Overview, programs: Programs): Step[] {
  return [
    ...commandsByRollup(overview, programs),
    { kind: 'build', commands: [`${programs.switchyard} new my-rollup`, 'cd my-rollup', 'npm start'] },
    { kind: 'deploy', commands: deployCommands(overview, programs) },
  ];
}

/** A further EVM rollup on this sequencer. */
function deployCommands({ sequencer: { rpc, grpc } }: Overview, { switchyard }: Programs): string[] {
  const [account] = evmAccounts;
  const funded = `0x${account?.address.slice(2).toLowerCase()}:${BALANCE}`;
  return [
    `${switchyard} rollup config create --rollup.name ${DEPLOYED} --rollup.network-id ${NETWORK_ID} --rollup.genesis-accounts ${funded} --sequencer.rpc ${rpc} --sequencer.grpc ${grpc}`,
    `${switchyard} rollup deployment create --target local --config ${DEPLOYED}-rollup-conf.yaml --sequencer-private-key ${alice.key} --faucet-private-key ${account?.key}`,
  ];
}

/**
 * Services as they answer now. The supervisor asks until one is ready and then follows its process; one that runs and no
 * longer answers, or reports that it cannot work, is `unhealthy`.
 */
export function withHealth(
  services: readonly ServiceOverview[],
  planned: readonly Pick<PlannedService, 'name' | 'ready'>[],
): Promise<ServiceOverview[]> {
  return Promise.all(
    services.map(async (service) => {
      const ready = planned.find(({ name }) => name === service.name)?.ready;
      const answer = await probeAgain(service, ready);
      return answer === undefined || answer.ready ? service : { ...service, state: 'unhealthy', reason: answer.reason };
    }),
  );
}
