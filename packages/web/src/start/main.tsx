import { useEffect } from 'react';
import { PageHeader } from '../ui/header.tsx';
import { mount } from '../ui/mount.ts';
import { PageFooter } from '../ui/page-footer.tsx';
import { Table } from '../ui/table.tsx';
import type { Network } from './api.ts';
import { Accounts, Chains, Endpoints, Folded, serviceColumns } from './details.tsx';
import { FlowPicture } from './flow-picture.tsx';
import { NextSteps } from './next.tsx';
import { useNetwork } from './use-network.ts';
import { getPages, health, lead, networkTone, toTitle } from './words.ts';

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
          <p role="status" className={`message ${answered ? statusTone(value) : 'bad'}`}>
            {statusText(value, answered)}
          </p>
        </div>
        {value !== undefined && (
          <>
            <Pages network={value} />
            <NextSteps network={value} />
            <FlowPicture network={value} isCurrent={answered} />
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
  if (!answered) return 'The network does not answer: it was stopped, or is busy. Trying again.';
  return network === undefined ? 'Asking the network…' : health(network);
}

function Pages({ network }: { readonly network: Network }) {
  const links = getPages(network);
  if (links.length === 0) return null;
  return (
    <ul className="pages" aria-label="Pages">
      {links.map((link) => (
        <li key={link.url}>
          <a className="card" href={link.url}>
            <strong>{toTitle(link).title}</strong>
            <span className="quiet">{toTitle(link).text}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Facts that are looked up now and then. */
function More({ network, isCurrent }: { readonly network: Network; readonly isCurrent: boolean }) {
  const { accounts, directory, notice, services } = network;
  return (
    <section className="more" aria-labelledby="more">
      <h2 id="more">Details</h2>
      <Folded title="Heights and withdrawals" hint="of each chain and bridge">
        <Chains network={network} isCurrent={isCurrent} />
      </Folded>
      <Folded title="Endpoints" hint="for wallets, tools and programs">
        <Endpoints network={network} />
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
