import './contract.css';
import { Input } from '@switchyard/client/http-api';
import { evm, type Contract as Facts, type Verification } from '@switchyard/explorer/contract';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { FactList } from '../../ui/facts.tsx';
import { Folded } from '../../ui/folded.tsx';
import { Loading } from '../../ui/loading.tsx';
import { shown } from '../../ui/shown.ts';
import { toast } from '../../ui/toast.tsx';
import { When } from '../../ui/when.tsx';
import { explorerOf } from '../../wallets.ts';
import { ask, BASE } from '../api.ts';
import { Arguments } from '../evm/decoded.tsx';
import { Answer, Loaded } from '../parts/answer.tsx';
import { Id } from '../parts/cells.tsx';
import { type Lists, Sections } from '../parts/list.tsx';
import { Sources, SourceText } from './sources.tsx';
import { VerifyForm } from './verify-form.tsx';

/** Forms need the library that encodes calls, which nothing else of the page does. */
const Functions = lazy(() => import('./functions.tsx'));

interface ContractProps {
  readonly rollup: string;
  readonly address: string;
  /** Path of the contract, and the tab that is open. */
  readonly base: string;
  readonly tab: string;
}

/** Sources, settings and ABI of a contract if known, and forms to read and write. */
export function Contract(props: ContractProps) {
  const { rollup, address } = props;
  const [turn, setTurn] = useState(0);
  const verified = () => {
    setTurn(turn + 1);
    document.getElementById('main')?.focus();
    toast('The contract is verified.', 'good');
  };
  const load = async () => {
    const contract = await ask(evm.getEvmContract, { rollup, address });
    const running = contract.proxy?.implementation ?? address;
    const { verification } =
      running === address ? contract : await ask(evm.getEvmContract, { rollup, address: running });
    return { contract, callable: verification };
  };
  return (
    <Loaded
      key={turn}
      name={`contract ${rollup} ${address}`}
      load={load}
      isOnce
      show={(known) => (
        <Known {...props} {...known}>
          <VerifyForm rollup={rollup} address={address} verified={verified} />
        </Known>
      )}
    />
  );
}

interface KnownProps extends ContractProps {
  readonly contract: Facts;
  /** Facts of the code that runs: those of the implementation behind a proxy. */
  readonly callable: Verification | null;
  /** In place of sources that are not known. */
  readonly children: ReactNode;
}

function Known({ contract: { verification, proxy }, callable, base, tab, children, ...target }: KnownProps) {
  const forms = (title: string, part: 'read' | 'write'): Lists =>
    callable === null
      ? {}
      : { [part]: { title, show: () => <Forms key={part} {...target} {...callable} part={part} /> } };
  const lists = { ...forms('Read', 'read'), ...forms('Write', 'write') };
  return (
    <Sections base={base} label="Contract" overview="Code" lists={lists} part={tab}>
      {proxy !== null && (
        <section className="card" aria-label="Proxy">
          <p>
            A proxy ({proxy.standard.toUpperCase()}) of{' '}
            <Id text={proxy.implementation} to={`./evm/addresses/${proxy.implementation}/contract`} />. Calls are run by
            the code of that contract.
          </p>
        </section>
      )}
      {verification === null ? children : <Verified {...verification} />}
    </Sections>
  );
}

type FormsProps = Pick<ContractProps, 'rollup' | 'address'> &
  Pick<Verification, 'abi'> & { readonly part: 'read' | 'write' };

/** Forms of a contract whose ABI is known. */
const Forms = ({ abi, ...target }: FormsProps) => (
  <Suspense fallback={<Loading />}>
    <Answer
      route={evm.getEvmNetwork}
      params={{ rollup: target.rollup }}
      isOnce
      show={({ chainId, name, url }) => (
        <Functions
          {...target}
          abi={new Input(abi, 'abi').list().map(({ value }) => value)}
          network={{ name, url, chainId: BigInt(chainId), explorerUrl: explorerOf(BASE, name) }}
        />
      )}
    />
  </Suspense>
);

function Verified({ constructorValues, sources, ...verification }: Verification) {
  const isFull = verification.match === 'full';
  return (
    <>
      <FactList
        facts={[
          ['Name', shown(verification.name)],
          [
            'Verified',
            <span key="match">
              <Badge tone={isFull ? 'good' : 'warn'}>{isFull ? 'full match' : 'partial match'}</Badge>{' '}
              <When at={verification.verifiedAt} />
            </span>,
          ],
          ['Compiler', `solc ${shown(verification.compiler)}`],
          ['EVM version', shown(verification.evmVersion) || 'default of the compiler'],
          [
            'Constructor arguments',
            constructorValues === null ? 'not known' : <Arguments key="arguments" list={constructorValues} />,
          ],
        ]}
      />
      <Sources main={verification.path} sources={Object.entries(sources)} />
      {/* The text of JSON has no hidden characters but line ends. */}
      {Object.entries({ 'Compiler settings': verification.settings, ABI: verification.abi }).map(([name, value]) => (
        <Folded key={name} title={name}>
          <SourceText text={JSON.stringify(value, undefined, 2)} label={name} />
        </Folded>
      ))}
    </>
  );
}
