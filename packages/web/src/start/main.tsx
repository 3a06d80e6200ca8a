import { useEffect } from 'react';
import { FactList } from '../ui/facts.tsx';
import { Folded } from '../ui/folded.tsx';
import { PageHeader } from '../ui/header.tsx';
import { Id } from '../ui/id.tsx';
import { mount } from '../ui/mount.ts';
import { PageFooter } from '../ui/page-footer.tsx';
import { Table } from '../ui/table.tsx';
import type { Network } from './api.ts';
import { Accounts, serviceColumns } from './details.tsx';
import { FlowPicture } from './flow-picture.tsx';
import { NextSteps } from './next.tsx';
import { Problems } from './problems.tsx';
import { useNetwork } from './use-network.ts';
import { endpoints, health, lead, networkTone, withdrawals } from './words.ts';

function Start() {
  const { value, answered } = useNetwork();
  const heading = value === undefined ? 'Switchyard' : `Switchyard: ${value.instance}`;
  useEffect(() => {
    document.title = heading;
  }, [heading]);
  return (
    <>
      <PageHeader kind="start" />
      <main id="main" tabIndex={-1}>
        <div className="intro">
          <h1>{heading}</h1>
          <p>{value === undefined ? 'One sequencer orders transactions for all rollups.' : lead(value)}</p>
          <p className="status">
            <i className={`dot ${answered ? statusTone(value) : 'bad'}`} aria-hidden="true" />
            {statusText(value, answered)}
          </p>
          <div role="status">
            <Problems network={value} answered={answered} />
          </div>
        </div>
        {value !== undefined && (
          <>
            <FlowPicture network={value} isCurrent={answered} />
            <NextSteps network={value} />
            <More network={value} isCurrent={answered} />
          </>
        )}
      </main>
      {/* Not before the content, which would push it away. */}
      {value !== undefined && (
        <PageFooter>
          <span>
            <a href="./network.json">This page as JSON</a>, described by <a href="./network.schema.json">a schema</a>
          </span>
        </PageFooter>
      )}
    </>
  );
}

const statusTone = (network: Network | undefined) => (network === undefined ? 'warn' : networkTone(network));

function statusText(network: Network | undefined, answered: boolean): string {
  if (!answered) return 'No answer; trying again';
  return network === undefined ? 'Asking the network…' : health(network);
}

/** Facts that are looked up now and then. */
function More({ network, isCurrent }: { readonly network: Network; readonly isCurrent: boolean }) {
  const { accounts, directory, notice, services } = network;
  return (
    <section className="more" aria-labelledby="more">
      <h2 id="more">Details</h2>
      {network.withdrawals.length > 0 && (
        <Folded title="Withdrawals" hint="of each bridge">
          <FactList className="facts" facts={withdrawals(network)} />
        </Folded>
      )}
      <Folded title="Endpoints" hint="for wallets, tools and programs">
        <FactList
          className="facts"
          facts={endpoints(network).map(([use, at]) => [use, <Id isWhole key={use} text={at} what={use} />])}
        />
      </Folded>
      <Folded title="Services" hint={`${services.length}, with their ports`}>
        <Table name="Services" columns={serviceColumns(isCurrent)} rows={services} />
        <p className="quiet">
          Network {network.network}; files are in <code>{directory}</code>.
        </p>
      </Folded>
      <Folded title="Development accounts" hint={`${accounts.length}, with published keys`}>
        <Accounts accounts={accounts} notice={notice} />
      </Folded>
    </section>
  );
}

mount(<Start />);
