import { alice } from '@switchyard/network/accounts';
import { evmAccounts } from '@switchyard/network/evm-accounts';
import { probeAgain } from '@switchyard/network/supervisor/probe';
import { wallClock } from '@switchyard/service';
import { commandsByRollup, instanceFlags, type Programs } from '../run/banner.ts';
import type { RunningInstance } from '../run/running.ts';
import type { PlannedService } from '../services/planned.ts';
import type { Overview, ServiceOverview, Step } from '../status/network.ts';
import { toOverview } from '../status/overview.ts';
import { NO_FACTS, poll } from '../status/transactions.ts';
import { toUrls } from '../status/urls.ts';
import { describeNetwork } from './descriptor.ts';
import { toFlow } from './flow.ts';
import { createProblems } from './problems.ts';

/** All that the start page shows. */
export type PageFacts = Awaited<ReturnType<ReturnType<typeof createPageFacts>>>;

/** Asks the services when it is called, and never else; transactions are followed from one call to the next. */
export function createPageFacts(running: RunningInstance, programs: Programs) {
  const urls = toUrls(running.instance.network, running.services);
  const { name: instance, directory } = running.instance.paths;
  const problemsIn = createProblems(`${programs.switchyard} dev`, instanceFlags({ instance, directory }));
  let facts = NO_FACTS;
  return async () => {
    facts = await poll(urls, facts);
    const network = describeNetwork(toOverview(running, facts), running.services);
    const services = await withHealth(network.services, running.services);
    const problems = problemsIn({ services, halt: facts.halt }, wallClock.unixMs());
    return { ...network, services, problems, flow: toFlow(facts), steps: stepsFor(network, programs) };
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
    { kind: 'start', commands: [`${programs.switchyard} up${instanceFlags(overview)}`] },
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
 * Services with their present answers. The supervisor asks until one is ready and then follows its process; a running service that no
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
