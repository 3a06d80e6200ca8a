import { useEffect } from 'react';
import { Copied } from '../ui/copy.tsx';
import { mount } from '../ui/mount.ts';
import { usePolled } from '../ui/polled.ts';
import { Accounts } from './accounts.tsx';
import { askNetwork, type Network, type Service } from './api.ts';
import { chains, endpoints, health, titleOf, tone } from './words.ts';

const LOOK_MS = 2_000;

function Start() {
  const { value, answered } = usePolled(askNetwork, LOOK_MS);
  const heading = value === undefined ? 'Switchyard' : `Switchyard: ${value.instance}`;
  useEffect(() => {
    document.title = heading;
  }, [heading]);
  return (
    <>
      <header>
        <h1>{heading}</h1>
      </header>
      <main>
        <p role="status" className={`message ${answered ? statusTone(value) : 'bad'}`}>
          {statusText(value, answered)}
        </p>
        {value !== undefined && <Facts network={value} isCurrent={answered} />}
      </main>
    </>
  );
}

const statusTone = (network: Network | undefined) =>
  network?.services.some(({ state }) => tone(state) !== 'good') === false ? 'good' : 'warn';

function statusText(network: Network | undefined, answered: boolean): string {
  if (!answered) return 'The network does not answer: it was stopped, or is busy. Trying again.';
  return network === undefined ? 'Asking the network…' : health(network.services);
}

function Facts({ network, isCurrent }: { readonly network: Network; readonly isCurrent: boolean }) {
  const links = network.links.filter(({ url }) => url !== '');
  return (
    <>
      <p className="quiet">
        network {network.network}, in <code>{network.directory}</code>
      </p>
      {links.length > 0 && (
        <nav aria-label="Pages of this network">
          {links.map((link) => (
            <a key={link.url} href={link.url}>
              <strong>{titleOf(link).title}</strong>
              <span>{titleOf(link).text}</span>
            </a>
          ))}
        </nav>
      )}
      <section aria-labelledby="chains">
        <h2 id="chains">Chains</h2>
        <dl>
          {chains(network).map(({ name, state, url }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {state === '' ? 'does not answer' : state}
                {!isCurrent && state !== '' && ' when it last answered'}
                {url !== undefined && (
                  <>
                    {' '}
                    <a href={url}>in the explorer</a>
                  </>
                )}
              </dd>
            </div>
          ))}
          {endpoints(network).map(([use, at]) => (
            <div key={use}>
              <dt>{use}</dt>
              <dd>
                <Copied value={at} what={use} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <Services services={network.services} isCurrent={isCurrent} />
      <Accounts accounts={network.accounts} notice={network.notice} />
      <footer>
        <a href="./network.json">The same as JSON</a>, described by <a href="./network.schema.json">a schema</a>
      </footer>
    </>
  );
}

function Services({ services, isCurrent }: { readonly services: readonly Service[]; readonly isCurrent: boolean }) {
  return (
    <section aria-labelledby="services">
      <h2 id="services">Services</h2>
      <table aria-labelledby="services">
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col">State</th>
            <th scope="col">Listens</th>
          </tr>
        </thead>
        <tbody>
          {services.map(({ name, version, state, listens }) => (
            <tr key={name}>
              <th scope="row">
                {name} <span className="quiet">{version}</span>
              </th>
              <td className={isCurrent ? tone(state) : 'quiet'}>{isCurrent ? state : 'unknown'}</td>
              <td>
                {listens.map(({ use, url }) => (
                  <span key={`${use} ${url}`} className="listener">
                    <code>{url}</code> <span className="quiet">{use}</span>
                  </span>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

mount(<Start />);
